//===- ExpandCheckOffsets.cpp - moe.check_offsets -> a loop on tensors ----===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// checked[0] = 0; checked[e] = offsets[e], held between checked[e - 1] and R.
// This file also collects the patterns of all kernel-level ops.
//
//===----------------------------------------------------------------------===//

#include "ExpandBuilder.h"
#include "moe/Conversion/ExpandKernelOps.h"

using namespace mlir;
using namespace mlir::moe;

LogicalResult moe::expandCheckOffsets(RewriterBase &rewriter,
                                      CheckOffsetsOp op) {
  ExpandBuilder b(op.getLoc(), rewriter);
  using Values = ExpandBuilder::Values;
  Value elements = b.size(op.getOffsets(), 0),
        rows = b.toI32(b.size(op.getRows(), 0));
  Value zeros = b.filled(op.getChecked().getType(), elements, b.i32(0));
  Values checked =
      b.forLoop(b.idx(1), elements, b.idx(1), {zeros, b.i32(0)},
                [&](Value element, ValueRange args) -> Values {
                  Value offset = b.extract(op.getOffsets(), element);
                  Value raised = arith::MaxSIOp::create(b, offset, args[1]);
                  Value held = arith::MinSIOp::create(b, raised, rows);
                  return {b.insert(held, args[0], element), held};
                });
  rewriter.replaceOp(op, checked[0]);
  return success();
}

namespace {
template <typename OpTy, LogicalResult (*expand)(RewriterBase &, OpTy)>
struct Expand final : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;
  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    return expand(rewriter, op);
  }
};
} // namespace

void moe::populateExpandKernelOpsPatterns(RewritePatternSet &patterns) {
  patterns.add<Expand<CheckMapsOp, expandCheckMaps>,
               Expand<CheckOffsetsOp, expandCheckOffsets>,
               Expand<PlanOp, expandPlan>, Expand<RouteOp, expandRoute>,
               Expand<TilesOp, expandTiles>>(patterns.getContext());
}
