//===- RouteWeightsOp.cpp - Weights of a given selection ------------------===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "LayerOp.h"

#include "moe/Dialect/MoE/IR/ShapeInference.h"

using namespace mlir;
using namespace mlir::moe;

bool RouteWeightsOp::isCompatibleReturnTypes(TypeRange inferred,
                                             TypeRange declared) {
  return layer::areCompatible(inferred, declared);
}

LogicalResult RouteWeightsOp::verify() {
  SmallVector<Type, 1> types;
  if (failed(inferRouteWeights(getLoc(), *this, types)))
    return failure();
  return layer::verifyResults(*this, types, {"weights"});
}

LogicalResult RouteWeightsOp::inferReturnTypes(MLIRContext *context,
                                               std::optional<Location> location,
                                               Adaptor op,
                                               SmallVectorImpl<Type> &types) {
  return inferRouteWeights(location, op, types);
}

LogicalResult
RouteWeightsOp::reifyResultShapes(OpBuilder &builder,
                                  ReifiedRankedShapedTypeDims &shapes) {
  auto size = [&](int64_t dim) {
    return tensor::getMixedSize(
        builder, getLoc(), dim == 0 ? Value(getLogits()) : getIndices(), dim);
  };
  shapes = {layer::reifyResult(builder, getWeights(), size)};
  return success();
}

void RouteWeightsOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                                 MLIRContext *context) {
  patterns.add<layer::RefineShapes<RouteWeightsOp>>(context);
}
