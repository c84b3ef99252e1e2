//===- RouteOp.cpp - The top-k router -------------------------------------===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "LayerOp.h"

#include "moe/Dialect/MoE/IR/ShapeInference.h"

using namespace mlir;
using namespace mlir::moe;

bool RouteOp::isCompatibleReturnTypes(TypeRange inferred, TypeRange declared) {
  return layer::areCompatible(inferred, declared);
}

LogicalResult RouteOp::verify() {
  SmallVector<Type> types;
  if (failed(inferRoute(getLoc(), *this, types)))
    return failure();
  return layer::verifyResults(*this, types, {"weights", "indices"});
}

LogicalResult RouteOp::inferReturnTypes(MLIRContext *context,
                                        std::optional<Location> location,
                                        Adaptor op,
                                        SmallVectorImpl<Type> &types) {
  return inferRoute(location, op, types);
}

LogicalResult RouteOp::reifyResultShapes(OpBuilder &builder,
                                         ReifiedRankedShapedTypeDims &shapes) {
  OpFoldResult tokens = tensor::getMixedSize(builder, getLoc(), getLogits(), 0);
  auto size = [&](int64_t dim) -> OpFoldResult {
    return dim == 0 ? tokens : builder.getIndexAttr(getTopK());
  };
  shapes = {layer::reifyResult(builder, getWeights(), size),
            layer::reifyResult(builder, getIndices(), size)};
  return success();
}

namespace {

// All groups selected → no groups. Only with a bias: without one, groups decide
// whether scores or logits are compared.
struct DropSelectedGroups final : OpRewritePattern<RouteOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(RouteOp op,
                                PatternRewriter &rewriter) const override {
    if (op.getGroups() == 1 || op.getSelectedGroups() != op.getGroups())
      return failure();
    if (!op.getBias())
      return rewriter.notifyMatchFailure(op, "expected a bias, but got none");
    rewriter.modifyOpInPlace(op, [&] {
      op.setGroups(1);
      op.setSelectedGroups(1);
      op.setGroupScore(GroupScore::Max);
    });
    return success();
  }
};

} // namespace

void RouteOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                          MLIRContext *context) {
  patterns.add<DropSelectedGroups, layer::RefineShapes<RouteOp>>(context);
}
