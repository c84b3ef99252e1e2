//===- GroupedOuter.cpp - The slow form of moe.grouped_outer
//---------------===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// result[e, m, n] = init[e, m, n]
//                 + Σ_r (offsets[e] ≤ r < offsets[e + 1] ? lhs[r, m] · rhs[r,
//                 n] : 0)
//
// The reference that fast forms are compared with: every expert looks at every
// row.
//
//===----------------------------------------------------------------------===//

#include "moe/Conversion/GenericBuilder.h"
#include "moe/Conversion/MoEToLinalg.h"
#include "moe/Dialect/MoE/IR/MoE.h"

using namespace mlir;
using namespace mlir::moe;

// `value`, with elements of another float type.
static Value convert(ImplicitLocOpBuilder &b, Value value,
                     RankedTensorType to) {
  if (value.getType() == to)
    return value;
  AffineMap identity = b.getMultiDimIdentityMap(to.getRank());
  return createGeneric(
      b, {value}, {identity}, emptyLike(b, to, {}), to.getRank(),
      [&](ImplicitLocOpBuilder &body, ValueRange args) {
        return fromF32(body, toF32(body, args[0]), to.getElementType());
      });
}

namespace {
struct GroupedOuterToLinalg final : OpRewritePattern<GroupedOuterOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(GroupedOuterOp op,
                                PatternRewriter &rewriter) const override {
    if (auto kernel = op->getParentOfType<KernelOp>();
        kernel && kernel.getSchedule() &&
        kernel.getSchedule()->getFamily() == Family::Outer)
      return rewriter.notifyMatchFailure(op,
                                         "its kernel is scheduled as tiles");
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    RankedTensorType type = op.getType();
    auto wide = cast<RankedTensorType>(type.clone(b.getF32Type()));
    Value init =
        op.getInit() ? convert(b, op.getInit(), wide) : zeros(b, wide, {});
    AffineExpr e, m, n, r;
    bindDims(b.getContext(), e, m, n, r);
    SmallVector<AffineMap> maps{
        AffineMap::get(4, 0, {r, m}, b.getContext()),
        AffineMap::get(4, 0, {r, n}, b.getContext()),
        AffineMap::get(4, 0, {e, m, n}, b.getContext())};
    Value sum =
        createSum(b, {op.getLhs(), op.getRhs()}, init, maps,
                  [&](ImplicitLocOpBuilder &body, ValueRange args) {
                    Value inside = isInSegment(body, op.getOffsets(), 0, 3);
                    Value term = arith::MulFOp::create(
                        body, toF32(body, args[0]), toF32(body, args[1]));
                    return selectOrZero(body, inside, term);
                  });
    rewriter.replaceOp(op, convert(b, sum, type));
    return success();
  }
};
} // namespace

void moe::populateGroupedOuterToLinalgPatterns(RewritePatternSet &patterns) {
  patterns.add<GroupedOuterToLinalg>(patterns.getContext());
}
