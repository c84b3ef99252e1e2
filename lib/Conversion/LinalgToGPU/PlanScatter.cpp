//===- PlanScatter.cpp - The maps between slots and rows ------------------===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "PlanLowering.h"

using namespace mlir;
using namespace mlir::moe;

// Invocations that share the rows of one expert; at least 4.
static constexpr int64_t fillersPerExpert = 16;

LogicalResult PlanLowering::scatter() {
  DispatchBuilder d(program, op.getLoc(), "plan_scatter", workgroup);
  KernelBuilder &b = d.kernel();
  FailureOr<KernelBuffer *> indices = d.read(op.getIndices());
  FailureOr<KernelBuffer *> slotToRow = writeIfYielded(d, kernel, op.getSlotToRow());
  FailureOr<KernelBuffer *> rowToSlot = writeIfYielded(d, kernel, op.getRowToSlot());
  if (failed(indices) || failed(slotToRow) || failed(rowToSlot))
    return failure();
  if (!*slotToRow && !*rowToSlot)
    return success();
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
      b.ifThen(kept, [&] { b.store(b.toI32(slot), (*rowToSlot)->scalars, b.toIndex(row)); });
    return b.select(kept, row, b.i32(-1));
  };
  b.ifThen(b.lt(chunk, numChunks), [&] {
    Value start = chunks == 1 ? b.idx(baseAt) : b.add(b.mul(chunk, columns), histAt);
    b.forLoop(b.idx(0), b.idx(columns), b.idx(1), [&](Value column) {
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
             b.store(pack(b, ArrayRef<Value>(rows).slice(i, 4)), (*slotToRow)->vectors,
                     b.add(b.div(first, 4), i / 4));
           return {};
         });
    // Rows that no slot has.
    if (*rowToSlot) {
      Value kept = b.toIndex(b.load(memory.scalars, b.idx(4 * baseAt + experts)));
      b.forLoop(b.add(kept, chunk), numSlots, numChunks, [&](Value row) {
        b.store(b.i32(-1), (*rowToSlot)->scalars, row);
      });
    }
  });
  d.setLabel("plan: scatter");
  d.setWork(nullptr, slots * 12);
  return dispatchChunks(d);
}

// The rows of each expert, and those of none, are one run of equal values, and
// each run is filled by a few neighbouring invocations in turns.
LogicalResult PlanLowering::fillExperts() {
  Value result = getYieldedResult(kernel, op.getRowExpert());
  if (!result)
    return success();
  DispatchBuilder d(program, op.getLoc(), "plan_experts", workgroup);
  KernelBuilder &b = d.kernel();
  FailureOr<KernelBuffer *> rowExpert = d.write(result);
  if (failed(rowExpert))
    return failure();
  KernelBuffer &memory = bindScratch(d, BufferUse::Read);
  Value numRows = d.push(slots);

  Value run = b.div(b.globalId(), fillersPerExpert);
  Value filler = b.rem(b.globalId(), fillersPerExpert);
  b.ifThen(b.lt(run, b.idx(experts + 1)), [&] {
    auto getBase = [&](Value expert) {
      return b.toIndex(b.load(memory.scalars, b.add(expert, 4 * baseAt)));
    };
    Value isExpert = b.lt(run, b.idx(experts));
    Value from = getBase(run);
    Value to = b.select(isExpert, getBase(b.min(b.add(run, 1), b.idx(experts))), numRows);
    Value value = b.select(isExpert, b.toI32(run), b.i32(-1));
    Value four = pack(b, {value, value, value, value});
    // Whole vectors, and up to three rows before and after them.
    Value firstVector = b.ceilDiv(from, 4), lastVector = b.div(to, 4);
    b.forLoop(b.add(firstVector, filler), lastVector, b.idx(fillersPerExpert),
              [&](Value at) { b.store(four, (*rowExpert)->vectors, at); });
    Value before = b.add(from, filler);
    b.ifThen(b.lt(before, b.min(b.mul(firstVector, 4), to)),
             [&] { b.store(value, (*rowExpert)->scalars, before); });
    Value after = b.add(b.max(b.mul(lastVector, 4), from), filler);
    b.ifThen(b.lt(after, to), [&] { b.store(value, (*rowExpert)->scalars, after); });
  });
  d.setLabel("plan: experts");
  d.setWork(nullptr, slots * 4);
  int64_t fillers = (experts + 1) * fillersPerExpert;
  return d.dispatch({{dims.constant(llvm::divideCeil(fillers, workgroup))}});
}
