//===- MatmulTile.cpp - The form of a tiled product -----------------------===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// --convert-moe-to-linalg leaves this form, but the pass that reads it may be
// given any other: nothing of it is taken for granted.
//
//===----------------------------------------------------------------------===//

#include "MatmulTile.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::moe;

static bool isStaticF32(Value value, ArrayRef<int64_t> shape) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.getElementType().isF32() && type.getShape() == shape;
}

static bool areAll(ArrayRef<OpFoldResult> values, int64_t expected) {
  return llvm::all_of(values, [&](OpFoldResult value) {
    return getConstantIntValue(value) == expected;
  });
}

static LogicalResult matchLoops(KernelOp kernel, MatmulTile &m) {
  Operation *yield = kernel.getBody().front().getTerminator();
  m.forall = yield->getOperand(0).getDefiningOp<scf::ForallOp>();
  if (kernel.getNumResults() != 1 || !m.forall || m.forall.getRank() != 2 ||
      m.forall->getParentOp() != kernel)
    return kernel.emitOpError(
        "expected a matmul kernel to hold an scf.forall over tiles "
        "and column tiles");
  if (!m.forall.isNormalized() || m.forall.getNumResults() != 1)
    return m.forall.emitOpError(
        "expected loops from 0 in steps of 1, with one result");
  auto type = cast<RankedTensorType>(m.forall.getResult(0).getType());
  if (type.getRank() != 2 || type.isDynamicDim(1) || type.getDimSize(1) == 0 ||
      !type.getElementType().isF32())
    return m.forall.emitOpError("expected a matrix of f32 with a static, "
                                "positive number of columns, but got ")
           << type;
  return success();
}

static LogicalResult matchStore(KernelOp kernel, ArrayRef<int64_t> shape,
                                MatmulTile &m) {
  Block &stores = *m.forall.getTerminator().getBody();
  if (llvm::hasSingleElement(stores))
    m.insert = dyn_cast<tensor::ParallelInsertSliceOp>(stores.front());
  if (!m.insert || m.insert.getDest() != m.forall.getRegionIterArgs()[0] ||
      !areAll(m.insert.getMixedStrides(), 1))
    return m.forall.emitOpError(
        "expected to insert one slice, of stride 1, into its result");
  auto valid = m.insert.getSource().getDefiningOp<tensor::ExtractSliceOp>();
  if (!valid || valid.getSourceType().getShape() != shape ||
      valid.getType().getRank() != 2 || !areAll(valid.getMixedOffsets(), 0) ||
      !areAll(valid.getMixedStrides(), 1))
    return m.insert.emitOpError("expected the upper left part of a static tile "
                                "of ")
           << shape[0] << " x " << shape[1] << ", as the schedule says";
  m.tile = valid.getSource();
  m.guard = m.tile.getDefiningOp<scf::IfOp>();
  if (!m.guard)
    return success();
  Value other =
      m.guard.elseYield().getOperand(cast<OpResult>(m.tile).getResultNumber());
  auto fill = other.getDefiningOp<linalg::FillOp>();
  if (!fill || !matchPattern(fill.getInputs()[0], m_AnyZeroFloat()))
    return m.guard.emitOpError("expected a tile of zeros in its else branch");
  m.tile =
      m.guard.thenYield().getOperand(cast<OpResult>(m.tile).getResultNumber());
  return success();
}

static LogicalResult matchProduct(ArrayRef<int64_t> shape, MatmulTile &m) {
  unsigned count = 0;
  m.forall.walk([&](linalg::MatmulOp op) {
    m.matmul = op;
    ++count;
  });
  Block *place = m.guard ? m.guard.thenBlock() : m.forall.getBody();
  if (count != 1 || m.matmul->getBlock() != place ||
      m.matmul->getNumResults() != 1)
    return m.forall.emitOpError("expected a linalg.matmul in the tile");
  MLIRContext *context = m.forall.getContext();
  auto map = [&](unsigned a, unsigned b) {
    return AffineMap::getMultiDimMapWithTargets(3, {a, b}, context);
  };
  SmallVector<AffineMap> maps = m.matmul.getIndexingMapsArray();
  m.transposed = maps[1] == map(1, 2); // (n, k)
  if (maps[0] != map(0, 2) || maps[2] != map(0, 1) ||
      (!m.transposed && maps[1] != map(2, 1)))
    return m.matmul.emitOpError("expected a product of (m, k) and (k, n), or "
                                "(n, k), in the tile");
  auto left = dyn_cast<RankedTensorType>(m.matmul.getInputs()[0].getType());
  int64_t reduced =
      left && left.getRank() == 2 ? left.getDimSize(1) : ShapedType::kDynamic;
  int64_t columns = shape[1];
  SmallVector<int64_t> right{reduced, columns};
  if (m.transposed)
    right = {columns, reduced};
  if (ShapedType::isDynamic(reduced) ||
      !isStaticF32(m.matmul.getInputs()[0], {shape[0], reduced}) ||
      !isStaticF32(m.matmul.getInputs()[1], right) ||
      !isStaticF32(m.matmul.getOutputs()[0], shape))
    return m.matmul.emitOpError("expected static tiles of f32 of ")
           << shape[0] << " rows and " << columns
           << " columns, as the schedule says, but got ("
           << m.matmul->getOperandTypes() << ")";
  return success();
}

FailureOr<MatmulTile> moe::matchMatmulTile(KernelOp kernel) {
  ScheduleAttr schedule = *kernel.getSchedule();
  int64_t shape[] = {schedule.getRows(), schedule.getColumns()};
  MatmulTile m;
  if (failed(matchLoops(kernel, m)) || failed(matchStore(kernel, shape, m)) ||
      failed(matchProduct(shape, m)))
    return failure();
  m.forall.walk([&](tensor::ExtractOp extract) {
    if (extract->hasAttr("moe.expert"))
      m.expert = extract;
  });
  if (int64_t width = 4 * schedule.getLanes(); shape[1] % width != 0)
    return kernel.emitOpError(
               "expected the schedule's columns to be a multiple of ")
           << width << " (4 per lane), but got " << shape[1];
  return m;
}
