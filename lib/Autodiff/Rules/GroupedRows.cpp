//===- GroupedRows.cpp - Builds what derivatives of rows need -------------===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "GroupedRows.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::moe;

static RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

Value PlanMaps::dispatch(RuleBuilder &b, Value x, Value weights) const {
  auto type = RankedTensorType::get(
      {typeOf(rowToSlot).getDimSize(0), typeOf(x).getDimSize(1)},
      typeOf(x).getElementType());
  return DispatchOp::create(b, type, x, offsets, slotToRow, rowToSlot, weights);
}

Value PlanMaps::combine(RuleBuilder &b, Value rows, Value weights,
                        CombineOrder order) const {
  auto type = RankedTensorType::get(
      {typeOf(slotToRow).getDimSize(0), typeOf(rows).getDimSize(1)},
      typeOf(rows).getElementType());
  return CombineOp::create(b, type, rows, offsets, slotToRow, rowToSlot,
                           weights, order, CombineRounding::Once);
}

Value PlanMaps::dot(RuleBuilder &b, Value perToken, Value rows) const {
  return CombineWeightGradOp::create(b, typeOf(slotToRow).clone(b.getF32Type()),
                                     perToken, rows, offsets, slotToRow,
                                     rowToSlot, DotStrategy::Tree);
}

// [T, K] -> [T·K]
static Value flatten(RuleBuilder &b, Value matrix) {
  return tensor::CollapseShapeOp::create(
      b, matrix, SmallVector<ReassociationIndices>{{0, 1}});
}

// [N] -> [N, 1]
static Value asColumn(RuleBuilder &b, Value vector) {
  auto type = typeOf(vector);
  OpFoldResult size = tensor::getMixedSize(b, b.getLoc(), vector, 0);
  return tensor::ExpandShapeOp::create(
      b, RankedTensorType::get({type.getDimSize(0), 1}, type.getElementType()),
      vector, SmallVector<ReassociationIndices>{{0, 1}},
      SmallVector<OpFoldResult>{size, b.getIndexAttr(1)});
}

// [N] -> the shape of `like`, [T, K]
static Value unflatten(RuleBuilder &b, Value vector, Value like) {
  auto type = typeOf(like).clone(typeOf(vector).getElementType());
  return tensor::ExpandShapeOp::create(
      b, type, vector, SmallVector<ReassociationIndices>{{0, 1}},
      tensor::getMixedSizes(b, b.getLoc(), like));
}

PlanMaps PlanMaps::perSlot(RuleBuilder &b) const {
  return {offsets, asColumn(b, flatten(b, slotToRow)), rowToSlot};
}

Value moe::staticOffsets(RuleBuilder &b, Value offsets, int64_t experts) {
  auto type = RankedTensorType::get({experts + 1}, b.getI32Type());
  if (offsets.getType() == type)
    return offsets;
  return tensor::CastOp::create(b, type, offsets);
}

Value moe::buildGroupedMatmul(RuleBuilder &b, Value lhs, Value rhs,
                              Value offsets, bool transposeRhs, Type element) {
  auto type = RankedTensorType::get(
      {typeOf(lhs).getDimSize(0), typeOf(rhs).getDimSize(transposeRhs ? 1 : 2)},
      element ? element : typeOf(lhs).getElementType());
  return GroupedMatmulOp::create(b, type, lhs, rhs, offsets, /*bias=*/Value(),
                                 transposeRhs);
}

Value moe::buildGroupedOuter(RuleBuilder &b, Value lhs, Value rhs,
                             Value offsets) {
  auto type = RankedTensorType::get({typeOf(offsets).getDimSize(0) - 1,
                                     typeOf(lhs).getDimSize(1),
                                     typeOf(rhs).getDimSize(1)},
                                    b.getF32Type());
  return GroupedOuterOp::create(b, type, lhs, rhs, offsets, /*init=*/Value());
}

Value moe::buildGroupedReduce(RuleBuilder &b, Value rows, Value offsets) {
  auto type = RankedTensorType::get(
      {typeOf(offsets).getDimSize(0) - 1, typeOf(rows).getDimSize(1)},
      b.getF32Type());
  return GroupedReduceOp::create(b, type, rows, offsets);
}

// A product over no features, plus the bias.
Value moe::repeatPerRow(RuleBuilder &b, Value perExpert, Value offsets,
                        Value like) {
  Type f32 = b.getF32Type();
  perExpert = castElements(b, b.getLoc(), perExpert, f32);
  int64_t experts = typeOf(perExpert).getDimSize(0);
  int64_t width = typeOf(perExpert).getDimSize(1);
  SmallVector<OpFoldResult> sizes{tensor::getMixedSize(b, b.getLoc(), like, 0),
                                  b.getIndexAttr(0)};
  Value lhs = tensor::EmptyOp::create(b, sizes, f32);
  Value rhs =
      tensor::EmptyOp::create(b, ArrayRef<int64_t>{experts, 0, width}, f32);
  auto type = RankedTensorType::get({typeOf(like).getDimSize(0), width}, f32);
  return GroupedMatmulOp::create(b, type, lhs, rhs, offsets, perExpert,
                                 /*transpose_rhs=*/false);
}

// Rows of [R, N], each times its own factor of [R].
static Value scaleRows(RuleBuilder &b, Value rows, Value factors) {
  RankedTensorType type = typeOf(rows);
  Value init = tensor::EmptyOp::create(
      b, tensor::getMixedSizes(b, b.getLoc(), rows), type.getElementType());
  AffineMap all = b.getMultiDimIdentityMap(2);
  SmallVector<utils::IteratorType> loops(2, utils::IteratorType::parallel);
  return linalg::GenericOp::create(
             b, init.getType(), ValueRange{rows, factors}, init,
             ArrayRef{all, all.dropResult(1), all}, loops,
             [&](OpBuilder &nested, Location loc, ValueRange args) {
               Value wide =
                   castElements(nested, loc, args[0], nested.getF32Type());
               Value product =
                   arith::MulFOp::create(nested, loc, wide, args[1]);
               Value result =
                   castElements(nested, loc, product, type.getElementType());
               linalg::YieldOp::create(nested, loc, result);
             })
      .getResult(0);
}

// ⟨left[r], right[r]⟩ + start[r], in f32.
static Value dotRows(RuleBuilder &b, Value left, Value right, Value start) {
  if (!start) {
    Value zero = arith::ConstantOp::create(b, b.getF32FloatAttr(0.0f));
    Value empty = tensor::EmptyOp::create(
        b, {tensor::getMixedSize(b, b.getLoc(), left, 0)}, b.getF32Type());
    start = linalg::FillOp::create(b, zero, empty).getResult(0);
  }
  AffineMap all = b.getMultiDimIdentityMap(2);
  SmallVector<utils::IteratorType> loops{utils::IteratorType::parallel,
                                         utils::IteratorType::reduction};
  return linalg::GenericOp::create(
             b, start.getType(), ValueRange{left, right}, start,
             ArrayRef{all, all, all.dropResult(1)}, loops,
             [&](OpBuilder &nested, Location loc, ValueRange args) {
               Type f32 = nested.getF32Type();
               Value x = castElements(nested, loc, args[0], f32);
               Value y = castElements(nested, loc, args[1], f32);
               Value term = arith::MulFOp::create(nested, loc, x, y);
               Value total = arith::AddFOp::create(nested, loc, args[2], term);
               linalg::YieldOp::create(nested, loc, total);
             })
      .getResult(0);
}

LogicalResult moe::combineOfProduct(CombineOp op, GroupedMatmulOp product,
                                    RuleBuilder &b, Cotangents &c) {
  PlanMaps maps(op), slots = maps.perSlot(b);
  Value lhs = product.getLhs(), rhs = product.getRhs(),
        bias = product.getBias();
  Value offsets = staticOffsets(b, product.getOffsets(), product.getExperts());
  Type element = getElementTypeOrSelf(lhs);
  Value g = castElements(b, b.getLoc(), c.of(op.getResult()), element);

  Value unweighted = maps.dispatch(b, g, nullptr);
  Value back = buildGroupedMatmul(b, unweighted, rhs, offsets,
                                  !product.getTransposeRhs(), b.getF32Type());
  Value perRow =
      slots.dispatch(b, asColumn(b, flatten(b, op.getWeights())), nullptr);
  perRow = flatten(b, perRow);

  Value dots;
  if (bias)
    dots = dotRows(b, unweighted, repeatPerRow(b, bias, offsets, lhs), nullptr);
  dots = dotRows(b, back, lhs, dots);
  Value perSlot =
      slots.combine(b, asColumn(b, dots), nullptr, CombineOrder::Slot);
  c.add(op.getWeights(), unflatten(b, flatten(b, perSlot), op.getWeights()));

  if (c.wants(lhs))
    c.add(lhs,
          castElements(b, b.getLoc(), scaleRows(b, back, perRow), element));
  if (c.wants(rhs)) {
    Value weighted = scaleRows(b, lhs, perRow);
    c.add(rhs, product.getTransposeRhs()
                   ? buildGroupedOuter(b, unweighted, weighted, offsets)
                   : buildGroupedOuter(b, weighted, unweighted, offsets));
  }
  if (bias && c.wants(bias))
    c.add(bias,
          buildGroupedReduce(b, maps.dispatch(b, g, op.getWeights()), offsets));
  return success();
}
