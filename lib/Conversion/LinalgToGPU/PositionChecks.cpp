//===- PositionChecks.cpp - Positions that come from data -----------------===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// Before a kernel that computes positions from data, the positions alone are
// computed and compared with the sizes of their tensors:
//
//   check     the first position at fault of each of P invocations
//   report    the first of all, to the status: {code, site, slot, value}
//
// An op in the body of a structured op is checked over the loops its indices
// follow from, in the order of the result's elements; the slot is the first
// element that is computed with the index. Any other op computes its position
// once, which needs no first dispatch.
//
// The kernel runs all the same, and clamps (TensorReader::readClamped).
//
//===----------------------------------------------------------------------===//

#include "Families.h"
#include "KernelResults.h"
#include "Positions.h"
#include "TensorReader.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::moe;

static constexpr int64_t workgroup = 64;
static constexpr int64_t maxChunks = 4096;
// Fewer positions than this are not worth an invocation.
static constexpr int64_t positionsPerChunk = 4;
static constexpr int32_t noFault = std::numeric_limits<int32_t>::max();

namespace {
/// A position as device code, and whether it is at fault.
struct Judged {
  Value fault, value;
};

/// The positions that one op computes, along one or more dimensions.
class PositionCheck {
public:
  PositionCheck(KernelOp kernel, Operation *op, Value tensor,
                const llvm::SmallBitVector &checked, ProgramBuilder &program)
      : kernel(kernel), op(op), tensor(tensor),
        generic(dyn_cast<linalg::GenericOp>(op->getParentOp())),
        program(program), dims(program.dims()) {
    llvm::append_range(this->checked, checked.set_bits());
  }

  LogicalResult run();

private:
  LogicalResult findLoops();
  LogicalResult check();
  LogicalResult report();
  /// The number of positions; the place of one in the loops.
  Value pushCount(DispatchBuilder &d);
  SmallVector<Value> getLoops(DispatchBuilder &d, Value position);
  Value getSlot(TensorReader &reader, ArrayRef<Value> loops);
  /// Judges each of the checked dimensions.
  FailureOr<SmallVector<Judged>> judge(TensorReader &reader,
                                       ArrayRef<Value> loops);
  Judged judgeElement(TensorReader &reader, Value index, unsigned dim);
  FailureOr<Judged> judgeSlice(TensorReader &reader,
                               OffsetSizeAndStrideOpInterface slice,
                               unsigned dim);
  std::string getMessage(unsigned dim, const std::string &got);
  void reportOne(KernelBuilder &b, KernelBuffer &status, unsigned dim,
                 const Judged &one, Value slot);

  KernelOp kernel;
  Operation *op;
  Value tensor;
  linalg::GenericOp generic; ///< whose body holds the op, or null
  ProgramBuilder &program;
  SymbolicDims &dims;
  SmallVector<unsigned> checked;
  SmallVector<AffineExpr> sizes; ///< of all loops
  SmallVector<unsigned> order;   ///< the loops the position follows from
  int64_t chunks = maxChunks;
  Value scratch;
};
} // namespace

// The loops that `values` of the body follow from.
static llvm::SmallBitVector findLoopsOf(linalg::GenericOp generic,
                                        ValueRange values) {
  llvm::SmallBitVector loops(generic.getNumLoops());
  llvm::SmallDenseSet<Value> seen;
  SmallVector<Value> pending(values);
  while (!pending.empty()) {
    Value value = pending.pop_back_val();
    if (!seen.insert(value).second)
      continue;
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      if (argument.getOwner() != generic.getBody())
        continue;
      AffineMap map = generic.getMatchingIndexingMap(
          generic.getMatchingOpOperand(argument));
      for (unsigned loop = 0; loop < loops.size(); ++loop)
        if (map.isFunctionOfDim(loop))
          loops.set(loop);
      continue;
    }
    Operation *producer = value.getDefiningOp();
    if (producer->getBlock() != generic.getBody())
      continue;
    if (auto index = dyn_cast<linalg::IndexOp>(producer))
      loops.set(index.getDim());
    llvm::append_range(pending, producer->getOperands());
  }
  return loops;
}

LogicalResult PositionCheck::findLoops() {
  if (!generic)
    return success();
  sizes = getLoopSizes(dims, generic);
  for (AffineExpr size : sizes)
    if (!size)
      return op->emitOpError("expected loops around a position whose sizes "
                             "follow from the function's arguments, but got "
                             "another");
  llvm::SmallBitVector loops =
      findLoopsOf(generic, cast<tensor::ExtractOp>(op).getIndices());
  // In the order of the result's elements, so that the first position at fault
  // is that of the first element.
  for (AffineExpr expr :
       generic.getIndexingMapMatchingResult(generic->getResult(0)).getResults())
    if (auto loop = dyn_cast<AffineDimExpr>(expr);
        loop && loops.test(loop.getPosition())) {
      order.push_back(loop.getPosition());
      loops.reset(loop.getPosition());
    }
  llvm::append_range(order, loops.set_bits());
  return success();
}

Value PositionCheck::pushCount(DispatchBuilder &d) {
  KernelBuilder &b = d.kernel();
  Value count = b.idx(1);
  for (auto [loop, size] : llvm::enumerate(sizes)) {
    Value length = d.push(size);
    // Where a loop is empty, nothing is computed.
    if (!llvm::is_contained(order, loop))
      length = b.min(length, b.idx(1));
    count = b.mul(count, length);
  }
  return count;
}

SmallVector<Value> PositionCheck::getLoops(DispatchBuilder &d, Value position) {
  KernelBuilder &b = d.kernel();
  SmallVector<Value> loops(sizes.size(), b.idx(0));
  for (unsigned loop : llvm::reverse(order)) {
    Value size = d.push(sizes[loop]);
    loops[loop] = b.rem(position, size);
    position = b.div(position, size);
  }
  return loops;
}

Value PositionCheck::getSlot(TensorReader &reader, ArrayRef<Value> loops) {
  KernelBuilder &b = reader.builder();
  if (!generic)
    return b.i32(0);
  Value result = generic->getResult(0);
  AffineMap map = generic.getIndexingMapMatchingResult(cast<OpResult>(result));
  SmallVector<Value> at;
  for (AffineExpr expr : map.getResults()) {
    auto loop = dyn_cast<AffineDimExpr>(expr);
    at.push_back(loop ? loops[loop.getPosition()] : b.idx(0));
  }
  return b.toI32(reader.linearize(result, at));
}

Judged PositionCheck::judgeElement(TensorReader &reader, Value index,
                                   unsigned dim) {
  KernelBuilder &b = reader.builder();
  Value size = reader.dim(tensor, dim);
  b.matchWidths({&index, &size});
  Value inRange =
      b.logicalAnd(b.ge(index, b.constantLike(index, 0)), b.lt(index, size));
  return {b.eq(inRange, b.boolean(false)), index};
}

FailureOr<Judged>
PositionCheck::judgeSlice(TensorReader &reader,
                          OffsetSizeAndStrideOpInterface slice, unsigned dim) {
  KernelBuilder &b = reader.builder();
  FailureOr<Value> start =
      reader.offset(slice.getMixedOffsets()[dim], /*fits=*/false);
  FailureOr<Value> size =
      reader.offset(slice.getMixedSizes()[dim], /*fits=*/true);
  FailureOr<Value> stride =
      reader.offset(slice.getMixedStrides()[dim], /*fits=*/false);
  if (failed(start) || failed(size) || failed(stride))
    return failure();
  Value total = reader.dim(tensor, dim);
  b.matchWidths({&*start, &*size, &*stride, &total});
  Value zero = b.constantLike(total, 0), one = b.constantLike(total, 1);
  auto isWithin = [&](Value position, Value limit) {
    return b.logicalAnd(b.ge(position, zero), b.lt(position, limit));
  };
  // A slice of no elements starts within its tensor, or at its end. The length
  // of steps that stay inside is bounded, so that no product overflows.
  Value some = b.lt(zero, *size);
  Value limit = b.select(some, total, b.add(total, 1));
  Value length = b.max(*stride, b.sub(zero, *stride));
  Value steps = b.max(b.sub(*size, 1), zero);
  Value fits =
      b.logicalAnd(b.ge(length, zero), // the least number has no opposite
                   b.ge(b.div(b.max(total, one), b.max(length, one)), steps));
  fits = b.logicalOr(fits, b.eq(steps, zero));
  Value last = b.add(*start, b.mul(steps, *stride));
  Value good =
      b.logicalAnd(isWithin(*start, limit),
                   b.logicalOr(b.eq(some, b.boolean(false)),
                               b.logicalAnd(fits, isWithin(last, total))));
  if (isa<tensor::InsertSliceOp>(slice)) // one element in one place
    good =
        b.logicalAnd(good, b.logicalOr(b.ne(*stride, zero), b.eq(steps, zero)));
  return Judged{b.eq(good, b.boolean(false)), *start};
}

FailureOr<SmallVector<Judged>> PositionCheck::judge(TensorReader &reader,
                                                    ArrayRef<Value> loops) {
  SmallVector<Judged> judged;
  auto extract = dyn_cast<tensor::ExtractOp>(op);
  for (unsigned dim : checked) {
    if (!reader.dim(tensor, dim))
      return op->emitOpError("expected a position in a tensor whose sizes "
                             "follow from the function's arguments, but got ")
             << tensor.getType();
    if (!extract) {
      FailureOr<Judged> one =
          judgeSlice(reader, cast<OffsetSizeAndStrideOpInterface>(op), dim);
      if (failed(one))
        return failure();
      judged.push_back(*one);
      continue;
    }
    Value index = extract.getIndices()[dim];
    FailureOr<SmallVector<Value>> value;
    if (generic) {
      value = reader.emitBodyValues(generic, loops, index);
      if (failed(value))
        return failure();
    } else {
      FailureOr<Value> one = reader.scalar(index);
      if (failed(one))
        return failure();
      value = SmallVector<Value>{*one};
    }
    judged.push_back(judgeElement(reader, value->front(), dim));
  }
  return judged;
}

LogicalResult PositionCheck::check() {
  scratch =
      program.addScratch("check_positions faults", dims.constant(4 * chunks));
  DispatchBuilder d(program, op->getLoc(), "check_positions", workgroup);
  KernelBuilder &b = d.kernel();
  TensorReader reader(d);
  if (failed(reader.bind(kernel, /*readOnly=*/true)))
    return failure();
  KernelBuffer *faults = d.buffer(BufferUse::Write, scratch, b.getI32Type());
  Value count = pushCount(d), chunk = b.globalId();
  AffineExpr total = dims.constant(1);
  for (unsigned loop : order)
    total = total * sizes[loop];
  bool bad = false;
  b.ifThen(b.lt(chunk, b.idx(chunks)), [&] {
    SmallVector<Value> first = b.forLoop(
        chunk, count, b.idx(chunks), {b.i32(noFault)},
        [&](Value position, ValueRange args) -> SmallVector<Value> {
          FailureOr<SmallVector<Judged>> judged =
              judge(reader, getLoops(d, position));
          bad |= failed(judged);
          if (bad)
            return {args[0]};
          Value fault = b.boolean(false);
          for (const Judged &one : *judged)
            fault = b.logicalOr(fault, one.fault);
          return {b.min(args[0],
                        b.select(fault, b.toI32(position), b.i32(noFault)))};
        },
        total.ceilDiv(chunks));
    b.store(first[0], faults->scalars, chunk);
  });
  if (bad)
    return failure();
  d.setLabel("check positions");
  return d.dispatch({{dims.constant(llvm::divideCeil(chunks, workgroup))}});
}

std::string PositionCheck::getMessage(unsigned dim, const std::string &got) {
  std::string range = "[0, " + dims.describe(dims.getDim(tensor, dim)) + ")";
  std::string name = op->getName().getStringRef().str();
  if (isa<tensor::ExtractOp>(op))
    return "expected index " + std::to_string(dim) + " of '" + name +
           "' to be in " + range + ", but got " + got +
           (generic ? " at element {slot}" : "");
  return "expected '" + name + "' to start and end in " + range +
         " along dim " + std::to_string(dim) + ", but got start " + got;
}

// The status holds 32 bits; what does not fit is out of range anyway.
void PositionCheck::reportOne(KernelBuilder &b, KernelBuffer &status,
                              unsigned dim, const Judged &one, Value slot) {
  auto report = [&](Value condition, const std::string &got, Value value) {
    int32_t site =
        program.addFaultSite(kernel.getName(), 0, getMessage(dim, got));
    b.ifThen(condition, [&] {
      emitFault(b, status, FaultCode::IndexOutOfRange, site, slot, value);
    });
  };
  if (one.value.getType().isIndex())
    return report(one.fault, "{value}", b.toI32(one.value));
  auto isWithin = [&](int64_t low, int64_t high) {
    return b.logicalAnd(b.ge(one.value, b.constantLike(one.value, low)),
                        b.lt(one.value, b.constantLike(one.value, high)));
  };
  constexpr int64_t limit = int64_t(1) << 31;
  Value fits = isWithin(-limit, limit);
  report(b.logicalAnd(one.fault, fits), "{value}",
         b.toI32(b.toNarrow(one.value)));
  report(b.logicalAnd(one.fault, b.eq(fits, b.boolean(false))),
         "one of more than 32 bits", b.i32(0));
}

LogicalResult PositionCheck::report() {
  DispatchBuilder d(program, op->getLoc(), "report_positions",
                    scratch ? workgroup : 1);
  KernelBuilder &b = d.kernel();
  TensorReader reader(d);
  if (failed(reader.bind(kernel, /*readOnly=*/true)))
    return failure();
  KernelBuffer *status =
      d.buffer(BufferUse::Update, program.getStatus(), b.getI32Type());
  Value position = b.idx(0), isFault = b.lt(position, pushCount(d));
  if (scratch) {
    KernelBuffer *faults = d.buffer(BufferUse::Read, scratch, b.getI32Type());
    SmallVector<Value> mine = b.forLoop(
        b.threadId(), b.idx(chunks), b.idx(workgroup), {b.i32(noFault)},
        [&](Value chunk, ValueRange args) -> SmallVector<Value> {
          return {b.min(args[0], b.load(faults->scalars, chunk))};
        },
        dims.constant(llvm::divideCeil(chunks, workgroup)));
    Value first =
        getWorkgroupPrefix(b, mine[0], b.i32(noFault), [&](Value x, Value y) {
          return b.min(x, y);
        }).all;
    isFault =
        b.logicalAnd(b.eq(b.threadId(), b.idx(0)), b.ne(first, b.i32(noFault)));
    position = b.toIndex(first);
  }
  bool bad = false;
  b.ifThen(isFault, [&] {
    SmallVector<Value> loops = getLoops(d, position);
    FailureOr<SmallVector<Judged>> judged = judge(reader, loops);
    bad = failed(judged);
    if (bad)
      return;
    Value slot = getSlot(reader, loops);
    for (auto [dim, one] : llvm::zip(checked, *judged))
      reportOne(b, *status, dim, one, slot);
  });
  if (bad)
    return failure();
  d.setLabel("check positions: report");
  return d.dispatch({{dims.constant(1)}});
}

LogicalResult PositionCheck::run() {
  if (failed(findLoops()))
    return failure();
  if (order.empty())
    return report();
  AffineExpr count = dims.constant(1);
  for (unsigned loop : order)
    count = count * sizes[loop];
  if (auto known = dyn_cast<AffineConstantExpr>(count))
    chunks = std::clamp<int64_t>(
        llvm::divideCeil(known.getValue(), positionsPerChunk), 1, maxChunks);
  if (failed(check()))
    return failure();
  return report();
}

// A constant that is out of range is an error of the program.
static LogicalResult checkConstants(tensor::ExtractOp op) {
  for (auto [dim, index] : llvm::enumerate(op.getIndices())) {
    APInt value;
    int64_t size = op.getTensor().getType().getDimSize(dim);
    if (!matchPattern(index, m_ConstantInt(&value)))
      continue;
    int64_t at = value.getSExtValue();
    if (at < 0 || (!ShapedType::isDynamic(size) && at >= size))
      return op.emitOpError("expected index ")
             << dim << " to be in [0, "
             << (ShapedType::isDynamic(size) ? "?" : std::to_string(size))
             << "), but got " << at;
  }
  return success();
}

LogicalResult moe::checkPositions(KernelOp kernel, ProgramBuilder &program) {
  SymbolicDims &dims = program.dims();
  auto checkElement = [&](tensor::ExtractOp op) -> LogicalResult {
    llvm::SmallBitVector unproven = getUnproven(dims, op);
    if (unproven.none())
      return success();
    if (failed(checkConstants(op)))
      return failure();
    return PositionCheck(kernel, op, op.getTensor(), unproven, program).run();
  };
  auto checkSlice = [&](OffsetSizeAndStrideOpInterface slice,
                        Value within) -> LogicalResult {
    llvm::SmallBitVector unproven(slice.getMixedOffsets().size());
    for (unsigned dim = 0; dim < unproven.size(); ++dim)
      unproven[dim] = isCheckedOnDevice(dims, slice, within, dim);
    if (unproven.none())
      return success();
    return PositionCheck(kernel, slice, within, unproven, program).run();
  };
  for (Operation &op : kernel.getBody().front()) {
    LogicalResult checked =
        TypeSwitch<Operation *, LogicalResult>(&op)
            .Case([&](tensor::ExtractOp op) { return checkElement(op); })
            .Case([&](tensor::ExtractSliceOp op) {
              return checkSlice(op, op.getSource());
            })
            .Case([&](tensor::InsertSliceOp op) {
              return checkSlice(op, op.getDest());
            })
            .Case([&](linalg::GenericOp op) {
              for (auto extract : op.getBody()->getOps<tensor::ExtractOp>())
                if (failed(checkElement(extract)))
                  return failure();
              return success();
            })
            .Default(success());
    if (failed(checked))
      return failure();
  }
  return success();
}
