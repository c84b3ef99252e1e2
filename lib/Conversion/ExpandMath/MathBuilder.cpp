//===- MathBuilder.cpp - f32 functions from exact arithmetic --------------===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "MathBuilder.h"

using namespace mlir;
using namespace mlir::moe;

MathBuilder::MathBuilder(Location loc, OpBuilder &builder, Type like)
    : ImplicitLocOpBuilder(loc, builder), floats(getF32Type()),
      ints(getI32Type()) {
  if (auto vector = dyn_cast<VectorType>(like)) {
    floats = vector.clone(floats);
    ints = vector.clone(ints);
  }
}

// A constant of `type`, or of all elements of it.
static Value constant(MathBuilder &b, Type type, TypedAttr value) {
  if (auto vector = dyn_cast<VectorType>(type))
    value = DenseElementsAttr::get(vector, {Attribute(value)});
  return arith::ConstantOp::create(b, value);
}

Value MathBuilder::f(double value) {
  return constant(*this, floats, getF32FloatAttr(static_cast<float>(value)));
}
Value MathBuilder::i(uint32_t value) {
  return constant(*this, ints, getI32IntegerAttr(static_cast<int32_t>(value)));
}

Value MathBuilder::add(Value a, Value b) {
  return arith::AddFOp::create(*this, a, b);
}
Value MathBuilder::sub(Value a, Value b) {
  return arith::SubFOp::create(*this, a, b);
}
Value MathBuilder::mul(Value a, Value b) {
  return arith::MulFOp::create(*this, a, b);
}
Value MathBuilder::div(Value a, Value b) {
  return arith::DivFOp::create(*this, a, b);
}
Value MathBuilder::neg(Value a) {
  return fromBits(bxor(bits(a), i(0x80000000)));
}
Value MathBuilder::abs(Value a) {
  return fromBits(band(bits(a), i(0x7fffffff)));
}
Value MathBuilder::sqrt(Value a) { return math::SqrtOp::create(*this, a); }
Value MathBuilder::floor(Value a) { return math::FloorOp::create(*this, a); }

Value MathBuilder::polynomial(Value x, ArrayRef<double> coefficients) {
  Value sum = f(coefficients.back());
  for (double coefficient : llvm::reverse(coefficients.drop_back()))
    sum = mulAdd(sum, x, f(coefficient));
  return sum;
}

Value MathBuilder::bits(Value a) {
  return arith::BitcastOp::create(*this, ints, a);
}
Value MathBuilder::fromBits(Value a) {
  return arith::BitcastOp::create(*this, floats, a);
}
Value MathBuilder::toFloat(Value a) {
  return arith::SIToFPOp::create(*this, floats, a);
}
Value MathBuilder::unsignedToFloat(Value a) {
  return arith::UIToFPOp::create(*this, floats, a);
}
Value MathBuilder::iadd(Value a, Value b) {
  return arith::AddIOp::create(*this, a, b);
}
Value MathBuilder::isub(Value a, Value b) {
  return arith::SubIOp::create(*this, a, b);
}
Value MathBuilder::imul(Value a, Value b) {
  return arith::MulIOp::create(*this, a, b);
}
Value MathBuilder::band(Value a, Value b) {
  return arith::AndIOp::create(*this, a, b);
}
Value MathBuilder::bor(Value a, Value b) {
  return arith::OrIOp::create(*this, a, b);
}
Value MathBuilder::bxor(Value a, Value b) {
  return arith::XOrIOp::create(*this, a, b);
}
Value MathBuilder::shl(Value a, Value b) {
  return arith::ShLIOp::create(*this, a, b);
}
Value MathBuilder::shrU(Value a, Value b) {
  return arith::ShRUIOp::create(*this, a, b);
}
Value MathBuilder::shrS(Value a, Value b) {
  return arith::ShRSIOp::create(*this, a, b);
}

Value MathBuilder::compare(arith::CmpFPredicate predicate, Value a, Value b) {
  return arith::CmpFOp::create(*this, predicate, a, b);
}
Value MathBuilder::compare(arith::CmpIPredicate predicate, Value a, Value b) {
  return arith::CmpIOp::create(*this, predicate, a, b);
}
Value MathBuilder::isNaN(Value a) {
  return compare(arith::CmpIPredicate::ugt, band(bits(a), i(0x7fffffff)),
                 i(0x7f800000));
}
Value MathBuilder::select(Value condition, Value a, Value b) {
  return arith::SelectOp::create(*this, condition, a, b);
}
Value MathBuilder::copySign(Value a, Value b) {
  return fromBits(
      bor(band(bits(a), i(0x7fffffff)), band(bits(b), i(0x80000000))));
}

Value MathBuilder::infinity() {
  return f(std::numeric_limits<float>::infinity());
}
Value MathBuilder::nan() { return f(std::numeric_limits<float>::quiet_NaN()); }

// By two factors, since one has only half of the range. The first product is
// exact where the second rounds.
Value MathBuilder::scale(Value a, Value exponent) {
  Value half = shrS(exponent, i(1));
  auto power = [&](Value e) { return fromBits(shl(iadd(e, i(127)), i(23))); };
  return mul(mul(a, power(half)), power(isub(exponent, half)));
}

Parts MathBuilder::split(Value a) {
  Value denormal = less(abs(a), f(0x1p-126));
  Value word = bits(select(denormal, mul(a, f(0x1p24)), a));
  Value bias = select(denormal, i(127 + 24), i(127));
  Value field = band(shrU(word, i(23)), i(0xff));
  Value one = bor(band(word, i(0x807fffff)), i(0x3f800000));
  return {fromBits(one), isub(field, bias)};
}

Pair MathBuilder::twoSum(Value a, Value b) {
  Value sum = add(a, b);
  Value ofB = sub(sum, a);
  Value ofA = sub(sum, ofB);
  return {sum, add(sub(a, ofA), sub(b, ofB))};
}

Pair MathBuilder::fastTwoSum(Value a, Value b) {
  Value sum = add(a, b);
  return {sum, sub(b, sub(sum, a))};
}

// Halves of 12 bits each have exact products. Cut off by a mask they cannot
// overflow.
Pair MathBuilder::twoProduct(Value a, Value b) {
  auto high = [&](Value x) { return fromBits(band(bits(x), i(0xfffff000))); };
  Value product = mul(a, b);
  Value aHigh = high(a), bHigh = high(b);
  Value aLow = sub(a, aHigh), bLow = sub(b, bHigh);
  Value error = sub(mul(aHigh, bHigh), product);
  error = add(error, mul(aHigh, bLow));
  error = add(error, mul(aLow, bHigh));
  return {product, add(error, mul(aLow, bLow))};
}

// Near 1.5 * 2^23 the floats are the integers.
Rounded moe::roundToInteger(MathBuilder &b, Value x) {
  constexpr double shift = 12582912;
  Value shifted = b.add(x, b.f(shift));
  return {b.sub(shifted, b.f(shift)), b.isub(b.bits(shifted), b.i(0x4b400000))};
}
