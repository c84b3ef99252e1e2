//===- GroupedOuter.cpp - Tiles of sums of outer products -----------------===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// One workgroup computes a tile of `rows` x `columns` of one expert's matrix,
// with `lanes` invocations and no workgroup memory, as the matmul family does:
// lane l owns columns 4l … 4l + 3 of every 4·lanes columns, for all rows of the
// tile. Each step takes one row r of the segment: 16 bytes of lhs[r] and of
// rhs[r] a lane; the elements of lhs reach the other lanes by shuffles.
//
// The segment's bounds are read from the offsets, so its length, 0 included, is
// the number of steps, and rows are added in ascending order. All rows may be
// one expert's: a device that leaves loops early gets several steps an
// iteration, in the same order.
//
//===----------------------------------------------------------------------===//

#include "Families.h"
#include "TensorReader.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::moe;

static constexpr int64_t maxWorkgroups = 65535; // of a dimension of a grid
// Steps of one iteration where a device leaves loops early and the number of
// rows is dynamic: enough for 262 thousand.
static constexpr int64_t unrollOfDynamicSizes = 4;

namespace {
class GroupedOuterLowering {
public:
  GroupedOuterLowering(KernelOp kernel, GroupedOuterOp op,
                       ProgramBuilder &program)
      : kernel(kernel), op(op), schedule(*kernel.getSchedule()),
        lanes(schedule.getLanes()), rows(schedule.getRows()),
        columns(schedule.getColumns()), groups(columns / (4 * lanes)),
        sharers(std::min(lanes, rows / 4)), height(op.getType().getDimSize(1)),
        width(op.getType().getDimSize(2)),
        d(program, kernel.getLoc(), kernel.getName(), lanes), b(d.kernel()),
        dims(program.dims()), reader(d) {}

  LogicalResult run();

private:
  LogicalResult emitTile(Value position);
  FailureOr<Value> readFour(Value matrix, ArrayRef<Value> outer, Value column,
                            int64_t size, bool whole);
  FailureOr<SmallVector<Value>> start();
  FailureOr<SmallVector<Value>> step(Value row, ValueRange sums);
  void store(Value vector, Value row, Value column);
  AffineExpr countTiles();
  LogicalResult dispatch();
  Value columnOf(int64_t group) {
    return b.add(firstColumn, b.add(b.mul(lane, 4), group * 4 * lanes));
  }

  KernelOp kernel;
  GroupedOuterOp op;
  ScheduleAttr schedule;
  int64_t lanes, rows, columns, groups;
  int64_t sharers; ///< lanes that load different elements of a row of lhs
  int64_t height, width;
  DispatchBuilder d;
  KernelBuilder &b;
  SymbolicDims &dims;
  TensorReader reader;

  KernelBuffer *output = nullptr;
  Value lane, expert, firstRow, firstColumn;
  std::pair<Value, Value>
      bound; ///< experts whose results are bound, if not all
};
} // namespace

// matrix[outer…, column … column + 3], of which those past the last are read
// from what is there: they are not stored.
FailureOr<Value> GroupedOuterLowering::readFour(Value matrix,
                                                ArrayRef<Value> outer,
                                                Value column, int64_t size,
                                                bool whole) {
  SmallVector<Value> at(outer);
  at.push_back(column);
  if (size % 4 == 0) {
    if (!whole)
      at.back() = b.min(column, b.idx(size - 4));
    return reader.read(matrix, at, 4);
  }
  SmallVector<Value> elements;
  for (int64_t i = 0; i < 4; ++i) {
    at.back() = b.min(b.add(column, i), b.idx(size - 1));
    FailureOr<Value> element = reader.read(matrix, at, 1);
    if (failed(element))
      return failure();
    elements.push_back(*element);
  }
  return Value(vector::FromElementsOp::create(
      b, VectorType::get({4}, b.getF32Type()), elements));
}

FailureOr<SmallVector<Value>> GroupedOuterLowering::start() {
  SmallVector<Value> sums;
  Value zero = arith::ConstantOp::create(
      b, b.getZeroAttr(VectorType::get({4}, b.getF32Type())));
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t group = 0; group < groups; ++group) {
      if (!op.getInit()) {
        sums.push_back(zero);
        continue;
      }
      Value m = b.min(b.add(firstRow, row), b.idx(height - 1));
      FailureOr<Value> value =
          readFour(op.getInit(), {expert, m}, columnOf(group), width,
                   width % columns == 0);
      if (failed(value))
        return failure();
      sums.push_back(*value);
    }
  return sums;
}

FailureOr<SmallVector<Value>> GroupedOuterLowering::step(Value row,
                                                         ValueRange sums) {
  SmallVector<Value> left, right;
  for (int64_t first = 0; first < rows; first += 4 * sharers) {
    Value m = b.add(firstRow, b.add(b.mul(b.rem(lane, sharers), 4), first));
    FailureOr<Value> value =
        readFour(op.getLhs(), {row}, m, height, height % rows == 0);
    if (failed(value))
      return failure();
    left.push_back(*value);
  }
  for (int64_t group = 0; group < groups; ++group) {
    FailureOr<Value> value = readFour(op.getRhs(), {row}, columnOf(group),
                                      width, width % columns == 0);
    if (failed(value))
      return failure();
    right.push_back(*value);
  }
  SmallVector<Value> result(sums);
  for (int64_t i = 0; i < rows; ++i) {
    Value own = vector::ExtractOp::create(b, left[i / (4 * sharers)], i % 4);
    Value all = lanes == 1 ? own : b.shuffle(own, b.i32(i / 4 % sharers));
    Value repeated = vector::BroadcastOp::create(
        b, VectorType::get({4}, b.getF32Type()), all);
    for (int64_t group = 0; group < groups; ++group) {
      Value &sum = result[i * groups + group];
      sum = b.contractableAdd(b.contractableMul(repeated, right[group]), sum);
    }
  }
  return result;
}

void GroupedOuterLowering::store(Value vector, Value row, Value column) {
  Value slot = bound.first ? b.sub(expert, bound.first) : expert;
  Value line = b.add(b.mul(slot, height), row);
  if (width % 4 == 0) {
    b.ifThen(b.lt(column, b.idx(width)), [&] {
      b.store(vector, output->vectors,
              b.add(b.mul(line, width / 4), b.div(column, 4)));
    });
    return;
  }
  for (int64_t j = 0; j < 4; ++j) {
    Value at = b.add(column, j);
    b.ifThen(b.lt(at, b.idx(width)), [&] {
      Value element = vector::ExtractOp::create(b, vector, j);
      b.store(element, output->scalars, b.add(b.mul(line, width), at));
    });
  }
}

LogicalResult GroupedOuterLowering::emitTile(Value position) {
  int64_t tiles = llvm::divideCeil(height, rows);
  expert = b.div(position, tiles);
  if (bound.first)
    expert = b.add(expert, bound.first);
  firstRow = b.mul(b.rem(position, tiles), rows);
  firstColumn = b.mul(b.workgroupId(), columns);
  FailureOr<Value> begin = reader.read(op.getOffsets(), {expert}, 1);
  FailureOr<Value> end = reader.read(op.getOffsets(), {b.add(expert, 1)}, 1);
  FailureOr<SmallVector<Value>> sums = start();
  if (failed(begin) || failed(end) || failed(sums))
    return failure();
  bool bad = false;
  SmallVector<Value> totals =
      b.longLoop(b.toIndex(*begin), b.toIndex(*end), b.idx(1), *sums,
                 dims.getDim(op.getLhs(), 0), unrollOfDynamicSizes,
                 [&](Value row, ValueRange args) {
                   FailureOr<SmallVector<Value>> next = step(row, args);
                   bad |= failed(next);
                   return bad ? SmallVector<Value>(args) : *next;
                 });
  if (bad)
    return failure();
  for (int64_t row = 0; row < rows; ++row) {
    Value m = b.add(firstRow, row);
    b.ifThen(b.lt(m, b.idx(height)), [&] {
      for (int64_t group = 0; group < groups; ++group)
        store(totals[row * groups + group], m, columnOf(group));
    });
  }
  return success();
}

// Tiles of rows of all experts whose results are bound.
AffineExpr GroupedOuterLowering::countTiles() {
  int64_t slice = schedule.getSlice();
  return dims.constant(llvm::divideCeil(height, rows) *
                       (slice ? slice : op.getExperts()));
}

// Column tiles in x; tiles of rows, expert by expert, in y.
LogicalResult GroupedOuterLowering::dispatch() {
  int64_t experts = op.getExperts(), slice = schedule.getSlice();
  AffineExpr tiles = countTiles();
  SmallVector<SmallVector<AffineExpr>> grid{
      {dims.constant(llvm::divideCeil(width, columns))},
      {tiles, dims.constant(maxWorkgroups)}};
  if (!slice)
    return d.dispatch(grid);
  SmallVector<Value> sliced;
  for (Value matrices : {Value(kernel.getResult(0)), Value(op.getInit())}) {
    // An init that is computed here has no buffer of its own.
    if (!matrices ||
        (matrices == op.getInit() && !isa<BlockArgument>(matrices)))
      continue;
    FailureOr<Value> buffer = d.program().getBuffer(matrices);
    if (failed(buffer))
      return failure();
    sliced.push_back(*buffer);
  }
  SmallVector<DispatchBuilder::Slice> slices;
  for (int64_t first = 0; first < experts; first += slice) {
    int64_t last = std::min(first + slice, experts);
    slices.push_back({first, last, dims.constant(first * height * width * 4),
                      dims.constant((last - first) * height * width * 4)});
  }
  return d.dispatchSlices(grid, sliced, slices);
}

LogicalResult GroupedOuterLowering::run() {
  Operation *yield = kernel.getBody().front().getTerminator();
  if (yield->getNumOperands() != 1 || yield->getOperand(0) != op.getResult())
    return kernel.emitOpError("expected to yield the result of '")
           << op->getName() << "' alone, but got another value";
  if (!op.getType().getElementType().isF32() ||
      !op.getLhs().getType().getElementType().isF32() ||
      !op.getType().hasStaticShape() || op.getType().getNumElements() == 0)
    return op.emitOpError("expected f32 matrices of a static shape that is "
                          "not empty, but got ")
           << op.getType() << " of " << op.getLhs().getType();
  if (rows % 4 != 0 || columns % (4 * lanes) != 0)
    return kernel.emitOpError(
               "expected the schedule's rows to be a multiple of 4 and its "
               "columns one of ")
           << 4 * lanes << " (4 per lane), but got " << rows << " and "
           << columns;
  if (!dims.getDim(op.getLhs(), 0))
    return op.emitOpError("expected a number of rows that follows from the "
                          "function's arguments, but got ")
           << op.getLhs().getType();
  if (failed(reader.bind(kernel)))
    return failure();
  FailureOr<KernelBuffer *> buffer = d.write(kernel.getResult(0));
  if (failed(buffer))
    return failure();
  output = *buffer;
  lane = lanes == 1 ? b.idx(0) : b.laneId();
  d.setLanes(lanes);
  d.setLabel(kernel.getName());
  Value experts = b.idx(op.getExperts());
  if (schedule.getSlice()) {
    bound = d.pushRange();
    if (Value init = op.getInit())
      reader.setBase(init, bound.first);
    experts = b.sub(bound.second, bound.first);
  }
  bool bad = false;
  b.forLoop(
      b.workgroupId(gpu::Dimension::y),
      b.mul(experts, llvm::divideCeil(height, rows)),
      b.workgroupCount(gpu::Dimension::y),
      [&](Value position) { bad |= failed(emitTile(position)); },
      countTiles().ceilDiv(maxWorkgroups));
  if (bad)
    return failure();

  AffineExpr bytes = dims.getBytes(kernel.getResult(0));
  for (BlockArgument argument : kernel.getBody().getArguments())
    if (isa<RankedTensorType>(argument.getType()))
      if (AffineExpr size = dims.getBytes(argument); size && bytes)
        bytes = bytes + size;
  d.setWork(dims.getDim(op.getLhs(), 0) * (2 * height * width), bytes);
  return dispatch();
}

LogicalResult moe::lowerGroupedOuter(KernelOp kernel, GroupedOuterOp op,
                                     ProgramBuilder &program) {
  return GroupedOuterLowering(kernel, op, program).run();
}
