//===- NormalizeOps.cpp - Brings ops to the forms kernels are made of ------===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/Transforms/Transforms.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "moe/Dialect/MoE/IR/Decompose.h"
#include "moe/Dialect/MoE/IR/MoE.h"
#include "moe/Dialect/MoE/Transforms/Passes.h"

namespace mlir::moe {
#define GEN_PASS_DEF_NORMALIZEOPSPASS
#include "moe/Dialect/MoE/Transforms/Passes.h.inc"
} // namespace mlir::moe

using namespace mlir;
using namespace mlir::moe;

// A product that the matmul family takes: f32, plain or transposed operands,
// static reduced and output widths.
static bool isTileProduct(linalg::MatmulOp op) {
  if (op.hasUserDefinedMaps())
    for (AffineMap map : op.getIndexingMapsArray())
      if (map.getNumResults() != 2 || !map.isProjectedPermutation())
        return false;
  AffineMap output = op.getIndexingMapsArray().back();
  if (output.getDimPosition(0) != 0 || output.getDimPosition(1) != 1)
    return false;
  for (Value operand : op->getOperands())
    if (!getElementTypeOrSelf(operand.getType()).isF32())
      return false;
  SmallVector<int64_t, 4> loops = op.getStaticLoopRanges();
  return !ShapedType::isDynamic(loops[1]) && !ShapedType::isDynamic(loops[2]);
}

namespace {
struct GeneralizeNamed final : OpInterfaceRewritePattern<linalg::LinalgOp> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;

  LogicalResult matchAndRewrite(linalg::LinalgOp op, PatternRewriter &rewriter) const override {
    if (isa<linalg::GenericOp, linalg::FillOp>(op))
      return failure();
    if (auto product = dyn_cast<linalg::MatmulOp>(*op); product && isTileProduct(product))
      return failure();
    return linalg::generalizeNamedOp(rewriter, op);
  }
};

struct DecomposeSoftmax final : OpRewritePattern<linalg::SoftmaxOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(linalg::SoftmaxOp op, PatternRewriter &rewriter) const override {
    FailureOr<SmallVector<Value>> results = op.decomposeOperation(rewriter);
    if (failed(results))
      return rewriter.notifyMatchFailure(op, "cannot be decomposed");
    rewriter.replaceOp(op, *results);
    return success();
  }
};

struct NormalizeOpsPass : moe::impl::NormalizeOpsPassBase<NormalizeOpsPass> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<DecomposeSoftmax, GeneralizeNamed>(&getContext());
    linalg::populateElementwiseToLinalgConversionPatterns(patterns);
    populateDecomposeRoutePatterns(patterns);
    // Sizes come from the arguments, so that no op lives on for its size alone.
    memref::populateResolveRankedShapedTypeResultDimsPatterns(patterns);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
