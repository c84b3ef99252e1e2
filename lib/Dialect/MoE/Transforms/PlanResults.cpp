//===- PlanResults.cpp - What provably comes from a plan ------------------===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "PlanResults.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::moe;

// A tensor, as near to the function's arguments as can be seen, that has as
// many rows as `tensor`.
static Value tokenSource(Value tensor) {
  while (auto result = dyn_cast<OpResult>(tensor)) {
    Value next = llvm::TypeSwitch<Operation *, Value>(result.getOwner())
                     .Case([](RouteOp op) { return op.getLogits(); })
                     .Case([](tensor::CastOp op) { return op.getSource(); })
                     .Case([&](linalg::LinalgOp op) {
                       return op.getDpsInits()[result.getResultNumber()];
                     })
                     .Case([](tensor::EmptyOp op) -> Value {
                       auto size = dyn_cast<Value>(op.getMixedSizes()[0]);
                       auto dim = size ? size.getDefiningOp<tensor::DimOp>()
                                       : tensor::DimOp();
                       return dim && dim.getConstantIndex() == 0
                                  ? dim.getSource()
                                  : Value();
                     })
                     .Default(Value());
    if (!next)
      break;
    tensor = next;
  }
  return tensor;
}

// Whether a size is T·K, for the tokens and choices of `plan`.
static bool isSlotsOf(PlanOp plan, affine::AffineApplyOp size) {
  AffineMap map = size.getAffineMap();
  if (map.getNumInputs() != 1)
    return false;
  AffineExpr tokens = map.getNumDims()
                          ? getAffineDimExpr(0, plan.getContext())
                          : getAffineSymbolExpr(0, plan.getContext());
  auto dim = size.getOperand(0).getDefiningOp<tensor::DimOp>();
  return map.getResult(0) ==
             tokens * plan.getIndices().getType().getDimSize(1) &&
         dim && dim.getConstantIndex() == 0 &&
         tokenSource(dim.getSource()) == tokenSource(plan.getIndices());
}

// Whether a size is the number of rows of `plan`.
static bool isRowsOf(PlanOp plan, OpFoldResult size) {
  auto value = dyn_cast<Value>(size);
  if (auto apply = value ? value.getDefiningOp<affine::AffineApplyOp>()
                         : affine::AffineApplyOp())
    return isSlotsOf(plan, apply);
  auto dim = value ? value.getDefiningOp<tensor::DimOp>() : tensor::DimOp();
  return dim && dim.getConstantIndex() == 0 && hasRowsOf(plan, dim.getSource());
}

// Whether an operand of `op` that has the rows of `plan` shares its first loop
// with `result`.
static bool sharesRowsOf(PlanOp plan, linalg::LinalgOp op, OpResult result) {
  AffineMap map = op.getIndexingMapMatchingResult(result);
  return llvm::any_of(op->getOpOperands(), [&](OpOperand &operand) {
    if (!isa<RankedTensorType>(operand.get().getType()))
      return false;
    AffineMap own = op.getMatchingIndexingMap(&operand);
    return own.getNumResults() && map.getNumResults() &&
           isa<AffineDimExpr>(own.getResult(0)) &&
           own.getResult(0) == map.getResult(0) &&
           hasRowsOf(plan, operand.get());
  });
}

bool moe::hasRowsOf(PlanOp plan, Value tensor) {
  if (tensor == plan.getRowToSlot() || tensor == plan.getRowExpert())
    return true;
  auto type = dyn_cast<RankedTensorType>(tensor.getType());
  if (!type || type.getRank() == 0)
    return false;
  RankedTensorType planned = plan.getRowToSlot().getType();
  if (!type.isDynamicDim(0) && !planned.isDynamicDim(0))
    return type.getDimSize(0) == planned.getDimSize(0);
  auto result = dyn_cast<OpResult>(tensor);
  if (!result)
    return false;
  return llvm::TypeSwitch<Operation *, bool>(result.getOwner())
      .Case([&](DispatchOp op) { return hasRowsOf(plan, op.getRowToSlot()); })
      .Case([&](GroupedMatmulOp op) { return hasRowsOf(plan, op.getLhs()); })
      .Case([&](tensor::CastOp op) { return hasRowsOf(plan, op.getSource()); })
      .Case([&](tensor::EmptyOp op) {
        return isRowsOf(plan, op.getMixedSizes()[0]);
      })
      .Case([&](tensor::SplatOp op) {
        return type.isDynamicDim(0) && isRowsOf(plan, op.getDynamicSizes()[0]);
      })
      .Case([&](tensor::InsertSliceOp op) {
        return hasRowsOf(plan, op.getDest());
      })
      .Case([&](tensor::ExtractSliceOp op) {
        return !op.getDroppedDims().test(0) &&
               isRowsOf(plan, op.getMixedSizes()[0]);
      })
      .Case([&](linalg::LinalgOp op) { return sharesRowsOf(plan, op, result); })
      .Default([&](Operation *op) {
        return OpTrait::hasElementwiseMappableTraits(op) &&
               llvm::any_of(op->getOperands(), [&](Value operand) {
                 return hasRowsOf(plan, operand);
               });
      });
}

// What a value is, apart from how static its type is.
static Value skipCasts(Value tensor) {
  while (auto cast = tensor.getDefiningOp<tensor::CastOp>())
    tensor = cast.getSource();
  return tensor;
}

bool moe::areMapsOfOneOp(Value slotToRow, Value rowToSlot) {
  slotToRow = skipCasts(slotToRow);
  rowToSlot = skipCasts(rowToSlot);
  if (auto plan = slotToRow.getDefiningOp<PlanOp>())
    return slotToRow == plan.getSlotToRow() && rowToSlot == plan.getRowToSlot();
  auto check = slotToRow.getDefiningOp<CheckMapsOp>();
  return check && slotToRow == check.getCheckedSlotToRow() &&
         rowToSlot == check.getCheckedRowToSlot();
}
