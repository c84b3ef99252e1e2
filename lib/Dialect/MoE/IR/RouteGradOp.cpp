//===- RouteGradOp.cpp - The gradient of a router's logits ----------------===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "LayerOp.h"

#include "moe/Dialect/MoE/IR/ShapeInference.h"

using namespace mlir;
using namespace mlir::moe;

bool RouteGradOp::isCompatibleReturnTypes(TypeRange inferred,
                                          TypeRange declared) {
  return layer::areCompatible(inferred, declared);
}

LogicalResult RouteGradOp::verify() {
  SmallVector<Type, 1> types;
  if (failed(inferRouteGrad(getLoc(), *this, types)))
    return failure();
  return layer::verifyResults(*this, types, {"dlogits"});
}

LogicalResult RouteGradOp::inferReturnTypes(MLIRContext *context,
                                            std::optional<Location> location,
                                            Adaptor op,
                                            SmallVectorImpl<Type> &types) {
  return inferRouteGrad(location, op, types);
}

LogicalResult
RouteGradOp::reifyResultShapes(OpBuilder &builder,
                               ReifiedRankedShapedTypeDims &shapes) {
  auto size = [&](int64_t dim) {
    return tensor::getMixedSize(builder, getLoc(), getLogits(), dim);
  };
  shapes = {layer::reifyResult(builder, getDlogits(), size)};
  return success();
}

void RouteGradOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                              MLIRContext *context) {
  patterns.add<layer::RefineShapes<RouteGradOp>>(context);
}
