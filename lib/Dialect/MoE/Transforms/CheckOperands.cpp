//===- CheckOperands.cpp - Inserts the checks that layer ops rely on ------===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// Layer ops trust their operands. Data is checked on the device, by
// moe.check_offsets and moe.check_maps; sizes are compared on the host, which
// cf.assert says. Both are left out where the operands are right by
// construction; a comparison that folds once sizes are resolved disappears with
// the next canonicalization.
//
//===----------------------------------------------------------------------===//

#include "PlanResults.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
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
} // namespace

// The maps of an op that moves rows have one element for each slot.
static void checkMapSizes(SizeChecks &checks, Value slotToRow,
                          Value rowToSlot) {
  checks.expectEqual(checks.dim(rowToSlot, 0), checks.slots(slotToRow),
                     "expected one element of row_to_slot for each slot");
}

static void checkSizes(Operation *operation) {
  SizeChecks checks(operation);
  llvm::TypeSwitch<Operation *>(operation)
      .Case([&](CheckMapsOp op) {
        checkMapSizes(checks, op.getSlotToRow(), op.getRowToSlot());
      })
      .Case([&](DispatchOp op) {
        OpFoldResult tokens = checks.dim(op.getSlotToRow(), 0);
        checks.expectEqual(
            checks.dim(op.getX(), 0), tokens,
            "expected one token of slot_to_row for each row of x");
        checkMapSizes(checks, op.getSlotToRow(), op.getRowToSlot());
        if (Value weights = op.getWeights())
          checks.expectEqual(checks.dim(weights, 0), tokens,
                             "expected one weight for each slot");
      })
      .Case([&](CombineOp op) {
        checks.expectEqual(checks.dim(op.getRows(), 0),
                           checks.slots(op.getSlotToRow()),
                           "expected one row for each slot");
        checkMapSizes(checks, op.getSlotToRow(), op.getRowToSlot());
        if (Value weights = op.getWeights())
          checks.expectEqual(checks.dim(weights, 0),
                             checks.dim(op.getSlotToRow(), 0),
                             "expected one weight for each slot");
      })
      .Case([&](CombineWeightGradOp op) {
        checks.expectEqual(checks.dim(op.getRows(), 0),
                           checks.slots(op.getSlotToRow()),
                           "expected one row for each slot");
        checkMapSizes(checks, op.getSlotToRow(), op.getRowToSlot());
        checks.expectEqual(
            checks.dim(op.getGrad(), 0), checks.dim(op.getSlotToRow(), 0),
            "expected one token of slot_to_row for each row of grad");
      })
      .Case([&](GroupedOuterOp op) {
        checks.expectEqual(op.getLhs(), op.getRhs(),
                           "expected as many rows of rhs as of lhs");
      })
      .Case([&](RouteWeightsOp op) {
        checks.expectEqual(op.getIndices(), op.getLogits(),
                           "expected indices for each row of logits");
      })
      .Case([&](RouteGradOp op) {
        checks.expectEqual(op.getIndices(), op.getLogits(),
                           "expected indices for each row of logits");
        checks.expectEqual(op.getDweights(), op.getIndices(),
                           "expected one gradient for each slot");
      });
}

// Checks are kernels of their own, and there is none inside another.
static LogicalResult checkIsOutside(Operation *op, StringRef what,
                                    StringRef check) {
  if (!op->getParentOfType<KernelOp>())
    return success();
  return op->emitOpError("expected no kernel around an op whose ")
         << what << " must be checked, by '" << check
         << "': kernels are formed behind the checks";
}

namespace {
struct CheckOperandsPass : moe::impl::CheckOperandsPassBase<CheckOperandsPass> {
  void runOnOperation() override {
    offsetsChecks.clear();
    mapsChecks.clear();
    getOperation().walk([](Operation *op) { checkSizes(op); });
    WalkResult result = getOperation().walk([&](Operation *op) {
      return WalkResult(
          llvm::TypeSwitch<Operation *, LogicalResult>(op)
              .Case([&](GroupedMatmulOp product) {
                return checkOffsets(product.getOffsetsMutable(),
                                    product.getLhs());
              })
              .Case([&](GroupedOuterOp outer) {
                return checkOffsets(outer.getOffsetsMutable(), outer.getLhs());
              })
              .Case([&](GroupedReduceOp sums) {
                return checkOffsets(sums.getOffsetsMutable(), sums.getRows());
              })
              .Case<DispatchOp, CombineOp, CombineWeightGradOp>(
                  [&](auto moved) { return checkMaps(moved); })
              .Default(success()));
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }

private:
  LogicalResult checkOffsets(OpOperand &operand, Value rows) {
    Value offsets = operand.get();
    auto plan = offsets.getDefiningOp<PlanOp>();
    auto byHand = offsets.getDefiningOp<CheckOffsetsOp>();
    if ((byHand && byHand.getRows() == rows) ||
        (plan && offsets == plan.getOffsets() && hasRowsOf(plan, rows)))
      return success();
    if (failed(checkIsOutside(operand.getOwner(), "offsets",
                              CheckOffsetsOp::getOperationName())))
      return failure();
    Value &check = offsetsChecks[{offsets, rows}];
    if (!check) {
      OpBuilder builder(operand.getOwner());
      check = CheckOffsetsOp::create(builder, operand.getOwner()->getLoc(),
                                     offsets.getType(), offsets, rows);
    }
    operand.set(check);
    return success();
  }

  template <typename OpTy> LogicalResult checkMaps(OpTy op) {
    Value slotToRow = op.getSlotToRow(), rowToSlot = op.getRowToSlot();
    // A map without choices is empty; one whose number is dynamic is refused by
    // all that could lower the op.
    int64_t choices = op.getSlotToRow().getType().getDimSize(1);
    if (choices == 0 || ShapedType::isDynamic(choices) ||
        areMapsOfOneOp(slotToRow, rowToSlot))
      return success();
    if (failed(checkIsOutside(op, "maps", CheckMapsOp::getOperationName())))
      return failure();
    CheckMapsOp &check = mapsChecks[{slotToRow, rowToSlot}];
    if (!check) {
      OpBuilder builder(op);
      check = CheckMapsOp::create(builder, op.getLoc(), slotToRow, rowToSlot);
    }
    op.getSlotToRowMutable().assign(check.getCheckedSlotToRow());
    op.getRowToSlotMutable().assign(check.getCheckedRowToSlot());
    return success();
  }

  /// One check serves all ops that read the same values.
  DenseMap<std::pair<Value, Value>, Value> offsetsChecks;
  DenseMap<std::pair<Value, Value>, CheckMapsOp> mapsChecks;
};
} // namespace
