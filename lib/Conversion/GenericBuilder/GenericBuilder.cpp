//===- GenericBuilder.cpp - Builds parallel linalg.generic ops ------------===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "moe/Conversion/GenericBuilder.h"

using namespace mlir;
using namespace mlir::moe;

Value moe::emptyLike(ImplicitLocOpBuilder &b, RankedTensorType type,
                     ValueRange sizes) {
  SmallVector<Value> dynamic;
  for (Value size : sizes)
    if (dynamic.size() < static_cast<size_t>(type.getNumDynamicDims()))
      dynamic.push_back(size);
  return tensor::EmptyOp::create(b, type, dynamic);
}

Value moe::createGeneric(
    ImplicitLocOpBuilder &b, ValueRange inputs, ArrayRef<AffineMap> maps,
    Value init, unsigned loops,
    function_ref<Value(ImplicitLocOpBuilder &, ValueRange)> body) {
  SmallVector<AffineMap> all(maps);
  all.push_back(b.getMultiDimIdentityMap(loops));
  SmallVector<utils::IteratorType> iterators(loops,
                                             utils::IteratorType::parallel);
  auto op = linalg::GenericOp::create(
      b, init.getType(), inputs, init, all, iterators,
      [&](OpBuilder &nested, Location loc, ValueRange args) {
        ImplicitLocOpBuilder inner(loc, nested);
        Value result = body(inner, args.drop_back());
        linalg::YieldOp::create(inner, result);
      });
  return op.getResult(0);
}

Value moe::createReduction(
    ImplicitLocOpBuilder &b, ValueRange inputs, Value init,
    ArrayRef<AffineMap> maps,
    function_ref<Value(ImplicitLocOpBuilder &, ValueRange)> body) {
  SmallVector<utils::IteratorType> iterators(maps.back().getNumDims(),
                                             utils::IteratorType::reduction);
  for (AffineExpr expr : maps.back().getResults())
    iterators[cast<AffineDimExpr>(expr).getPosition()] =
        utils::IteratorType::parallel;
  auto op = linalg::GenericOp::create(
      b, init.getType(), inputs, init, maps, iterators,
      [&](OpBuilder &nested, Location loc, ValueRange args) {
        ImplicitLocOpBuilder inner(loc, nested);
        Value result = body(inner, args);
        linalg::YieldOp::create(inner, result);
      });
  return op.getResult(0);
}

Value moe::createSum(
    ImplicitLocOpBuilder &b, ValueRange inputs, Value init,
    ArrayRef<AffineMap> maps,
    function_ref<Value(ImplicitLocOpBuilder &, ValueRange)> body) {
  return createReduction(
      b, inputs, init, maps, [&](ImplicitLocOpBuilder &inner, ValueRange args) {
        Value term = body(inner, args.drop_back());
        return arith::AddFOp::create(inner, args.back(), term).getResult();
      });
}

Value moe::zeros(ImplicitLocOpBuilder &b, RankedTensorType type,
                 ValueRange sizes) {
  Value zero =
      arith::ConstantOp::create(b, b.getZeroAttr(type.getElementType()));
  return linalg::FillOp::create(b, zero, emptyLike(b, type, sizes))
      .getResult(0);
}

Value moe::extractInRange(OpBuilder &b, Location loc, Value tensor,
                          ValueRange indices) {
  auto element = tensor::ExtractOp::create(b, loc, tensor, indices);
  element->setAttr(inRangeAttrName, b.getUnitAttr());
  return element;
}

Value moe::extractInRange(ImplicitLocOpBuilder &b, Value tensor,
                          ValueRange indices) {
  return extractInRange(b, b.getLoc(), tensor, indices);
}

Value moe::isInSegment(ImplicitLocOpBuilder &b, Value offsets, int64_t expert,
                       int64_t row) {
  Value e = linalg::IndexOp::create(b, expert);
  Value next =
      arith::AddIOp::create(b, e, arith::ConstantIndexOp::create(b, 1));
  Value begin = extractInRange(b, offsets, e);
  Value end = extractInRange(b, offsets, next);
  Value r = arith::IndexCastOp::create(b, b.getI32Type(),
                                       linalg::IndexOp::create(b, row));
  return arith::AndIOp::create(
      b, arith::CmpIOp::create(b, arith::CmpIPredicate::sle, begin, r),
      arith::CmpIOp::create(b, arith::CmpIPredicate::slt, r, end));
}

Value moe::selectOrZero(ImplicitLocOpBuilder &b, Value condition, Value value) {
  Value zero = arith::ConstantOp::create(b, b.getZeroAttr(value.getType()));
  return arith::SelectOp::create(b, condition, value, zero);
}

Value moe::toF32(ImplicitLocOpBuilder &b, Value value) {
  return value.getType().isF32()
             ? value
             : Value(arith::ExtFOp::create(b, b.getF32Type(), value));
}

Value moe::fromF32(ImplicitLocOpBuilder &b, Value value, Type type) {
  return type.isF32() ? value : Value(arith::TruncFOp::create(b, type, value));
}

Value moe::multiplyInF32(ImplicitLocOpBuilder &b, Value value, Value weight) {
  Value product = arith::MulFOp::create(b, toF32(b, value), weight);
  return fromF32(b, product, value.getType());
}
