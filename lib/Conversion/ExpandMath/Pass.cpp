//===- Pass.cpp - Ops of math and arith from exact arithmetic -------------===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "MathBuilder.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"
#include "moe/Conversion/Passes.h"

namespace mlir::moe {
#define GEN_PASS_DEF_EXPANDMATHPASS
#include "moe/Conversion/Passes.h.inc"
} // namespace mlir::moe

using namespace mlir;
using namespace mlir::moe;

namespace {
struct ExpandMathPass : moe::impl::ExpandMathPassBase<ExpandMathPass> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    populateClassPatterns(patterns);
    populateConstantZeroPatterns(patterns);
    populateErrorFunctionPatterns(patterns);
    populateExponentialPatterns(patterns);
    populateFmaPatterns(patterns);
    populateHyperbolicPatterns(patterns);
    populateIntegerPatterns(patterns);
    populateInverseTrigonometricPatterns(patterns);
    populateLogarithmPatterns(patterns);
    populatePowerPatterns(patterns);
    populateRemainderPatterns(patterns);
    populateTrigonometricPatterns(patterns);
    // Each op once: what it becomes needs no further expansion.
    walkAndApplyPatterns(getOperation(), std::move(patterns));
  }
};
} // namespace
