//===- InlineKernels.cpp - Dissolves kernels into their function
//-----------===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/PatternMatch.h"
#include "moe/Dialect/MoE/IR/MoE.h"
#include "moe/Dialect/MoE/Transforms/Passes.h"

namespace mlir::moe {
#define GEN_PASS_DEF_INLINEKERNELSPASS
#include "moe/Dialect/MoE/Transforms/Passes.h.inc"
} // namespace mlir::moe

using namespace mlir;
using namespace mlir::moe;

namespace {
struct InlineKernelsPass : moe::impl::InlineKernelsPassBase<InlineKernelsPass> {
  void runOnOperation() override {
    SmallVector<KernelOp> kernels;
    getOperation().walk([&](KernelOp kernel) { kernels.push_back(kernel); });
    IRRewriter rewriter(&getContext());
    for (KernelOp kernel : kernels) {
      Block &body = kernel.getBody().front();
      Operation *yield = body.getTerminator();
      rewriter.inlineBlockBefore(&body, kernel, kernel.getInputs());
      rewriter.replaceOp(kernel, yield->getOperands());
      rewriter.eraseOp(yield);
    }
  }
};
} // namespace
