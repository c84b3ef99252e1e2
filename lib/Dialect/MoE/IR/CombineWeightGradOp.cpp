//===- CombineWeightGradOp.cpp - The gradient of a combine's weights ------===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "LayerOp.h"

#include "moe/Dialect/MoE/IR/ShapeInference.h"

using namespace mlir;
using namespace mlir::moe;

bool CombineWeightGradOp::isCompatibleReturnTypes(TypeRange inferred,
                                                  TypeRange declared) {
  return layer::areCompatible(inferred, declared);
}

LogicalResult CombineWeightGradOp::verify() {
  SmallVector<Type, 1> types;
  if (failed(inferCombineWeightGrad(getLoc(), *this, types)))
    return failure();
  return layer::verifyResults(*this, types, {"result"});
}

LogicalResult CombineWeightGradOp::inferReturnTypes(
    MLIRContext *context, std::optional<Location> location, Adaptor op,
    SmallVectorImpl<Type> &types) {
  return inferCombineWeightGrad(location, op, types);
}

LogicalResult
CombineWeightGradOp::reifyResultShapes(OpBuilder &builder,
                                       ReifiedRankedShapedTypeDims &shapes) {
  auto size = [&](int64_t dim) {
    return tensor::getMixedSize(builder, getLoc(), getSlotToRow(), dim);
  };
  shapes = {layer::reifyResult(builder, getResult(), size)};
  return success();
}

void CombineWeightGradOp::getCanonicalizationPatterns(
    RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<layer::RefineShapes<CombineWeightGradOp>>(context);
}
