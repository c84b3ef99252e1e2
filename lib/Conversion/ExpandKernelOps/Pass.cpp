//===- Pass.cpp - Kernel-level ops -> loops on tensors
//---------------------===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "moe/Conversion/ExpandKernelOps.h"
#include "moe/Conversion/Passes.h"

namespace mlir::moe {
#define GEN_PASS_DEF_EXPANDKERNELOPSPASS
#include "moe/Conversion/Passes.h.inc"
} // namespace mlir::moe

using namespace mlir;
using namespace mlir::moe;

namespace {
struct ExpandKernelOpsPass
    : moe::impl::ExpandKernelOpsPassBase<ExpandKernelOpsPass> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    populateExpandKernelOpsPatterns(patterns);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
