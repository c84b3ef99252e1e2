//===- FuseElementwise.cpp - Elementwise ops that fit one kernel ----------===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "KernelContents.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "moe/Dialect/MoE/Transforms/Passes.h"

namespace mlir::moe {
#define GEN_PASS_DEF_FUSEELEMENTWISEPASS
#include "moe/Dialect/MoE/Transforms/Passes.h.inc"
} // namespace mlir::moe

using namespace mlir;
using namespace mlir::moe;

// The buffers that the kernel of `consumer` binds once `producer`, which only
// it reads, is a part of it.
static unsigned countBuffers(linalg::GenericOp producer,
                             linalg::GenericOp consumer) {
  KernelContents contents;
  contents.add(producer, /*fuseDispatch=*/false);
  contents.add(consumer, /*fuseDispatch=*/false);
  return consumer.getNumResults() +
         llvm::count_if(contents.inputs, [](Value input) {
           return isa<RankedTensorType>(input.getType());
         });
}

namespace {
struct FuseElementwisePass
    : moe::impl::FuseElementwisePassBase<FuseElementwisePass> {
  using Base::Base;

  void runOnOperation() override {
    MLIRContext *context = &getContext();
    linalg::ControlFusionFn control = [&](OpOperand *operand) {
      Operation *producer = operand->get().getDefiningOp();
      return producer && producer->hasOneUse() && fits(producer, *operand);
    };
    RewritePatternSet patterns(context);
    linalg::populateElementwiseOpsFusionPatterns(patterns, control);
    // Reshapes between two ops would keep them apart.
    linalg::populateFoldReshapeOpsByExpansionPatterns(patterns, control);
    tensor::populateBubbleUpExpandShapePatterns(patterns);
    linalg::populateConstantFoldLinalgOperations(patterns, control);
    affine::AffineApplyOp::getCanonicalizationPatterns(patterns, context);
    linalg::GenericOp::getCanonicalizationPatterns(patterns, context);
    tensor::ExpandShapeOp::getCanonicalizationPatterns(patterns, context);
    tensor::CollapseShapeOp::getCanonicalizationPatterns(patterns, context);
    context->getLoadedDialect<linalg::LinalgDialect>()
        ->getCanonicalizationPatterns(patterns);
    // Where it ends early, ops are left unfused.
    (void)applyPatternsGreedily(getOperation(), std::move(patterns),
                                GreedyRewriteConfig().setUseTopDownTraversal());
  }

  // Whether the kernel of both would bind no more than the device allows.
  bool fits(Operation *op, OpOperand &operand) {
    auto producer = dyn_cast<linalg::GenericOp>(op);
    auto consumer = dyn_cast<linalg::GenericOp>(operand.getOwner());
    // What no buffer can hold is a part of the consumer's kernel anyway.
    return !producer || !consumer || isPredicate(producer) ||
           countBuffers(producer, consumer) <= maxStorageBuffers;
  }
};
} // namespace
