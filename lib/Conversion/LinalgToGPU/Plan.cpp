//===- Plan.cpp - The stable counting sort of the slots -------------------===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// The R slots are cut into P chunks, each walked in order by one invocation, so
// no step needs an atomic and the order is stable by construction:
//
//   count    hist[p][e] = slots of chunk p that name expert e
//   blocks   sums[b][e] = Σ hist[p][e] over the chunks of block b
//   scan     base[e] = offsets[e] = Σ of all sums of the experts before e
//   starts   hist[p][e] = base[e] + Σ hist[p'][e] over the chunks before p
//   scatter  walks the chunks again: a slot's row is hist[p][e]++
//   runs     row_expert, and row_to_slot where a row has no slot
//
// (PlanScan.cpp has the steps in the middle, PlanScatter.cpp the last two.)
//
// Cost. On lavapipe a load or store of a buffer takes about 9 cycles for each
// active lane and 2 for each idle one, whatever its width up to 16 bytes; one
// of a private array takes 2 a lane. So an invocation keeps its row of the
// histogram in a private array, and memory is touched for a slot only by ¼ of a
// load in `count`, by ¼ of a load, ¼ of a store (slot_to_row) and the one
// scattered store (row_to_slot) in `scatter`, and by ¼ of a store in `runs`.
// The steps between touch P·E counters, four to an operation, five times in
// all: as much as the slots do where R = P·E. The histogram is [P][E], so that
// these operations are vectors of experts, and a private row is copied in
// vectors too.
//
// Measured on two busy cores, T = 65536, K = 8, E = 128, in ms: 5.4 with 2048
// chunks, 3.3 with 256, 11.3 with one. Lanes gain less than their number there,
// because lavapipe makes their accesses one after another.
//
// `chunks = 1` is the one-thread form, without `blocks` and `starts`. On
// lavapipe it serves up to a million slots (see slotsAtOnce).
//
// All scratch is one buffer, so that no step binds more than the four buffers
// that every device has.
//
//===----------------------------------------------------------------------===//

#include "Families.h"
#include "PlanLowering.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVAttributes.h"

using namespace mlir;
using namespace mlir::moe;

// Chunks shorter than this cost more in counters than they save.
static constexpr int64_t slotsPerChunk = 64;
// Blocks of chunks; their sums are added by every invocation of `starts`.
static constexpr int64_t maxBlocks = 32;

LogicalResult PlanLowering::run() {
  if (failed(expectOnlyOp(kernel, op)))
    return failure();
  slots = dims.getNumElements(op.getIndices());
  if (!slots)
    return op.emitOpError(
               "expected indices with one dynamic dimension that follows "
               "from the function's arguments, but got ")
           << op.getIndices().getType();
  if (auto known = dyn_cast<AffineConstantExpr>(slots))
    chunks = std::clamp<int64_t>(
        llvm::divideCeil(known.getValue(), slotsPerChunk), 1, chunks);
  blocks = std::min(chunks, maxBlocks);
  // A device may leave loops after so many iterations: few chunks take longer
  // steps.
  slotsAtOnce = chunks < 32 ? 16 : 8;
  layOutScratch();

  if (failed(count()) || (chunks > 1 && failed(sumBlocks())) ||
      failed(scan()) || (chunks > 1 && failed(startChunks())) ||
      failed(scatter()))
    return failure();
  return fillRuns();
}

void PlanLowering::layOutScratch() {
  // base has one element more than there are experts: the number of kept slots.
  int64_t size = llvm::divideCeil(experts + 1, 4);
  sumsAt = size;
  size += chunks > 1 ? blocks * columns : 0;
  histAt = size;
  // `starts` works on whole groups of rows, the last of which may pass P.
  size += (chunks > 1 ? chunks + blocks * rowsAtOnce : 1) * columns;
  faultsAt = 4 * size;
  size += reportsFaults() ? llvm::divideCeil(chunks, 4) : 0;
  // One chunk is one block, and its counters are the sums.
  if (chunks == 1)
    sumsAt = histAt;
  scratch = program.addScratch("plan scratch", dims.constant(16 * size));
}

//===----------------------------------------------------------------------===//
// Chunks and slots
//===----------------------------------------------------------------------===//

Value PlanLowering::pushChunks(DispatchBuilder &d) {
  return d.pushMinimum({dims.constant(chunks), slots.ceilDiv(slotsPerChunk)});
}

PlanLowering::Chunk PlanLowering::getChunk(KernelBuilder &b, Value chunk,
                                           Value numChunks, Value slots) {
  Value length = b.div(b.sub(b.add(slots, numChunks), 1), numChunks);
  Value rounded = b.mul(b.ceilDiv(length, slotsAtOnce), slotsAtOnce);
  Value begin = b.min(b.mul(chunk, rounded), slots);
  return {begin, b.min(b.add(begin, rounded), slots)};
}

PlanLowering::Values PlanLowering::walk(KernelBuilder &b, KernelBuffer &indices,
                                        Chunk chunk, ValueRange inits,
                                        SlotsBody body) {
  Value count = b.sub(chunk.end, chunk.begin);
  Value middle =
      b.add(chunk.begin, b.mul(b.div(count, slotsAtOnce), slotsAtOnce));
  Values values = b.forLoop(
      chunk.begin, middle, b.idx(slotsAtOnce), inits,
      [&](Value slot, ValueRange args) {
        Value first = b.div(slot, 4);
        Values named;
        for (int64_t i = 0; i < slotsAtOnce / 4; ++i)
          llvm::append_range(
              named, unpack(b, b.load(indices.vectors, b.add(first, i))));
        return body(slot, named, args);
      },
      // P is the least of `chunks` and a chunk for every so many slots.
      slots.ceilDiv(chunks * slotsAtOnce) +
          llvm::divideCeil(slotsPerChunk, slotsAtOnce));
  return b.forLoop(
      middle, chunk.end, b.idx(1), values,
      [&](Value slot, ValueRange args) {
        return body(slot, b.load(indices.scalars, slot), args);
      },
      dims.constant(slotsAtOnce - 1));
}

Value PlanLowering::getBin(KernelBuilder &b, Value expert) {
  // Unsigned, so that a negative index is too large.
  Value kept = b.cmp(arith::CmpIPredicate::ult, expert, b.i32(experts));
  return b.toIndex(b.select(kept, expert, b.i32(4 * columns)));
}

Value PlanLowering::makePrivateRow(KernelBuilder &b) {
  Attribute space = spirv::StorageClassAttr::get(b.getContext(),
                                                 spirv::StorageClass::Function);
  return memref::AllocaOp::create(
      b, MemRefType::get({4 * columns + 1}, b.getI32Type(),
                         MemRefLayoutAttrInterface{}, space));
}

// Calls `body` for each column of a private row. The bound is one that drivers
// cannot see through: they unroll a short loop over a private array, and
// compiling the result takes seconds.
void PlanLowering::forEachPrivateColumn(KernelBuilder &b, Value numChunks,
                                        function_ref<void(Value)> body) {
  Value bound = b.div(b.mul(numChunks, columns), numChunks);
  b.forLoop(b.idx(0), bound, b.idx(1), body, dims.constant(columns));
}

LogicalResult PlanLowering::dispatchChunks(DispatchBuilder &d) {
  AffineExpr wanted = slots.ceilDiv(slotsPerChunk).ceilDiv(workgroup);
  return d.dispatch(
      {{dims.constant(llvm::divideCeil(chunks, workgroup)), wanted}});
}

LogicalResult PlanLowering::count() {
  DispatchBuilder d(program, op.getLoc(), "plan_count", workgroup);
  KernelBuilder &b = d.kernel();
  FailureOr<KernelBuffer *> indices = d.read(op.getIndices());
  if (failed(indices))
    return failure();
  KernelBuffer &memory = bindScratch(d, BufferUse::Write);
  Value numChunks = pushChunks(d), numSlots = d.push(slots);

  Value row = makePrivateRow(b);
  Value chunk = b.globalId();
  b.ifThen(b.lt(chunk, numChunks), [&] {
    forEachPrivateColumn(b, numChunks, [&](Value column) {
      for (int64_t i = 0; i < 4; ++i)
        b.store(b.i32(0), row, b.add(b.mul(column, 4), i));
    });
    Values fault = walk(
        b, **indices, getChunk(b, chunk, numChunks, numSlots), {b.i32(noFault)},
        [&](Value first, ArrayRef<Value> named, ValueRange args) -> Values {
          Value lowest = args[0];
          for (size_t i = 0; i < named.size(); ++i) {
            Value bin = getBin(b, named[i]);
            b.store(b.add(b.load(row, bin), 1), row, bin);
            Value bad = b.eq(bin, b.idx(4 * columns));
            Value slot =
                b.select(bad, b.toI32(b.add(first, i)), b.i32(noFault));
            lowest = b.min(lowest, slot);
          }
          return {lowest};
        });
    Value start = b.add(b.mul(chunk, columns), histAt);
    forEachPrivateColumn(b, numChunks, [&](Value column) {
      Values four;
      for (int64_t i = 0; i < 4; ++i)
        four.push_back(b.load(row, b.add(b.mul(column, 4), i)));
      b.store(pack(b, four), memory.vectors, b.add(start, column));
    });
    if (reportsFaults())
      b.store(fault[0], memory.scalars, b.add(chunk, faultsAt));
  });
  d.setLabel("plan: count");
  d.setWork(nullptr, slots * 4);
  return dispatchChunks(d);
}

LogicalResult moe::lowerPlan(KernelOp kernel, PlanOp op,
                             ProgramBuilder &program) {
  return PlanLowering(kernel, op, program).run();
}
