//===- CheckOperands.cpp - Inserts moe.check_offsets -----------------------===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "moe/Dialect/MoE/IR/MoE.h"
#include "moe/Dialect/MoE/Transforms/Passes.h"

namespace mlir::moe {
#define GEN_PASS_DEF_CHECKOPERANDSPASS
#include "moe/Dialect/MoE/Transforms/Passes.h.inc"
} // namespace mlir::moe

using namespace mlir;
using namespace mlir::moe;

using Checked = DenseMap<std::pair<Value, Value>, Value>;

static void check(OpOperand &offsets, Value rows, Checked &checked) {
  if (isa_and_present<PlanOp, CheckOffsetsOp>(offsets.get().getDefiningOp()))
    return;
  OpBuilder builder(offsets.getOwner());
  Value &result = checked[{offsets.get(), rows}];
  if (!result)
    result = CheckOffsetsOp::create(builder, offsets.getOwner()->getLoc(), offsets.get().getType(),
                                    offsets.get(), rows);
  offsets.set(result);
}

namespace {
struct CheckOperandsPass : moe::impl::CheckOperandsPassBase<CheckOperandsPass> {
  void runOnOperation() override {
    // One check serves all products of the same offsets and rows.
    Checked checked;
    getOperation().walk([&](Operation *op) {
      if (auto matmul = dyn_cast<GroupedMatmulOp>(op))
        check(matmul.getOffsetsMutable(), matmul.getLhs(), checked);
      else if (auto outer = dyn_cast<GroupedOuterOp>(op))
        check(outer.getOffsetsMutable(), outer.getLhs(), checked);
      else if (auto reduce = dyn_cast<GroupedReduceOp>(op))
        check(reduce.getOffsetsMutable(), reduce.getRows(), checked);
    });
  }
};
} // namespace
