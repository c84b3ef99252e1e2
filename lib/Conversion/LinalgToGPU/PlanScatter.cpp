//===- PlanScatter.cpp - The maps between slots and rows ------------------===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "PlanLowering.h"

using namespace mlir;
using namespace mlir::moe;

LogicalResult PlanLowering::scatter() {
  if (!getYieldedResult(kernel, op.getSlotToRow()) &&
      !getYieldedResult(kernel, op.getRowToSlot()))
    return success();
  DispatchBuilder d(program, op.getLoc(), "plan_scatter", workgroup);
  KernelBuilder &b = d.kernel();
  FailureOr<KernelBuffer *> indices = d.read(op.getIndices());
  FailureOr<KernelBuffer *> slotToRow =
      writeIfYielded(d, kernel, op.getSlotToRow());
  FailureOr<KernelBuffer *> rowToSlot =
      writeIfYielded(d, kernel, op.getRowToSlot());
  if (failed(indices) || failed(slotToRow) || failed(rowToSlot))
    return failure();
  KernelBuffer &memory = bindScratch(d, BufferUse::Read);
  Value numChunks = pushChunks(d), numSlots = d.push(slots);

  Value next = makePrivateRow(b);
  Value chunk = b.globalId();
  auto place = [&](Value slot, Value expert) -> Value {
    Value bin = getBin(b, expert);
    Value row = b.load(next, bin);
    b.store(b.add(row, 1), next, bin);
    Value kept = b.ne(bin, b.idx(4 * columns));
    if (*rowToSlot)
      b.ifThen(kept, [&] {
        b.store(b.toI32(slot), (*rowToSlot)->scalars, b.toIndex(row));
      });
    return b.select(kept, row, b.i32(-1));
  };
  b.ifThen(b.lt(chunk, numChunks), [&] {
    Value start =
        chunks == 1 ? b.idx(baseAt) : b.add(b.mul(chunk, columns), histAt);
    forEachPrivateColumn(b, numChunks, [&](Value column) {
      Values four = unpack(b, b.load(memory.vectors, b.add(start, column)));
      for (int64_t i = 0; i < 4; ++i)
        b.store(four[i], next, b.add(b.mul(column, 4), i));
    });
    walk(b, **indices, getChunk(b, chunk, numChunks, numSlots), {},
         [&](Value first, ArrayRef<Value> named, ValueRange) -> Values {
           Values rows;
           for (size_t i = 0; i < named.size(); ++i)
             rows.push_back(place(b.add(first, i), named[i]));
           if (!*slotToRow)
             return {};
           if (rows.size() == 1)
             b.store(rows[0], (*slotToRow)->scalars, first);
           for (size_t i = 0; i + 4 <= rows.size(); i += 4)
             b.store(pack(b, ArrayRef<Value>(rows).slice(i, 4)),
                     (*slotToRow)->vectors, b.add(b.div(first, 4), i / 4));
           return {};
         });
  });
  d.setLabel("plan: scatter");
  d.setWork(nullptr, slots * 12);
  return dispatchChunks(d);
}

// The rows of each expert, and those of none, are one run of equal values.
// Neighbouring invocations fill a run in turns; how many depends on R, so that
// no invocation takes more than 2^14 turns when one expert has all the rows.
LogicalResult PlanLowering::fillRuns() {
  if (!getYieldedResult(kernel, op.getRowToSlot()) &&
      !getYieldedResult(kernel, op.getRowExpert()))
    return success();
  DispatchBuilder d(program, op.getLoc(), "plan_runs", workgroup);
  KernelBuilder &b = d.kernel();
  FailureOr<KernelBuffer *> rowToSlot =
      writeIfYielded(d, kernel, op.getRowToSlot());
  FailureOr<KernelBuffer *> rowExpert =
      writeIfYielded(d, kernel, op.getRowExpert());
  if (failed(rowToSlot) || failed(rowExpert))
    return failure();
  KernelBuffer &memory = bindScratch(d, BufferUse::Read);
  constexpr int64_t rowsAtMost = 1 << 20, fillersOfThem = 16;
  constexpr int64_t turns = rowsAtMost / 4 / fillersOfThem;
  AffineExpr fillers = slots.ceilDiv(rowsAtMost) * fillersOfThem;
  Value numFillers = d.push(fillers), numRows = d.push(slots);
  // Only the run of no expert matters to row_to_slot.
  int64_t firstRun = *rowExpert ? 0 : experts;

  Value run = b.add(b.div(b.globalId(), numFillers), firstRun);
  Value filler = b.rem(b.globalId(), numFillers);
  b.ifThen(b.lt(run, b.idx(experts + 1)), [&] {
    auto getBase = [&](Value expert) {
      return b.toIndex(b.load(memory.scalars, b.add(expert, 4 * baseAt)));
    };
    Value isExpert = b.lt(run, b.idx(experts));
    Value begin = getBase(run),
          next = getBase(b.min(b.add(run, 1), b.idx(experts)));
    auto fill = [&](KernelBuffer *rows, Value value, Value end) {
      if (!rows)
        return;
      // Whole vectors, and up to three rows before and after them.
      Value four = pack(b, {value, value, value, value});
      Value firstVector = b.ceilDiv(begin, 4), endVector = b.div(end, 4);
      b.forLoop(
          b.add(firstVector, filler), endVector, numFillers,
          [&](Value at) { b.store(four, rows->vectors, at); },
          dims.constant(turns));
      Value before = b.add(begin, filler);
      b.ifThen(b.lt(before, b.min(b.mul(firstVector, 4), end)),
               [&] { b.store(value, rows->scalars, before); });
      Value after = b.add(b.max(b.mul(endVector, 4), begin), filler);
      b.ifThen(b.lt(after, end), [&] { b.store(value, rows->scalars, after); });
    };
    fill(*rowExpert, b.select(isExpert, b.toI32(run), b.i32(-1)),
         b.select(isExpert, next, numRows));
    fill(*rowToSlot, b.i32(-1), b.select(isExpert, begin, numRows));
  });
  d.setLabel("plan: runs");
  d.setWork(nullptr, slots * (*rowExpert ? 4 : 0));
  return d.dispatch(
      {{(fillers * (experts + 1 - firstRun)).ceilDiv(workgroup)}});
}
