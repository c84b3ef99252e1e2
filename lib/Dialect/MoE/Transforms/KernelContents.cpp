//===- KernelContents.cpp - What goes into a kernel -----------------------===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "KernelContents.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "moe/Dialect/MoE/IR/MoE.h"

using namespace mlir;
using namespace mlir::moe;

bool moe::isKernelView(Operation *op) {
  DenseElementsAttr constant;
  if (matchPattern(op, m_Constant(&constant)))
    return constant.isSplat();
  return isa<tensor::EmptyOp, tensor::CastOp, tensor::ExtractSliceOp,
             tensor::ExpandShapeOp, tensor::CollapseShapeOp,
             tensor::InsertSliceOp, tensor::SplatOp, linalg::FillOp>(op);
}

bool moe::isKernelRoot(Operation *op) {
  return isa<linalg::LinalgOp, RouteOp, PlanOp, CheckMapsOp, CheckOffsetsOp,
             DispatchOp, GroupedMatmulOp, GroupedOuterOp, GroupedReduceOp,
             CombineOp, CombineWeightGradOp>(op) &&
         op->getNumResults() != 0 && !isKernelView(op);
}

bool moe::isStorable(Type type) {
  Type element = getElementTypeOrSelf(type);
  return element.isF32() || element.isSignlessInteger(32);
}

bool moe::isPredicate(Operation *op) {
  auto generic = dyn_cast<linalg::GenericOp>(op);
  return generic && generic.getNumParallelLoops() == generic.getNumLoops() &&
         llvm::none_of(generic.getResultTypes(), isStorable);
}

bool moe::readsBuffers(Operation *op) {
  return isa<RouteOp, PlanOp, CheckMapsOp, CheckOffsetsOp>(op);
}

bool moe::movesIntoKernel(Operation *producer, Operation *consumer,
                          bool fuseDispatch) {
  if (readsBuffers(consumer))
    return false;
  if (isKernelView(producer))
    return true;
  // Rows are gathered while the product reads them. The gather costs an index
  // a row, so also where two products share it.
  if (fuseDispatch && isa<DispatchOp>(producer) &&
      isa<GroupedMatmulOp>(consumer))
    return true;
  return isPredicate(producer) &&
         (isa<linalg::LinalgOp>(consumer) || isKernelView(consumer));
}

// Scalars are computed anew by each kernel that needs them, from the sizes of
// tensors outside.
static bool fusesScalar(Operation *producer) {
  return isMemoryEffectFree(producer) && producer->getNumRegions() == 0 &&
         !isa<tensor::DimOp>(producer);
}

void KernelContents::add(Operation *op, bool fuseDispatch) {
  auto need = [&](Value value) {
    Operation *producer = value.getDefiningOp();
    if (producer && ops.contains(producer))
      return;
    bool scalar = !isa<RankedTensorType>(value.getType());
    if (producer && (scalar ? fusesScalar(producer)
                            : movesIntoKernel(producer, op, fuseDispatch)))
      add(producer, fuseDispatch);
    else
      inputs.insert(value);
  };
  op->walk([&](Operation *inner) {
    for (Value operand : inner->getOperands())
      if (!op->isAncestor(operand.getParentRegion()->getParentOp()))
        need(operand); // not defined inside the op
  });
  ops.insert(op);
}
