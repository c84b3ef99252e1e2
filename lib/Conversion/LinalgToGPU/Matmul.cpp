//===- Matmul.cpp - Tiles of matrix products, dense and grouped -----------===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// scf.forall (tile, column tile) { linalg.matmul on static tiles }
//   -> one workgroup a tile, computed by `lanes` invocations in registers.
//
// Lane l owns columns 4l … 4l + 3 of every 4·lanes columns, for all rows of
// the tile. Each step of the reduction takes 4 elements: a lane loads its part
// of the left tile (row l, l + lanes, …) and of the right one, 16 bytes a
// load; the left elements reach the other lanes by subgroup shuffles with
// constant lanes. No workgroup memory and no barrier: on lavapipe either costs
// more than the arithmetic (a load costs 150-350 cycles whatever its width),
// and a subgroup of 8 or 32 lanes is enough to reuse what it loads.
//
// Every row sums its products in ascending order of the reduced index, by the
// same instructions wherever it lies in a tile, so its bits depend on its data
// alone.
//
//===----------------------------------------------------------------------===//

#include "Families.h"
#include "MatmulTile.h"
#include "TensorReader.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::moe;

static constexpr int64_t maxWorkgroups = 65535; // of a dimension of a grid

namespace {
class MatmulLowering : MatmulTile {
public:
  MatmulLowering(KernelOp kernel, ProgramBuilder &program)
      : kernel(kernel), schedule(*kernel.getSchedule()),
        lanes(schedule.getLanes()), rows(schedule.getRows()),
        columns(schedule.getColumns()), groups(columns / (4 * lanes)),
        d(program, kernel.getLoc(), kernel.getName(), lanes), b(d.kernel()),
        dims(program.dims()), reader(d) {}

  LogicalResult run();

private:
  LogicalResult match();
  LogicalResult emitTile();
  FailureOr<SmallVector<Value>> accumulate();
  FailureOr<SmallVector<Value>> step(Value k, int64_t count,
                                     ValueRange accumulators);
  LogicalResult storeTile(ArrayRef<Value> accumulators);
  LogicalResult store(Value vector, Value row, Value column);
  SmallVector<SmallVector<AffineExpr>> gridSizes();
  LogicalResult dispatchInSlices(Value experts);
  void setWork();

  KernelOp kernel;
  ScheduleAttr schedule;
  int64_t lanes, rows, columns, groups;
  DispatchBuilder d;
  KernelBuilder &b;
  SymbolicDims &dims;
  TensorReader reader;

  AffineExpr tiles; ///< loops of the forall over tiles
  Value lane;
  KernelBuffer *output = nullptr;
};
} // namespace

LogicalResult MatmulLowering::match() {
  FailureOr<MatmulTile> matched = matchMatmulTile(kernel);
  if (failed(matched))
    return failure();
  static_cast<MatmulTile &>(*this) = *matched;
  tiles = dims.getIndex(forall.getMixedUpperBound()[0]);
  if (!tiles)
    return forall.emitOpError("expected a number of tiles that follows from "
                              "the sizes of inputs");
  return success();
}

// `count` (4 or 1) steps of the reduction from `k` on.
FailureOr<SmallVector<Value>> MatmulLowering::step(Value k, int64_t count,
                                                   ValueRange accumulators) {
  Value left = matmul.getInputs()[0], right = matmul.getInputs()[1];
  SmallVector<Value> a;
  for (int64_t row = 0; row < rows; row += lanes) {
    Value i = b.add(b.rem(lane, std::min(lanes, rows)), row);
    FailureOr<Value> value = reader.read(left, {i, k}, count);
    if (failed(value))
      return failure();
    a.push_back(*value);
  }
  auto element = [&](Value vector, int64_t i) -> Value {
    return count == 1 ? vector : Value(vector::ExtractOp::create(b, vector, i));
  };
  // right[group][i]: the lane's 4 columns at k + i.
  SmallVector<SmallVector<Value>> columnsAt(groups);
  auto vectorType = VectorType::get({4}, b.getF32Type());
  for (int64_t group = 0; group < groups; ++group) {
    Value column = b.add(b.mul(lane, 4), group * 4 * lanes);
    if (!transposed) {
      for (int64_t i = 0; i < count; ++i) {
        FailureOr<Value> value = reader.read(right, {b.add(k, i), column}, 4);
        if (failed(value))
          return failure();
        columnsAt[group].push_back(*value);
      }
      continue;
    }
    SmallVector<Value> parts;
    for (int64_t j = 0; j < 4; ++j) {
      FailureOr<Value> value = reader.read(right, {b.add(column, j), k}, count);
      if (failed(value))
        return failure();
      parts.push_back(*value);
    }
    for (int64_t i = 0; i < count; ++i)
      columnsAt[group].push_back(vector::FromElementsOp::create(
          b, vectorType,
          ValueRange{element(parts[0], i), element(parts[1], i),
                     element(parts[2], i), element(parts[3], i)}));
  }
  SmallVector<Value> result(accumulators);
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t i = 0; i < count; ++i) {
      Value own = element(a[row / lanes], i);
      Value all = lanes == 1 ? own : b.shuffle(own, b.i32(row % lanes));
      Value repeated = vector::BroadcastOp::create(b, vectorType, all);
      for (int64_t group = 0; group < groups; ++group) {
        Value &sum = result[row * groups + group];
        sum = b.contractableAdd(
            b.contractableMul(repeated, columnsAt[group][i]), sum);
      }
    }
  return result;
}

FailureOr<SmallVector<Value>> MatmulLowering::accumulate() {
  SmallVector<Value> sums;
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t group = 0; group < groups; ++group) {
      Value column = b.add(b.mul(lane, 4), group * 4 * lanes);
      FailureOr<Value> start =
          reader.read(matmul.getOutputs()[0], {b.idx(row), column}, 4);
      if (failed(start))
        return failure();
      sums.push_back(*start);
    }
  int64_t reduced =
      cast<RankedTensorType>(matmul.getInputs()[0].getType()).getDimSize(1);
  bool bad = false;
  auto run = [&](int64_t from, int64_t to, int64_t count) {
    if (from == to)
      return;
    sums = b.longLoop(b.idx(from), b.idx(to), b.idx(count), sums, {},
                      /*unroll=*/1, [&](Value k, ValueRange args) {
                        FailureOr<SmallVector<Value>> next =
                            step(k, count, args);
                        bad |= failed(next);
                        return bad ? SmallVector<Value>(args) : *next;
                      });
  };
  run(0, reduced / 4 * 4, 4);
  run(reduced / 4 * 4, reduced, 1);
  if (bad)
    return failure();
  return sums;
}

LogicalResult MatmulLowering::store(Value vector, Value row, Value column) {
  int64_t total =
      cast<RankedTensorType>(forall.getResult(0).getType()).getDimSize(1);
  Value start = b.mul(row, total);
  if (total % 4 == 0) {
    b.ifThen(b.lt(column, b.idx(total)), [&] {
      Value position = b.add(b.mul(row, total / 4), b.div(column, 4));
      b.store(vector, output->vectors, position);
    });
    return success();
  }
  for (int64_t j = 0; j < 4; ++j) {
    Value at = b.add(column, j);
    b.ifThen(b.lt(at, b.idx(total)), [&] {
      b.store(vector::ExtractOp::create(b, vector, j), output->scalars,
              b.add(start, at));
    });
  }
  return success();
}

// The tile after its epilogue, element by element of this lane.
LogicalResult MatmulLowering::storeTile(ArrayRef<Value> accumulators) {
  FailureOr<Value> first =
      reader.offset(insert.getMixedOffsets()[0], /*fits=*/true);
  FailureOr<Value> columnStart =
      reader.offset(insert.getMixedOffsets()[1], /*fits=*/true);
  FailureOr<Value> count =
      reader.offset(insert.getMixedSizes()[0], /*fits=*/true);
  if (failed(first) || failed(columnStart) || failed(count))
    return failure();
  Value current;
  if (!accumulators.empty())
    reader.provide(
        matmul->getResult(0),
        [&](ArrayRef<Value>, int64_t) -> FailureOr<Value> { return current; });
  Value zero = arith::ConstantOp::create(
      b, b.getZeroAttr(VectorType::get({4}, b.getF32Type())));
  bool bad = false;
  for (int64_t row = 0; row < rows; ++row)
    b.ifThen(b.lt(b.idx(row), *count), [&] {
      for (int64_t group = 0; group < groups; ++group) {
        Value column = b.add(b.mul(lane, 4), group * 4 * lanes);
        Value value = zero;
        if (!accumulators.empty()) {
          current = accumulators[row * groups + group];
          FailureOr<Value> finished =
              reader.read(tile, {b.idx(row), column}, 4);
          bad |= failed(finished);
          value = bad ? zero : *finished;
        }
        bad |= failed(
            store(value, b.add(*first, row), b.add(*columnStart, column)));
      }
    });
  return failure(bad);
}

LogicalResult MatmulLowering::emitTile() {
  bool bad = false;
  auto product = [&] {
    FailureOr<SmallVector<Value>> sums = accumulate();
    bad |= failed(sums) || failed(storeTile(*sums));
    return SmallVector<Value>{};
  };
  if (!guard) {
    product();
    return failure(bad);
  }
  FailureOr<Value> live = reader.scalar(guard.getCondition());
  if (failed(live))
    return failure();
  b.ifElse(*live, product, [&] {
    bad |= failed(storeTile({}));
    return SmallVector<Value>{};
  });
  return failure(bad);
}

// Column tiles in x; tiles in y, strided over when there are more than the
// guaranteed limit.
SmallVector<SmallVector<AffineExpr>> MatmulLowering::gridSizes() {
  auto type = cast<RankedTensorType>(forall.getResult(0).getType());
  return {{dims.constant(llvm::divideCeil(type.getDimSize(1), columns))},
          {tiles, dims.constant(maxWorkgroups)}};
}

LogicalResult MatmulLowering::dispatchInSlices(Value experts) {
  FailureOr<Value> buffer = d.program().getBuffer(experts);
  if (failed(buffer))
    return failure();
  auto type = cast<RankedTensorType>(experts.getType());
  int64_t bytes = type.getNumElements() / type.getDimSize(0) * 4;
  SmallVector<DispatchBuilder::Slice> slices;
  for (int64_t begin = 0; begin < type.getDimSize(0);
       begin += schedule.getSlice()) {
    int64_t end = std::min(begin + schedule.getSlice(), type.getDimSize(0));
    slices.push_back({begin, end, dims.constant(begin * bytes),
                      dims.constant((end - begin) * bytes)});
  }
  return d.dispatchSlices(gridSizes(), {*buffer}, slices);
}

LogicalResult MatmulLowering::run() {
  if (failed(match()) || failed(reader.bind(kernel)))
    return failure();
  FailureOr<KernelBuffer *> buffer = d.write(kernel.getResult(0));
  if (failed(buffer))
    return failure();
  output = *buffer;
  lane = lanes == 1 ? b.idx(0) : b.laneId();
  d.setLanes(lanes);
  d.setLabel(kernel.getName());

  // The experts whose matrices are bound, when not all are.
  Value experts;
  std::pair<Value, Value> bound;
  if (schedule.getSlice()) {
    forall.walk([&](tensor::ExtractOp extract) {
      if (extract->hasAttr("moe.experts"))
        experts = extract.getTensor();
    });
    auto type = experts ? dyn_cast<RankedTensorType>(experts.getType())
                        : RankedTensorType();
    if (!expert || !isa_and_present<BlockArgument>(experts) ||
        !type.hasStaticShape() || type.getNumElements() == 0)
      return kernel.emitOpError("expected a grouped matmul under a schedule "
                                "with slices, of a static and positive number "
                                "of matrices");
    bound = d.pushRange();
    reader.setBase(experts, bound.first);
  }

  bool bad = false;
  b.forLoop(
      b.workgroupId(gpu::Dimension::y), d.push(tiles),
      b.workgroupCount(gpu::Dimension::y),
      [&](Value position) {
        reader.map(forall.getInductionVars()[0], position);
        reader.map(forall.getInductionVars()[1], b.workgroupId());
        // The table's entry is read once a tile.
        forall.walk([&](arith::IndexCastOp cast) {
          if (!cast.getIn().getDefiningOp<tensor::ExtractOp>() ||
              cast->getParentOp() != forall)
            return;
          FailureOr<Value> value = reader.scalar(cast);
          bad |= failed(value);
          if (succeeded(value))
            reader.map(cast, *value);
        });
        if (!experts) {
          bad |= failed(emitTile());
          return;
        }
        FailureOr<Value> own = reader.scalar(expert);
        bad |= failed(own);
        if (bad)
          return;
        // Tail tiles (expert -1) belong to the first slice.
        Value index = b.max(b.toIndex(*own), b.idx(0));
        Value inside =
            b.logicalAnd(b.ge(index, bound.first), b.lt(index, bound.second));
        b.ifThen(inside, [&] { bad |= failed(emitTile()); });
      },
      tiles.ceilDiv(maxWorkgroups));
  if (bad)
    return failure();
  setWork();
  return experts ? dispatchInSlices(experts) : d.dispatch(gridSizes());
}

// Useful work: 2·rows·N·C flops. R rows for a grouped product, though some of
// them may be dropped: only the device knows.
void MatmulLowering::setWork() {
  auto type = cast<RankedTensorType>(forall.getResult(0).getType());
  int64_t reduced =
      cast<RankedTensorType>(matmul.getInputs()[0].getType()).getDimSize(1);
  AffineExpr total = dims.getDim(forall.getResult(0), 0);
  AffineExpr bytes = dims.getBytes(forall.getResult(0));
  for (BlockArgument argument : kernel.getBody().getArguments())
    if (isa<RankedTensorType>(argument.getType()))
      if (AffineExpr size = dims.getBytes(argument); size && bytes)
        bytes = bytes + size;
  d.setWork(total * (2 * reduced * type.getDimSize(1)), bytes);
}

LogicalResult moe::lowerMatmul(KernelOp kernel, ProgramBuilder &program) {
  return MatmulLowering(kernel, program).run();
}
