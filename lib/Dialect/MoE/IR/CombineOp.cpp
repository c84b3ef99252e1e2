//===- CombineOp.cpp - The weighted sum of a token's rows -----------------===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "LayerOp.h"

#include "moe/Dialect/MoE/IR/ShapeInference.h"

using namespace mlir;
using namespace mlir::moe;

bool CombineOp::isCompatibleReturnTypes(TypeRange inferred,
                                        TypeRange declared) {
  return layer::areCompatible(inferred, declared);
}

LogicalResult CombineOp::verify() {
  SmallVector<Type> types;
  if (failed(inferCombine(getLoc(), *this, types)))
    return failure();
  return layer::verifyResults(*this, types, {"result"});
}

LogicalResult CombineOp::inferReturnTypes(MLIRContext *context,
                                          std::optional<Location> location,
                                          Adaptor op,
                                          SmallVectorImpl<Type> &types) {
  return inferCombine(location, op, types);
}

LogicalResult
CombineOp::reifyResultShapes(OpBuilder &builder,
                             ReifiedRankedShapedTypeDims &shapes) {
  auto size = [&](int64_t dim) -> OpFoldResult {
    return dim == 0 ? tensor::getMixedSize(builder, getLoc(), getSlotToRow(), 0)
                    : tensor::getMixedSize(builder, getLoc(), getRows(), 1);
  };
  shapes = {layer::reifyResult(builder, getResult(), size)};
  return success();
}

void CombineOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                            MLIRContext *context) {
  patterns.add<layer::RefineShapes<CombineOp>>(context);
}
