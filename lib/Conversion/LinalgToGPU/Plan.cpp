//===- Plan.cpp - The stable counting sort of the slots -------------------===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// The R slots are cut into P chunks, each walked in order by one invocation, so
// no step needs an atomic and the order is stable by construction:
//
//   count    hist[p][e] = slots of chunk p that name expert e; the first bad one
//   blocks   sums[b][e] = Σ hist[p][e] over the chunks of block b
//   offsets  base[e]    = offsets[e] = Σ of all sums of the experts before e
//   starts   hist[p][e] = base[e] + Σ of hist[p'][e] over the chunks before p
//   scatter  walks the chunks again: a slot's row is hist[p][e]++
//
// Cost. On lavapipe a load or store of 8 lanes takes 150–350 cycles whatever its
// width, and arithmetic next to nothing, so what counts is memory operations
// per slot: count needs 2¼ (a quarter of a load of four indices, and the
// increment), scatter 4½. The three steps between touch P·E counters, four to
// an operation: with P = 2048 that is a quarter of R·E / 64 operations and
// stays below the cost of the slots while R ≥ 64·P·E / 32. The histogram is
// [P][E], not [E][P]: an invocation's row is a few cache lines, where columns
// P words apart would hit the same cache sets; and the steps between read
// whole vectors of experts either way.
//
// `chunks = 1` is the one-thread form: then the histogram is one row, and the
// steps between are a prefix over the experts.
//
//===----------------------------------------------------------------------===//

#include "Families.h"
#include "KernelResults.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::moe;

// Chunks shorter than this cost more in counters than they save.
static constexpr int64_t slotsPerChunk = 64;
// Blocks of chunks; their sums are added by every invocation of `starts`.
static constexpr int64_t maxBlocks = 32;
// Rows of the histogram that are loaded before the first is used.
static constexpr int64_t rowsAtOnce = 4;
static constexpr int32_t noFault = std::numeric_limits<int32_t>::max();

namespace {
class PlanLowering {
public:
  PlanLowering(KernelOp kernel, PlanOp op, ProgramBuilder &program)
      : kernel(kernel), op(op), program(program), dims(program.dims()),
        experts(op.getExperts()), columns(llvm::divideCeil(experts, 4)),
        workgroup(kernel.getSchedule()->getWorkgroup()),
        chunks(std::max<int64_t>(1, kernel.getSchedule()->getChunks())),
        blocks(std::min(chunks, maxBlocks)),
        i32Type(IntegerType::get(op.getContext(), 32)) {}

  LogicalResult run();

private:
  /// Slots [begin, end) of a chunk. `begin` is a multiple of 4.
  struct Chunk {
    Value begin, end;
  };
  using SlotsBody = function_ref<SmallVector<Value>(Value first, ArrayRef<Value> experts,
                                                    ValueRange args)>;

  LogicalResult count();
  LogicalResult sumBlocks();
  LogicalResult prefixExperts();
  LogicalResult startChunks();
  LogicalResult scatter();

  Value pushChunks(DispatchBuilder &d);
  Chunk getChunk(KernelBuilder &b, Value chunk, Value numChunks, Value slots);
  SmallVector<Value> walk(KernelBuilder &b, KernelBuffer &indices, Chunk chunk,
                          ValueRange inits, SlotsBody body);
  Value isKept(KernelBuilder &b, Value expert);
  void forEachColumn(DispatchBuilder &d,
                     function_ref<void(Value block, Value column, Value from, Value to)> body);
  Value addBlocks(KernelBuilder &b, KernelBuffer &sums, Value blocksBefore, Value column);
  LogicalResult dispatchChunks(DispatchBuilder &d);
  LogicalResult dispatchColumns(DispatchBuilder &d);

  bool reportsFaults() { return op.getOutOfRange() == OutOfRange::Error; }
  Value zeros(KernelBuilder &b) {
    return arith::ConstantOp::create(
        b, DenseElementsAttr::get(VectorType::get({4}, i32Type), b.getI32IntegerAttr(0)));
  }

  KernelOp kernel;
  PlanOp op;
  ProgramBuilder &program;
  SymbolicDims &dims;
  int64_t experts, columns; ///< columns: vectors of 4 experts in a row
  int64_t workgroup, chunks, blocks;
  Type i32Type;
  AffineExpr slots;
  // Scratch: [P][4·columns], [blocks][4·columns], [4·columns], [P].
  Value hist, sums, base, faults;
  Value offsets; ///< the result, or scratch where nobody wants it
};
} // namespace

LogicalResult PlanLowering::run() {
  if (failed(expectOnlyOp(kernel, op)))
    return failure();
  slots = dims.getNumElements(op.getIndices());
  if (!slots)
    return op.emitOpError("expected indices with one dynamic dimension that follows "
                          "from the function's arguments, but got ")
           << op.getIndices().getType();

  int64_t rowBytes = 16 * columns;
  // `starts` works on whole groups of rows, the last of which may pass P.
  int64_t rows = chunks == 1 ? 1 : chunks + blocks * rowsAtOnce;
  hist = program.addScratch("plan histogram", dims.constant(rows * rowBytes));
  sums = base = hist;
  if (chunks > 1) {
    sums = program.addScratch("plan sums", dims.constant(blocks * rowBytes));
    base = program.addScratch("plan base", dims.constant(rowBytes));
  }
  if (reportsFaults())
    faults = program.addScratch("plan faults", dims.constant(4 * chunks));
  if (Value result = getYieldedResult(kernel, op.getOffsets())) {
    FailureOr<Value> buffer = program.getBuffer(result);
    if (failed(buffer))
      return failure();
    offsets = *buffer;
  } else {
    offsets = program.addScratch("plan offsets", dims.constant(4 * (experts + 1)));
  }

  if (failed(count()) || (chunks > 1 && failed(sumBlocks())) || failed(prefixExperts()) ||
      (chunks > 1 && failed(startChunks())))
    return failure();
  return scatter();
}

//===----------------------------------------------------------------------===//
// Chunks and slots
//===----------------------------------------------------------------------===//

// P, which is 0 when there are no slots.
Value PlanLowering::pushChunks(DispatchBuilder &d) {
  return d.pushMinimum({dims.constant(chunks), slots.ceilDiv(slotsPerChunk)});
}

PlanLowering::Chunk PlanLowering::getChunk(KernelBuilder &b, Value chunk, Value numChunks,
                                           Value slots) {
  Value length = b.div(b.sub(b.add(slots, numChunks), 1), numChunks);
  Value rounded = b.mul(b.ceilDiv(length, 4), 4);
  Value begin = b.min(b.mul(chunk, rounded), b.mul(b.div(slots, 4), 4));
  return {begin, b.min(b.add(begin, rounded), slots)};
}

// Calls `body` for the slots of a chunk in order, four at a time while one
// vector holds them.
SmallVector<Value> PlanLowering::walk(KernelBuilder &b, KernelBuffer &indices, Chunk chunk,
                                      ValueRange inits, SlotsBody body) {
  Value whole = b.mul(b.div(b.sub(chunk.end, chunk.begin), 4), 4);
  Value middle = b.add(chunk.begin, whole);
  SmallVector<Value> values = b.forLoop(
      chunk.begin, middle, b.idx(4), inits, [&](Value slot, ValueRange args) {
        Value four = b.load(indices.vectors, b.div(slot, 4));
        SmallVector<Value> loaded;
        for (int64_t i = 0; i < 4; ++i)
          loaded.push_back(vector::ExtractOp::create(b, four, i));
        return body(slot, loaded, args);
      });
  return b.forLoop(middle, chunk.end, b.idx(1), values, [&](Value slot, ValueRange args) {
    return body(slot, b.load(indices.scalars, slot), args);
  });
}

Value PlanLowering::isKept(KernelBuilder &b, Value expert) {
  // Unsigned, so that a negative index is too large.
  return b.cmp(arith::CmpIPredicate::ult, expert, b.i32(experts));
}

LogicalResult PlanLowering::dispatchChunks(DispatchBuilder &d) {
  AffineExpr wanted = slots.ceilDiv(slotsPerChunk).ceilDiv(workgroup);
  return d.dispatch({{dims.constant(llvm::divideCeil(chunks, workgroup)), wanted}});
}

LogicalResult PlanLowering::count() {
  DispatchBuilder d(program, op.getLoc(), "plan_count", workgroup);
  KernelBuilder &b = d.kernel();
  FailureOr<KernelBuffer *> indices = d.read(op.getIndices());
  if (failed(indices))
    return failure();
  KernelBuffer *counts = d.buffer(BufferUse::Update, hist, i32Type);
  KernelBuffer *firstFaults =
      reportsFaults() ? d.buffer(BufferUse::Write, faults, i32Type) : nullptr;
  Value numChunks = pushChunks(d), numSlots = d.push(slots);

  Value chunk = b.globalId();
  b.ifThen(b.lt(chunk, numChunks), [&] {
    Value row = b.mul(chunk, columns);
    b.forLoop(b.idx(0), b.idx(columns), b.idx(1), [&](Value column) {
      b.store(zeros(b), counts->vectors, b.add(row, column));
    });
    Value start = b.mul(row, 4);
    SmallVector<Value> fault = walk(
        b, **indices, getChunk(b, chunk, numChunks, numSlots), {b.i32(noFault)},
        [&](Value first, ArrayRef<Value> named, ValueRange args) -> SmallVector<Value> {
          Value lowest = args[0];
          for (size_t i = 0; i < named.size(); ++i) {
            Value kept = isKept(b, named[i]);
            b.ifThen(kept, [&] {
              Value at = b.add(start, b.toIndex(named[i]));
              b.store(b.add(b.load(counts->scalars, at), 1), counts->scalars, at);
            });
            Value slot = b.toI32(b.add(first, i));
            lowest = b.min(lowest, b.select(kept, b.i32(noFault), slot));
          }
          return {lowest};
        });
    if (firstFaults)
      b.store(fault[0], firstFaults->scalars, chunk);
  });
  d.setLabel("plan: count");
  d.setWork(nullptr, slots * 4);
  return dispatchChunks(d);
}

//===----------------------------------------------------------------------===//
// The prefix over experts and chunks
//===----------------------------------------------------------------------===//

// One invocation for each block of chunks and each vector of experts; gives
// the block's range of rows of the histogram, in whole groups.
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
  return d.dispatch({{dims.constant(llvm::divideCeil(blocks * columns, workgroup))}});
}

LogicalResult PlanLowering::sumBlocks() {
  DispatchBuilder d(program, op.getLoc(), "plan_blocks", workgroup);
  KernelBuilder &b = d.kernel();
  KernelBuffer *counts = d.buffer(BufferUse::Read, hist, i32Type);
  KernelBuffer *blockSums = d.buffer(BufferUse::Write, sums, i32Type);
  forEachColumn(d, [&](Value block, Value column, Value from, Value to) {
    SmallVector<Value> sum = b.forLoop(
        from, to, b.idx(rowsAtOnce), {zeros(b)},
        [&](Value group, ValueRange args) -> SmallVector<Value> {
          Value sum = args[0];
          for (int64_t i = 0; i < rowsAtOnce; ++i) {
            Value row = b.add(group, i);
            Value four = b.load(counts->vectors, b.add(b.mul(row, columns), column));
            sum = b.add(sum, b.select(b.lt(row, to), four, zeros(b)));
          }
          return {sum};
        });
    b.store(sum[0], blockSums->vectors, b.add(b.mul(block, columns), column));
  });
  d.setLabel("plan: scan blocks");
  return dispatchColumns(d);
}

// Slots of a vector of experts in the first `count` blocks.
Value PlanLowering::addBlocks(KernelBuilder &b, KernelBuffer &blockSums, Value count,
                              Value column) {
  return b.forLoop(b.idx(0), count, b.idx(1), {zeros(b)},
                   [&](Value block, ValueRange args) -> SmallVector<Value> {
                     Value at = b.add(b.mul(block, columns), column);
                     return {b.add(args[0], b.load(blockSums.vectors, at))};
                   })[0];
}

LogicalResult PlanLowering::prefixExperts() {
  DispatchBuilder d(program, op.getLoc(), "plan_scan", workgroup);
  KernelBuilder &b = d.kernel();
  bool inPlace = sums == base;
  KernelBuffer *starts = d.buffer(BufferUse::Update, base, i32Type);
  KernelBuffer *blockSums = inPlace ? starts : d.buffer(BufferUse::Read, sums, i32Type);
  KernelBuffer *result = d.buffer(BufferUse::Write, offsets, i32Type);
  Value numChunks = pushChunks(d);

  int64_t share = llvm::divideCeil(columns, workgroup);
  Value first = b.min(b.mul(b.threadId(), share), b.idx(columns));
  Value end = b.min(b.add(first, share), b.idx(columns));
  // Without slots nothing has been counted.
  Value counted = inPlace ? b.min(numChunks, b.idx(1)) : b.idx(blocks);
  SmallVector<Value> mine = b.forLoop(
      first, end, b.idx(1), {b.i32(0)}, [&](Value column, ValueRange args) -> SmallVector<Value> {
        Value four = addBlocks(b, *blockSums, counted, column);
        b.store(four, starts->vectors, column);
        Value sum = args[0];
        for (int64_t i = 0; i < 4; ++i)
          sum = b.add(sum, vector::ExtractOp::create(b, four, i));
        return {sum};
      });
  WorkgroupPrefix prefix = getWorkgroupPrefix(
      b, mine[0], b.i32(0), [&](Value x, Value y) { return b.add(x, y); });

  b.forLoop(first, end, b.idx(1), {prefix.before},
            [&](Value column, ValueRange args) -> SmallVector<Value> {
              Value four = b.load(starts->vectors, column);
              SmallVector<Value> running{args[0]};
              for (int64_t i = 0; i < 4; ++i)
                running.push_back(b.add(running.back(), vector::ExtractOp::create(b, four, i)));
              b.store(vector::FromElementsOp::create(b, VectorType::get({4}, i32Type),
                                                     ArrayRef<Value>(running).take_front(4)),
                      starts->vectors, column);
              for (int64_t i = 0; i < 4; ++i) {
                Value expert = b.add(b.mul(column, 4), i);
                auto store = [&] { b.store(running[i], result->scalars, expert); };
                if (experts % 4 == 0)
                  store();
                else
                  b.ifThen(b.lt(expert, b.idx(experts)), store);
              }
              return {running.back()};
            });
  Value isFirst = b.eq(b.threadId(), b.idx(0));
  b.ifThen(isFirst, [&] { b.store(prefix.all, result->scalars, b.idx(experts)); });

  if (reportsFaults()) {
    FailureOr<KernelBuffer *> indices = d.read(op.getIndices());
    if (failed(indices))
      return failure();
    KernelBuffer *firstFaults = d.buffer(BufferUse::Read, faults, i32Type);
    KernelBuffer *status = d.buffer(BufferUse::Update, program.getStatus(), i32Type);
    int32_t site = program.addFaultSite(
        kernel.getName(), op.getIndices().getType().getDimSize(1),
        ("expected an expert in [0, " + Twine(experts) +
         "), but got {value} at token {token}, slot {choice}")
            .str());
    SmallVector<Value> lowest = b.forLoop(
        b.threadId(), numChunks, b.idx(workgroup), {b.i32(noFault)},
        [&](Value chunk, ValueRange args) -> SmallVector<Value> {
          return {b.min(args[0], b.load(firstFaults->scalars, chunk))};
        });
    Value slot = getWorkgroupPrefix(b, lowest[0], b.i32(noFault), [&](Value x, Value y) {
                   return b.min(x, y);
                 }).all;
    b.ifThen(b.logicalAnd(isFirst, b.ne(slot, b.i32(noFault))), [&] {
      Value value = b.load((*indices)->scalars, b.toIndex(slot));
      emitFault(b, *status, FaultCode::IndexOutOfRange, site, slot, value);
    });
  }
  d.setLabel("plan: scan");
  return d.dispatch({{dims.constant(1)}});
}

LogicalResult PlanLowering::startChunks() {
  DispatchBuilder d(program, op.getLoc(), "plan_starts", workgroup);
  KernelBuilder &b = d.kernel();
  KernelBuffer *starts = d.buffer(BufferUse::Read, base, i32Type);
  KernelBuffer *blockSums = d.buffer(BufferUse::Read, sums, i32Type);
  KernelBuffer *counts = d.buffer(BufferUse::Update, hist, i32Type);
  forEachColumn(d, [&](Value block, Value column, Value from, Value to) {
    Value start = b.add(b.load(starts->vectors, column), addBlocks(b, *blockSums, block, column));
    b.forLoop(from, to, b.idx(rowsAtOnce), {start},
              [&](Value group, ValueRange args) -> SmallVector<Value> {
                SmallVector<Value> at, counted;
                for (int64_t i = 0; i < rowsAtOnce; ++i) {
                  at.push_back(b.add(b.mul(b.add(group, i), columns), column));
                  counted.push_back(b.load(counts->vectors, at.back()));
                }
                Value running = args[0];
                for (int64_t i = 0; i < rowsAtOnce; ++i) {
                  b.store(running, counts->vectors, at[i]);
                  running = b.add(running, counted[i]);
                }
                return {running};
              });
  });
  d.setLabel("plan: scan chunks");
  return dispatchColumns(d);
}

//===----------------------------------------------------------------------===//
// Scatter
//===----------------------------------------------------------------------===//

LogicalResult PlanLowering::scatter() {
  DispatchBuilder d(program, op.getLoc(), "plan_scatter", workgroup);
  KernelBuilder &b = d.kernel();
  FailureOr<KernelBuffer *> indices = d.read(op.getIndices());
  FailureOr<KernelBuffer *> slotToRow = writeIfYielded(d, kernel, op.getSlotToRow());
  FailureOr<KernelBuffer *> rowToSlot = writeIfYielded(d, kernel, op.getRowToSlot());
  FailureOr<KernelBuffer *> rowExpert = writeIfYielded(d, kernel, op.getRowExpert());
  if (failed(indices) || failed(slotToRow) || failed(rowToSlot) || failed(rowExpert))
    return failure();
  KernelBuffer *kept = d.buffer(BufferUse::Read, offsets, i32Type);
  KernelBuffer *next = d.buffer(BufferUse::Update, hist, i32Type);
  Value numChunks = pushChunks(d), numSlots = d.push(slots);

  Value chunk = b.globalId();
  auto place = [&](Value slot, Value expert) -> Value {
    auto keep = [&]() -> SmallVector<Value> {
      Value at = b.add(b.mul(chunk, 4 * columns), b.toIndex(expert));
      Value row = b.load(next->scalars, at);
      b.store(b.add(row, 1), next->scalars, at);
      if (*rowToSlot)
        b.store(b.toI32(slot), (*rowToSlot)->scalars, b.toIndex(row));
      if (*rowExpert)
        b.store(expert, (*rowExpert)->scalars, b.toIndex(row));
      return {row};
    };
    return b.ifElse(isKept(b, expert), keep,
                    [&]() -> SmallVector<Value> { return {b.i32(-1)}; })[0];
  };
  b.ifThen(b.lt(chunk, numChunks), [&] {
    walk(b, **indices, getChunk(b, chunk, numChunks, numSlots), {},
         [&](Value first, ArrayRef<Value> named, ValueRange) -> SmallVector<Value> {
           SmallVector<Value> rows;
           for (auto [i, expert] : llvm::enumerate(named))
             rows.push_back(place(b.add(first, i), expert));
           if (!*slotToRow)
             return {};
           if (rows.size() == 1)
             b.store(rows[0], (*slotToRow)->scalars, first);
           else
             b.store(vector::FromElementsOp::create(b, VectorType::get({4}, i32Type), rows),
                     (*slotToRow)->vectors, b.div(first, 4));
           return {};
         });
    // Rows that no slot has.
    Value tail = b.toIndex(b.load(kept->scalars, b.idx(experts)));
    b.forLoop(b.add(tail, chunk), numSlots, numChunks, [&](Value row) {
      for (KernelBuffer *buffer : {*rowToSlot, *rowExpert})
        if (buffer)
          b.store(b.i32(-1), buffer->scalars, row);
    });
  });
  d.setLabel("plan: scatter");
  d.setWork(nullptr, slots * 16);
  return dispatchChunks(d);
}

LogicalResult moe::lowerPlan(KernelOp kernel, PlanOp op, ProgramBuilder &program) {
  return PlanLowering(kernel, op, program).run();
}
