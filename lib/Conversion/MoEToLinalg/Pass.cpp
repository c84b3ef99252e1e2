//===- Pass.cpp - The pass from moe to linalg ------------------------------===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "moe/Conversion/MoEToLinalg.h"
#include "moe/Conversion/Passes.h"
#include "moe/Dialect/MoE/IR/Decompose.h"
#include "moe/Dialect/MoE/IR/MoE.h"

namespace mlir::moe {
#define GEN_PASS_DEF_CONVERTMOETOLINALGPASS
#include "moe/Conversion/Passes.h.inc"
} // namespace mlir::moe

using namespace mlir;
using namespace mlir::moe;

// Applies the patterns without folding or simplifying what they leave: the
// forms they build are read by later stages.
static LogicalResult apply(Operation *op, RewritePatternSet &&patterns) {
  GreedyRewriteConfig config;
  config.enableFolding(false).setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
  return applyPatternsGreedily(op, std::move(patterns), config);
}

namespace {
struct ConvertMoEToLinalgPass : moe::impl::ConvertMoEToLinalgPassBase<ConvertMoEToLinalgPass> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    populateCombineToLinalgPatterns(patterns);
    populateCombineWeightGradToLinalgPatterns(patterns);
    populateDecomposeRoutePatterns(patterns);
    populateDispatchToLinalgPatterns(patterns);
    populateGroupedMatmulToLinalgPatterns(patterns);
    populateGroupedOuterToLinalgPatterns(patterns);
    populateGroupedReduceToLinalgPatterns(patterns);
    populateTileMatmulPatterns(patterns);
    if (failed(apply(getOperation(), std::move(patterns))))
      return signalPassFailure();
    WalkResult left = getOperation().walk([](Operation *op) {
      if (!isa<CombineOp, DispatchOp, GroupedMatmulOp>(op))
        return WalkResult::advance();
      op->emitOpError("cannot be lowered to linalg: expected f32, or a kernel without a "
                      "schedule of tiles, but got ")
          << op->getResult(0).getType();
      return WalkResult::interrupt();
    });
    if (left.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace
