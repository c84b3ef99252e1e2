//===- Pass.cpp - The pass from moe to linalg
//------------------------------===//
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
  config.enableFolding(false).setRegionSimplificationLevel(
      GreedySimplifyRegionLevel::Disabled);
  return applyPatternsGreedily(op, std::move(patterns), config);
}

// A product that is scheduled as tiles reads their table, its kernel's last
// input.
static LogicalResult checkTable(GroupedMatmulOp op) {
  auto kernel = dyn_cast<KernelOp>(op->getParentOp());
  if (!kernel || !kernel.getSchedule() ||
      kernel.getSchedule()->getFamily() != Family::Matmul)
    return success();
  auto type =
      kernel.getInputs().empty()
          ? RankedTensorType()
          : dyn_cast<RankedTensorType>(kernel.getInputs().back().getType());
  if (type && type.getRank() == 2 && type.getDimSize(1) == 3 &&
      type.getElementType().isInteger(32))
    return success();
  return op.emitOpError(
      "expected the last input of its kernel to be a table of tiles, but got "
      "another: run --moe-materialize-tiles first");
}

namespace {
struct ConvertMoEToLinalgPass
    : moe::impl::ConvertMoEToLinalgPassBase<ConvertMoEToLinalgPass> {
  void runOnOperation() override {
    WalkResult tables = getOperation().walk([](GroupedMatmulOp op) {
      return failed(checkTable(op)) ? WalkResult::interrupt()
                                    : WalkResult::advance();
    });
    if (tables.wasInterrupted())
      return signalPassFailure();
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
      op->emitOpError("has no form in linalg: expected a static number of "
                      "slots per token, and "
                      "f32 under a schedule of tiles, but got (")
          << op->getOperandTypes() << ")";
      return WalkResult::interrupt();
    });
    if (left.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace
