//===- ReshapeAsViews.cpp - tensor.reshape by two views -------------------===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "ReshapeAsViews.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;
using namespace mlir::moe;

namespace {
struct ReshapeAsViews final : OpRewritePattern<tensor::ReshapeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::ReshapeOp op,
                                PatternRewriter &rewriter) const override;
};
} // namespace

// All dimensions as one; none for a rank of 0.
static SmallVector<ReassociationIndices> joinAll(int64_t rank) {
  if (rank == 0)
    return {};
  return {llvm::to_vector<2>(llvm::seq<int64_t>(0, rank))};
}

static Value castTo(ImplicitLocOpBuilder &b, Value value, Type type) {
  return value.getType() == type
             ? value
             : Value(tensor::CastOp::create(b, type, value));
}

// In one dimension.
static Value flatten(ImplicitLocOpBuilder &b, Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  Type element = type.getElementType();
  if (type.getRank() == 0)
    return tensor::ExpandShapeOp::create(b, RankedTensorType::get({1}, element),
                                         value,
                                         ArrayRef<ReassociationIndices>{});
  if (type.getRank() == 1)
    return value;
  return tensor::CollapseShapeOp::create(b, value, joinAll(type.getRank()));
}

LogicalResult ReshapeAsViews::matchAndRewrite(tensor::ReshapeOp op,
                                              PatternRewriter &rewriter) const {
  auto source = dyn_cast<RankedTensorType>(op.getSource().getType());
  auto type = dyn_cast<RankedTensorType>(op.getType());
  if (!source || !type)
    return rewriter.notifyMatchFailure(op, "expected tensors of known rank");
  ImplicitLocOpBuilder b(op.getLoc(), rewriter);
  int64_t count =
      type.hasStaticShape() ? type.getNumElements() : ShapedType::kDynamic;
  auto flat = RankedTensorType::get({count}, type.getElementType());
  Value value = castTo(b, flatten(b, op.getSource()), flat);
  if (type.getRank() == 0) {
    rewriter.replaceOpWithNewOp<tensor::CollapseShapeOp>(
        op, type, value, ArrayRef<ReassociationIndices>{});
    return success();
  }
  if (type.getRank() == 1) {
    rewriter.replaceOp(op, castTo(b, value, type));
    return success();
  }
  SmallVector<OpFoldResult> sizes;
  for (auto [dim, size] : llvm::enumerate(type.getShape())) {
    if (!ShapedType::isDynamic(size)) {
      sizes.push_back(b.getIndexAttr(size));
      continue;
    }
    Value at = arith::ConstantIndexOp::create(b, dim);
    Value element = tensor::ExtractOp::create(b, op.getShape(), at);
    if (!element.getType().isIndex())
      element = arith::IndexCastOp::create(b, b.getIndexType(), element);
    sizes.push_back(element);
  }
  rewriter.replaceOpWithNewOp<tensor::ExpandShapeOp>(
      op, type, value, joinAll(type.getRank()), sizes);
  return success();
}

void moe::populateReshapeAsViewsPatterns(RewritePatternSet &patterns) {
  patterns.add<ReshapeAsViews>(patterns.getContext());
}
