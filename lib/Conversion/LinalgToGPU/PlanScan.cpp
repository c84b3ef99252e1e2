//===- PlanScan.cpp - Where each chunk finds its rows ---------------------===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "PlanLowering.h"

using namespace mlir;
using namespace mlir::moe;

void PlanLowering::forEachColumn(
    DispatchBuilder &d, function_ref<void(Value, Value, Value, Value)> body) {
  KernelBuilder &b = d.kernel();
  Value numChunks = pushChunks(d);
  Value id = b.globalId();
  b.ifThen(b.lt(id, b.idx(blocks * columns)), [&] {
    Value block = b.div(id, columns), column = b.rem(id, columns);
    Value length = b.mul(b.ceilDiv(numChunks, blocks * rowsAtOnce), rowsAtOnce);
    Value from = b.mul(block, length);
    body(block, column, from, b.min(b.add(from, length), numChunks));
  });
}

LogicalResult PlanLowering::dispatchColumns(DispatchBuilder &d) {
  return d.dispatch(
      {{dims.constant(llvm::divideCeil(blocks * columns, workgroup))}});
}

LogicalResult PlanLowering::sumBlocks() {
  DispatchBuilder d(program, op.getLoc(), "plan_blocks", workgroup);
  KernelBuilder &b = d.kernel();
  KernelBuffer &memory = bindScratch(d, BufferUse::Update);
  forEachColumn(d, [&](Value block, Value column, Value from, Value to) {
    Values sum = b.forLoop(
        from, to, b.idx(rowsAtOnce), {zeros(b)},
        [&](Value group, ValueRange args) -> Values {
          Value sum = args[0];
          for (int64_t i = 0; i < rowsAtOnce; ++i) {
            Value row = b.add(group, i);
            Value at = b.add(b.add(b.mul(row, columns), column), histAt);
            Value four = b.load(memory.vectors, at);
            sum = b.add(sum, b.select(b.lt(row, to), four, zeros(b)));
          }
          return {sum};
        },
        dims.constant(groupsPerBlock()));
    b.store(sum[0], memory.vectors,
            b.add(b.add(b.mul(block, columns), column), sumsAt));
  });
  d.setLabel("plan: scan blocks");
  return dispatchColumns(d);
}

Value PlanLowering::addBlocks(KernelBuilder &b, KernelBuffer &memory,
                              Value count, Value column) {
  return b.forLoop(
      b.idx(0), count, b.idx(1), {zeros(b)},
      [&](Value block, ValueRange args) -> Values {
        Value at = b.add(b.add(b.mul(block, columns), column), sumsAt);
        return {b.add(args[0], b.load(memory.vectors, at))};
      },
      dims.constant(blocks))[0];
}

LogicalResult PlanLowering::scan() {
  DispatchBuilder d(program, op.getLoc(), "plan_scan", workgroup);
  KernelBuilder &b = d.kernel();
  KernelBuffer &memory = bindScratch(d, BufferUse::Update);
  FailureOr<KernelBuffer *> offsets =
      writeIfYielded(d, kernel, op.getOffsets());
  if (failed(offsets))
    return failure();
  Value numChunks = pushChunks(d);

  int64_t share = llvm::divideCeil(columns, workgroup);
  Value first = b.min(b.mul(b.threadId(), share), b.idx(columns));
  Value end = b.min(b.add(first, share), b.idx(columns));
  // Without slots nothing has been counted.
  Value counted = chunks == 1 ? b.min(numChunks, b.idx(1)) : b.idx(blocks);
  Values mine = b.forLoop(
      first, end, b.idx(1), {b.i32(0)},
      [&](Value column, ValueRange args) -> Values {
        Value four = addBlocks(b, memory, counted, column);
        b.store(four, memory.vectors, b.add(column, baseAt));
        Value sum = args[0];
        for (Value value : unpack(b, four))
          sum = b.add(sum, value);
        return {sum};
      },
      dims.constant(share));
  WorkgroupPrefix prefix = getWorkgroupPrefix(
      b, mine[0], b.i32(0), [&](Value x, Value y) { return b.add(x, y); });

  b.forLoop(
      first, end, b.idx(1), {prefix.before},
      [&](Value column, ValueRange args) -> Values {
        Values starts{args[0]};
        for (Value value :
             unpack(b, b.load(memory.vectors, b.add(column, baseAt))))
          starts.push_back(b.add(starts.back(), value));
        b.store(pack(b, ArrayRef<Value>(starts).take_front(4)), memory.vectors,
                b.add(column, baseAt));
        for (int64_t i = 0; i < 4 && *offsets; ++i) {
          Value expert = b.add(b.mul(column, 4), i);
          auto store = [&] { b.store(starts[i], (*offsets)->scalars, expert); };
          if (experts % 4 == 0)
            store();
          else
            b.ifThen(b.lt(expert, b.idx(experts)), store);
        }
        return {starts.back()};
      },
      dims.constant(share));
  b.ifThen(b.eq(b.threadId(), b.idx(0)), [&] {
    // Where E is no multiple of 4, the column above has stored the same.
    if (experts % 4 == 0)
      b.store(prefix.all, memory.scalars, b.idx(4 * baseAt + experts));
    if (*offsets)
      b.store(prefix.all, (*offsets)->scalars, b.idx(experts));
  });
  if (reportsFaults() && failed(reportFault(d, memory, numChunks)))
    return failure();
  d.setLabel("plan: scan");
  return d.dispatch({{dims.constant(1)}});
}

LogicalResult PlanLowering::reportFault(DispatchBuilder &d,
                                        KernelBuffer &memory, Value numChunks) {
  KernelBuilder &b = d.kernel();
  FailureOr<KernelBuffer *> indices = d.read(op.getIndices());
  if (failed(indices))
    return failure();
  KernelBuffer *status =
      d.buffer(BufferUse::Update, program.getStatus(), i32Type);
  int32_t site = program.addFaultSite(
      kernel.getName(), op.getIndices().getType().getDimSize(1),
      ("expected an expert in [0, " + Twine(experts) +
       "), but got {value} at token {token}, slot {choice}")
          .str());
  Values lowest = b.forLoop(
      b.threadId(), numChunks, b.idx(workgroup), {b.i32(noFault)},
      [&](Value chunk, ValueRange args) -> Values {
        Value found = b.load(memory.scalars, b.add(chunk, faultsAt));
        return {b.min(args[0], found)};
      },
      dims.constant(llvm::divideCeil(chunks, workgroup)));
  Value slot =
      getWorkgroupPrefix(b, lowest[0], b.i32(noFault), [&](Value x, Value y) {
        return b.min(x, y);
      }).all;
  Value isFault =
      b.logicalAnd(b.eq(b.threadId(), b.idx(0)), b.ne(slot, b.i32(noFault)));
  b.ifThen(isFault, [&] {
    Value value = b.load((*indices)->scalars, b.toIndex(slot));
    emitFault(b, *status, FaultCode::IndexOutOfRange, site, slot, value);
  });
  return success();
}

LogicalResult PlanLowering::startChunks() {
  DispatchBuilder d(program, op.getLoc(), "plan_starts", workgroup);
  KernelBuilder &b = d.kernel();
  KernelBuffer &memory = bindScratch(d, BufferUse::Update);
  forEachColumn(d, [&](Value block, Value column, Value from, Value to) {
    Value start = b.add(b.load(memory.vectors, b.add(column, baseAt)),
                        addBlocks(b, memory, block, column));
    b.forLoop(
        from, to, b.idx(rowsAtOnce), {start},
        [&](Value group, ValueRange args) -> Values {
          Values at, counted;
          for (int64_t i = 0; i < rowsAtOnce; ++i) {
            at.push_back(
                b.add(b.add(b.mul(b.add(group, i), columns), column), histAt));
            counted.push_back(b.load(memory.vectors, at.back()));
          }
          Value running = args[0];
          for (int64_t i = 0; i < rowsAtOnce; ++i) {
            b.store(running, memory.vectors, at[i]);
            running = b.add(running, counted[i]);
          }
          return {running};
        },
        dims.constant(groupsPerBlock()));
  });
  d.setLabel("plan: scan chunks");
  return dispatchColumns(d);
}
