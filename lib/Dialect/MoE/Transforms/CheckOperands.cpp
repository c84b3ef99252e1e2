//===- CheckOperands.cpp - Inserts the checks that layer ops rely on ------===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// Layer ops trust their operands. Data is checked on the device, by
// moe.check_offsets; sizes are compared on the host, which cf.assert says. Both
// are left out where the operands are right by construction; a comparison that
// folds once sizes are resolved disappears with the next canonicalization.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "moe/Dialect/MoE/IR/MoE.h"
#include "moe/Dialect/MoE/Transforms/Passes.h"
#include "llvm/ADT/TypeSwitch.h"

namespace mlir::moe {
#define GEN_PASS_DEF_CHECKOPERANDSPASS
#include "moe/Dialect/MoE/Transforms/Passes.h.inc"
} // namespace mlir::moe

using namespace mlir;
using namespace mlir::moe;

static bool hasRowsOf(PlanOp plan, Value tensor);

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

// Whether `tensor` provably has one row for each slot of `plan`.
static bool hasRowsOf(PlanOp plan, Value tensor) {
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

namespace {
/// Compares sizes before one op.
class SizeChecks {
public:
  explicit SizeChecks(Operation *op) : b(op->getLoc(), op) {}

  OpFoldResult dim(Value tensor, int64_t dim) {
    return tensor::getMixedSize(b, b.getLoc(), tensor, dim);
  }
  // The number of slots that `slotToRow` has.
  OpFoldResult slots(Value slotToRow) {
    AffineExpr tokens = b.getAffineSymbolExpr(0),
               choices = b.getAffineSymbolExpr(1);
    return affine::makeComposedFoldedAffineApply(
        b, b.getLoc(), tokens * choices,
        {dim(slotToRow, 0), dim(slotToRow, 1)});
  }
  // As many rows.
  void expectEqual(Value left, Value right, StringRef message) {
    expectEqual(dim(left, 0), dim(right, 0), message);
  }
  void expectEqual(OpFoldResult left, OpFoldResult right, StringRef message) {
    if (isEqualConstantIntOrValue(left, right))
      return;
    Value a = getValueOrCreateConstantIndexOp(b, b.getLoc(), left);
    Value c = getValueOrCreateConstantIndexOp(b, b.getLoc(), right);
    Value equal = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, a, c);
    cf::AssertOp::create(b, equal, message);
  }

private:
  ImplicitLocOpBuilder b;
};

struct CheckOperandsPass : moe::impl::CheckOperandsPassBase<CheckOperandsPass> {
  void runOnOperation() override {
    checked.clear();
    getOperation().walk([&](DispatchOp op) {
      SizeChecks checks(op);
      OpFoldResult tokens = checks.dim(op.getSlotToRow(), 0);
      checks.expectEqual(checks.dim(op.getX(), 0), tokens,
                         "expected one token of slot_to_row for each row of x");
      checks.expectEqual(checks.dim(op.getRowToSlot(), 0),
                         checks.slots(op.getSlotToRow()),
                         "expected one element of row_to_slot for each slot");
      if (Value weights = op.getWeights())
        checks.expectEqual(checks.dim(weights, 0), tokens,
                           "expected one weight for each slot");
    });
    getOperation().walk([&](CombineOp op) {
      SizeChecks checks(op);
      OpFoldResult slots = checks.slots(op.getSlotToRow());
      checks.expectEqual(checks.dim(op.getRows(), 0), slots,
                         "expected one row for each slot");
      checks.expectEqual(checks.dim(op.getRowToSlot(), 0), slots,
                         "expected one element of row_to_slot for each slot");
      if (Value weights = op.getWeights())
        checks.expectEqual(checks.dim(weights, 0),
                           checks.dim(op.getSlotToRow(), 0),
                           "expected one weight for each slot");
    });
    getOperation().walk([&](CombineWeightGradOp op) {
      SizeChecks checks(op);
      OpFoldResult slots = checks.slots(op.getSlotToRow());
      checks.expectEqual(checks.dim(op.getRows(), 0), slots,
                         "expected one row for each slot");
      checks.expectEqual(checks.dim(op.getRowToSlot(), 0), slots,
                         "expected one element of row_to_slot for each slot");
      checks.expectEqual(
          checks.dim(op.getGrad(), 0), checks.dim(op.getSlotToRow(), 0),
          "expected one token of slot_to_row for each row of grad");
    });
    getOperation().walk([&](GroupedOuterOp op) {
      SizeChecks(op).expectEqual(op.getLhs(), op.getRhs(),
                                 "expected as many rows of rhs as of lhs");
    });
    getOperation().walk([&](RouteWeightsOp op) {
      SizeChecks(op).expectEqual(op.getIndices(), op.getLogits(),
                                 "expected indices for each row of logits");
    });
    getOperation().walk([&](RouteGradOp op) {
      SizeChecks(op).expectEqual(op.getIndices(), op.getLogits(),
                                 "expected indices for each row of logits");
      SizeChecks(op).expectEqual(op.getDweights(), op.getIndices(),
                                 "expected one gradient for each slot");
    });
    getOperation().walk([&](Operation *op) {
      if (auto product = dyn_cast<GroupedMatmulOp>(op))
        checkOffsets(product.getOffsetsMutable(), product.getLhs());
      else if (auto outer = dyn_cast<GroupedOuterOp>(op))
        checkOffsets(outer.getOffsetsMutable(), outer.getLhs());
      else if (auto sums = dyn_cast<GroupedReduceOp>(op))
        checkOffsets(sums.getOffsetsMutable(), sums.getRows());
    });
  }

private:
  void checkOffsets(OpOperand &operand, Value rows) {
    Value offsets = operand.get();
    auto plan = offsets.getDefiningOp<PlanOp>();
    if (offsets.getDefiningOp<CheckOffsetsOp>() ||
        (plan && offsets == plan.getOffsets() && hasRowsOf(plan, rows)))
      return;
    Value &check = checked[{offsets, rows}];
    if (!check) {
      OpBuilder builder(operand.getOwner());
      check = CheckOffsetsOp::create(builder, operand.getOwner()->getLoc(),
                                     offsets.getType(), offsets, rows);
    }
    operand.set(check);
  }

  /// One check serves all products of the same offsets and rows.
  DenseMap<std::pair<Value, Value>, Value> checked;
};
} // namespace
