//===- CheckOffsets.cpp - Offsets that did not come from a plan -----------===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// checked[e] = min(max(offsets[0 … e], 0), R) with offsets[0] taken as 0: the
// running maximum, which is what clamping each element between its predecessor
// and R gives. One workgroup; each invocation owns a run of elements, and one
// exchange carries the maxima, and the first fault, from run to run.
//
// An element is at fault when it is below the one before it, or above R. Up to
// the first fault that is the same as comparing with the running maximum.
//
//===----------------------------------------------------------------------===//

#include "Families.h"
#include "KernelResults.h"

using namespace mlir;
using namespace mlir::moe;

static constexpr int32_t noFault = std::numeric_limits<int32_t>::max();

LogicalResult moe::lowerCheckOffsets(KernelOp kernel, CheckOffsetsOp op,
                                     ProgramBuilder &program) {
  if (failed(expectOnlyOp(kernel, op)))
    return failure();
  int64_t elements = op.getOffsets().getType().getDimSize(0);
  if (ShapedType::isDynamic(elements))
    return op.emitOpError("expected a static number of offsets, but got ")
           << op.getOffsets().getType();

  AffineExpr numRows = program.dims().getDim(op.getRows(), 0);
  if (!numRows)
    return op.emitOpError("expected a number of rows that follows from the "
                          "function's arguments, but got ")
           << op.getRows().getType();

  int64_t workgroup = kernel.getSchedule()->getWorkgroup();
  DispatchBuilder d(program, op.getLoc(), "check_offsets", workgroup);
  KernelBuilder &b = d.kernel();
  FailureOr<KernelBuffer *> offsets = d.read(op.getOffsets());
  FailureOr<KernelBuffer *> checked =
      writeIfYielded(d, kernel, op.getChecked());
  if (failed(offsets) || failed(checked))
    return failure();
  KernelBuffer *status =
      d.buffer(BufferUse::Update, program.getStatus(), b.getI32Type());
  int32_t site = program.addFaultSite(
      kernel.getName(), /*slotsPerToken=*/0,
      "expected offsets to start at 0, not decrease and end at most at the "
      "number of rows, but got {value} at element {slot}");
  Value rows = b.toI32(d.push(numRows));

  int64_t run = llvm::divideCeil(elements, workgroup);
  Value first = b.min(b.mul(b.threadId(), run), b.idx(elements));
  Value end = b.min(b.add(first, run), b.idx(elements));

  SmallVector<Value> mine = b.forLoop(
      first, end, b.idx(1), {b.i32(0), b.i32(noFault)},
      [&](Value element, ValueRange args) -> SmallVector<Value> {
        Value value = b.load((*offsets)->scalars, element);
        Value isFirst = b.eq(element, b.idx(0));
        Value before = b.load((*offsets)->scalars,
                              b.select(isFirst, element, b.sub(element, 1)));
        // The first element has one legal value, between 0 and 0.
        Value low = b.select(isFirst, b.i32(0), before);
        Value high = b.select(isFirst, b.i32(0), rows);
        Value fault = b.logicalOr(b.lt(value, low), b.lt(high, value));
        Value found = b.select(fault, b.toI32(element), b.i32(noFault));
        return {b.max(args[0], b.select(isFirst, b.i32(0), value)),
                b.min(args[1], found)};
      },
      program.dims().constant(run));

  WorkgroupPrefix maxima = getWorkgroupPrefix(
      b, mine[0], b.i32(0), [&](Value x, Value y) { return b.max(x, y); });
  WorkgroupPrefix faults =
      getWorkgroupPrefix(b, mine[1], b.i32(noFault),
                         [&](Value x, Value y) { return b.min(x, y); });

  if (*checked)
    b.forLoop(
        first, end, b.idx(1), {maxima.before},
        [&](Value element, ValueRange args) -> SmallVector<Value> {
          Value value = b.load((*offsets)->scalars, element);
          Value isFirst = b.eq(element, b.idx(0));
          Value highest = b.max(args[0], b.select(isFirst, b.i32(0), value));
          b.store(b.min(highest, rows), (*checked)->scalars, element);
          return {highest};
        },
        program.dims().constant(run));
  Value isFault = b.logicalAnd(b.eq(b.threadId(), b.idx(0)),
                               b.ne(faults.all, b.i32(noFault)));
  b.ifThen(isFault, [&] {
    Value value = b.load((*offsets)->scalars, b.toIndex(faults.all));
    emitFault(b, *status, FaultCode::NotAPrefix, site, faults.all, value);
  });

  d.setLabel("check offsets");
  d.setWork(nullptr, program.dims().constant(8 * elements));
  return d.dispatch({{program.dims().constant(1)}});
}
