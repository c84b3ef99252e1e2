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

namespace {
struct CheckOperandsPass : moe::impl::CheckOperandsPassBase<CheckOperandsPass> {
  void runOnOperation() override {
    // One check serves all products of the same offsets and rows.
    DenseMap<std::pair<Value, Value>, Value> checked;
    SmallVector<GroupedMatmulOp> products;
    getOperation().walk([&](GroupedMatmulOp op) { products.push_back(op); });
    for (GroupedMatmulOp op : products) {
      Operation *source = op.getOffsets().getDefiningOp();
      if (isa_and_present<PlanOp, CheckOffsetsOp>(source))
        continue;
      OpBuilder builder(op);
      Value &check = checked[{op.getOffsets(), op.getLhs()}];
      if (!check)
        check = CheckOffsetsOp::create(builder, op.getLoc(), op.getOffsets().getType(),
                                       op.getOffsets(), op.getLhs());
      op.getOffsetsMutable().assign(check);
    }
  }
};
} // namespace
