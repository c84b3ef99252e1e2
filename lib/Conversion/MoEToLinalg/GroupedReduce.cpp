//===- GroupedReduce.cpp - moe.grouped_reduce -> linalg.generic
//------------===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// result[e, n] = Σ_r (offsets[e] ≤ r < offsets[e + 1] ? rows[r, n] : 0)
//
//===----------------------------------------------------------------------===//

#include "moe/Conversion/GenericBuilder.h"
#include "moe/Conversion/MoEToLinalg.h"
#include "moe/Dialect/MoE/IR/MoE.h"

using namespace mlir;
using namespace mlir::moe;

namespace {
struct GroupedReduceToLinalg final : OpRewritePattern<GroupedReduceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(GroupedReduceOp op,
                                PatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    AffineExpr e, n, r;
    bindDims(b.getContext(), e, n, r);
    SmallVector<AffineMap> maps{AffineMap::get(3, 0, {r, n}, b.getContext()),
                                AffineMap::get(3, 0, {e, n}, b.getContext())};
    Value sum =
        createSum(b, {op.getRows()}, zeros(b, op.getType(), {}), maps,
                  [&](ImplicitLocOpBuilder &body, ValueRange args) {
                    Value inside = isInSegment(body, op.getOffsets(), 0, 2);
                    return selectOrZero(body, inside, toF32(body, args[0]));
                  });
    rewriter.replaceOp(op, sum);
    return success();
  }
};
} // namespace

void moe::populateGroupedReduceToLinalgPatterns(RewritePatternSet &patterns) {
  patterns.add<GroupedReduceToLinalg>(patterns.getContext());
}
