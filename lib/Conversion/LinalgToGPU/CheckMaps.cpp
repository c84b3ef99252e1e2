//===- CheckMaps.cpp - Maps that did not come from a plan -----------------===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// An element of a map is right if it is -1, or if the other map gives back
// where it stands. Which ones are right is seen from the two maps alone, so one
// dispatch checks those of the slots, one those of the rows, in any order:
//
//   slots    checked[s] = right ? slot_to_row[s] : -1, and the first fault
//   rows     checked[r] = right ? row_to_slot[r] : -1, and the first fault
//   report   the first of all faults
//
// At most P invocations stride over the elements, four at a time, each with a
// minimum of its own for the faults. The last dispatch is one workgroup that
// takes the minimum of these minima: no atomic decides which fault is named.
//
// A slot costs a quarter of a load and of a store, and one load at random; so
// does a row. No dispatch binds more than four buffers, which every device has.
//
//===----------------------------------------------------------------------===//

#include "Families.h"
#include "KernelResults.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::moe;

// Fewer elements than this are not worth an invocation.
static constexpr int64_t elementsPerChunk = 64;
static constexpr int32_t noFault = std::numeric_limits<int32_t>::max();

namespace {
class CheckMapsLowering {
public:
  CheckMapsLowering(KernelOp kernel, CheckMapsOp op, ProgramBuilder &program)
      : kernel(kernel), op(op), program(program), dims(program.dims()),
        workgroup(kernel.getSchedule()->getWorkgroup()),
        chunks(std::max<int64_t>(1, kernel.getSchedule()->getChunks())) {}

  LogicalResult run();

private:
  /// One of the two maps, where its faults lie in the scratch, and how to tell
  /// of one.
  struct Map {
    StringRef name;
    Value values, inverse, checked;
    AffineExpr size, inverseSize;
    int64_t faultsAt, slotsPerToken;
    StringRef message;
  };

  LogicalResult check(const Map &map);
  LogicalResult report(ArrayRef<Map> maps);
  LogicalResult report(DispatchBuilder &d, const Map &map, KernelBuffer &faults,
                       KernelBuffer &status);
  /// How many invocations have elements of a map.
  Value pushChunks(DispatchBuilder &d, const Map &map) {
    return d.pushMinimum(
        {dims.constant(chunks), map.size.ceilDiv(elementsPerChunk)});
  }

  KernelOp kernel;
  CheckMapsOp op;
  ProgramBuilder &program;
  SymbolicDims &dims;
  int64_t workgroup, chunks;
  Value scratch;
};
} // namespace

LogicalResult CheckMapsLowering::run() {
  if (failed(expectOnlyOp(kernel, op)))
    return failure();
  AffineExpr numSlots = dims.getNumElements(op.getSlotToRow());
  AffineExpr numRows = dims.getDim(op.getRowToSlot(), 0);
  if (!numSlots || !numRows)
    return op.emitOpError("expected maps whose dynamic dimensions follow from "
                          "the function's arguments, but got ")
           << op.getSlotToRow().getType() << " and "
           << op.getRowToSlot().getType();
  if (auto known = dyn_cast<AffineConstantExpr>(numSlots))
    chunks = std::clamp<int64_t>(
        llvm::divideCeil(known.getValue(), elementsPerChunk), 1, chunks);
  scratch = program.addScratch("check_maps faults", dims.constant(8 * chunks));

  Map maps[] = {
      {"slots", op.getSlotToRow(), op.getRowToSlot(), op.getCheckedSlotToRow(),
       numSlots, numRows, 0, op.getSlotToRow().getType().getDimSize(1),
       "expected slot_to_row to be -1 or a row that row_to_slot gives "
       "back, but got {value} at token {token}, slot {choice}"},
      {"rows", op.getRowToSlot(), op.getSlotToRow(), op.getCheckedRowToSlot(),
       numRows, numSlots, chunks, 0,
       "expected row_to_slot to be -1 or a slot that slot_to_row gives "
       "back, but got {value} at row {slot}"}};
  for (const Map &map : maps)
    if (failed(check(map)))
      return failure();
  return report(maps);
}

LogicalResult CheckMapsLowering::check(const Map &map) {
  DispatchBuilder d(program, op.getLoc(), ("check_maps_" + map.name).str(),
                    workgroup);
  KernelBuilder &b = d.kernel();
  FailureOr<KernelBuffer *> values = d.read(map.values);
  FailureOr<KernelBuffer *> inverse = d.read(map.inverse);
  FailureOr<KernelBuffer *> checked = writeIfYielded(d, kernel, map.checked);
  if (failed(values) || failed(inverse) || failed(checked))
    return failure();
  KernelBuffer *faults = d.buffer(BufferUse::Write, scratch, b.getI32Type());
  Value numChunks = pushChunks(d, map), size = d.push(map.size),
        inverseSize = b.toI32(d.push(map.inverseSize));

  // What becomes of `value` at `position`, and its place if it is at fault.
  auto judge = [&](Value value, Value position) -> std::pair<Value, Value> {
    Value place = b.toI32(position);
    // Unsigned, so that a negative value is too large.
    Value inRange = b.cmp(arith::CmpIPredicate::ult, value, inverseSize);
    // Sizes are equal, so there is an element 0 to read for the others.
    Value safe = b.toIndex(b.select(inRange, value, b.i32(0)));
    Value back = b.load((*inverse)->scalars, safe);
    Value right = b.logicalOr(b.eq(value, b.i32(-1)),
                              b.logicalAnd(inRange, b.eq(back, place)));
    return {b.select(right, value, b.i32(-1)),
            b.select(right, b.i32(noFault), place)};
  };

  Value chunk = b.globalId();
  b.ifThen(b.lt(chunk, numChunks), [&] {
    Value numVectors = b.div(size, 4);
    SmallVector<Value> lowest = b.forLoop(
        chunk, numVectors, numChunks, {b.i32(noFault)},
        [&](Value at, ValueRange args) -> SmallVector<Value> {
          Value four = b.load((*values)->vectors, at), first = args[0];
          SmallVector<Value> kept;
          for (int64_t i = 0; i < 4; ++i) {
            auto [value, fault] = judge(vector::ExtractOp::create(b, four, i),
                                        b.add(b.mul(at, 4), i));
            kept.push_back(value);
            first = b.min(first, fault);
          }
          if (*checked)
            b.store(vector::FromElementsOp::create(b, four.getType(), kept),
                    (*checked)->vectors, at);
          return {first};
        },
        // P is the least of `chunks` and a chunk for every so many elements.
        map.size.ceilDiv(4 * chunks) + elementsPerChunk / 4);
    // Up to three elements after the last whole vector.
    lowest = b.forLoop(
        b.add(b.mul(numVectors, 4), chunk), size, numChunks, lowest,
        [&](Value at, ValueRange args) -> SmallVector<Value> {
          auto [value, fault] = judge(b.load((*values)->scalars, at), at);
          if (*checked)
            b.store(value, (*checked)->scalars, at);
          return {b.min(args[0], fault)};
        },
        dims.constant(3));
    b.store(lowest[0], faults->scalars, b.add(chunk, map.faultsAt));
  });
  d.setLabel(("check maps: " + map.name).str());
  d.setWork(nullptr, map.size * (*checked ? 12 : 8));
  AffineExpr wanted = map.size.ceilDiv(elementsPerChunk).ceilDiv(workgroup);
  return d.dispatch(
      {{dims.constant(llvm::divideCeil(chunks, workgroup)), wanted}});
}

LogicalResult CheckMapsLowering::report(ArrayRef<Map> maps) {
  DispatchBuilder d(program, op.getLoc(), "check_maps_report", workgroup);
  Type i32 = d.kernel().getI32Type();
  KernelBuffer *faults = d.buffer(BufferUse::Read, scratch, i32);
  KernelBuffer *status = d.buffer(BufferUse::Update, program.getStatus(), i32);
  // The status keeps what it gets first: a fault of the slots.
  for (const Map &map : maps)
    if (failed(report(d, map, *faults, *status)))
      return failure();
  d.setLabel("check maps: report");
  return d.dispatch({{dims.constant(1)}});
}

LogicalResult CheckMapsLowering::report(DispatchBuilder &d, const Map &map,
                                        KernelBuffer &faults,
                                        KernelBuffer &status) {
  KernelBuilder &b = d.kernel();
  FailureOr<KernelBuffer *> values = d.read(map.values);
  if (failed(values))
    return failure();
  int32_t site =
      program.addFaultSite(kernel.getName(), map.slotsPerToken, map.message);
  SmallVector<Value> mine = b.forLoop(
      b.threadId(), pushChunks(d, map), b.idx(workgroup), {b.i32(noFault)},
      [&](Value chunk, ValueRange args) -> SmallVector<Value> {
        Value at = b.add(chunk, map.faultsAt);
        return {b.min(args[0], b.load(faults.scalars, at))};
      },
      dims.constant(llvm::divideCeil(chunks, workgroup)));
  WorkgroupPrefix first =
      getWorkgroupPrefix(b, mine[0], b.i32(noFault),
                         [&](Value x, Value y) { return b.min(x, y); });
  Value isFault = b.logicalAnd(b.eq(b.threadId(), b.idx(0)),
                               b.ne(first.all, b.i32(noFault)));
  b.ifThen(isFault, [&] {
    Value value = b.load((*values)->scalars, b.toIndex(first.all));
    emitFault(b, status, FaultCode::NotInverse, site, first.all, value);
  });
  return success();
}

LogicalResult moe::lowerCheckMaps(KernelOp kernel, CheckMapsOp op,
                                  ProgramBuilder &program) {
  return CheckMapsLowering(kernel, op, program).run();
}
