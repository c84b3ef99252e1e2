//===- ExpandPlan.cpp - moe.plan -> loops on tensors ----------------------===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// Counts the slots of each expert, adds the counts up, and walks the slots a
// second time: each takes the next row of its expert.
//
//===----------------------------------------------------------------------===//

#include "ExpandBuilder.h"
#include "moe/Conversion/ExpandKernelOps.h"

using namespace mlir;
using namespace mlir::moe;

LogicalResult moe::expandPlan(RewriterBase &rewriter, PlanOp op) {
  ExpandBuilder b(op.getLoc(), rewriter);
  using Values = ExpandBuilder::Values;
  Value indices = op.getIndices();
  int32_t experts = op.getExperts();
  Value tokens = b.size(indices, 0), choices = b.size(indices, 1);
  Value slots = b.mul(tokens, choices), numExperts = b.idx(experts),
        one = b.idx(1);

  // Calls `body` for each slot whose index is an expert, in order.
  auto forEachKept = [&](ValueRange inits,
                         function_ref<Values(Value token, Value choice,
                                             Value expert, ValueRange)>
                             body) {
    return b.forLoop(tokens, inits, [&](Value token, ValueRange outer) {
      return b.forLoop(choices, outer, [&](Value choice, ValueRange args) {
        Value expert = b.extract(indices, {token, choice});
        Value kept =
            b.both(b.ge(expert, b.i32(0)), b.lt(expert, b.i32(experts)));
        return b.ifThen(kept, args, [&] {
          return body(token, choice, b.toIndex(expert), args);
        });
      });
    });
  };

  Value counts = b.filled(ArrayRef<int64_t>{experts}, b.i32(0));
  counts = forEachKept(
      counts, [&](Value, Value, Value expert, ValueRange args) -> Values {
        Value count = b.add(b.extract(args[0], expert), b.i32(1));
        return {b.insert(count, args[0], expert)};
      })[0];

  Value offsets =
      b.filled(op.getOffsets().getType(), b.add(numExperts, one), b.i32(0));
  Value next = b.filled(ArrayRef<int64_t>{experts}, b.i32(0));
  Values prefix =
      b.forLoop(numExperts, {offsets, next, b.i32(0)},
                [&](Value expert, ValueRange args) -> Values {
                  Value end = b.add(args[2], b.extract(counts, expert));
                  return {b.insert(end, args[0], b.add(expert, one)),
                          b.insert(args[2], args[1], expert), end};
                });

  Value none = b.i32(-1);
  Values sorted = forEachKept(
      {prefix[1],
       b.filled(op.getSlotToRow().getType(), {tokens, choices}, none),
       b.filled(op.getRowToSlot().getType(), slots, none),
       b.filled(op.getRowExpert().getType(), slots, none)},
      [&](Value token, Value choice, Value expert, ValueRange args) -> Values {
        Value row = b.extract(args[0], expert), rowIndex = b.toIndex(row);
        Value slot = b.add(b.mul(token, choices), choice);
        return {b.insert(b.add(row, b.i32(1)), args[0], expert),
                b.insert(row, args[1], {token, choice}),
                b.insert(b.toI32(slot), args[2], rowIndex),
                b.insert(b.toI32(expert), args[3], rowIndex)};
      });
  rewriter.replaceOp(op, {prefix[0], sorted[1], sorted[2], sorted[3]});
  return success();
}
