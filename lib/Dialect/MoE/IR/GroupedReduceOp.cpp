//===- GroupedReduceOp.cpp - The gradient of the experts' biases ----------===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "LayerOp.h"

#include "moe/Dialect/MoE/IR/ShapeInference.h"

using namespace mlir;
using namespace mlir::moe;

bool GroupedReduceOp::isCompatibleReturnTypes(TypeRange inferred,
                                              TypeRange declared) {
  return layer::areCompatible(inferred, declared);
}

LogicalResult GroupedReduceOp::verify() {
  SmallVector<Type, 1> types;
  if (failed(inferGroupedReduce(getLoc(), *this, types)))
    return failure();
  return layer::verifyResults(*this, types, {"result"});
}

LogicalResult
GroupedReduceOp::inferReturnTypes(MLIRContext *context,
                                  std::optional<Location> location, Adaptor op,
                                  SmallVectorImpl<Type> &types) {
  return inferGroupedReduce(location, op, types);
}

LogicalResult
GroupedReduceOp::reifyResultShapes(OpBuilder &builder,
                                   ReifiedRankedShapedTypeDims &shapes) {
  auto size = [&](int64_t dim) -> OpFoldResult {
    return dim == 0 ? builder.getIndexAttr(getExperts())
                    : tensor::getMixedSize(builder, getLoc(), getRows(), 1);
  };
  shapes = {layer::reifyResult(builder, getResult(), size)};
  return success();
}

void GroupedReduceOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                                  MLIRContext *context) {
  patterns.add<layer::RefineShapes<GroupedReduceOp>>(context);
}
