//===- Fma.cpp - A product and a sum that are rounded once ----------------===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// Drivers have an fma that rounds twice. Here the exact product is a pair, and
// the sum of three floats is rounded by the method of Boldo and Melquiond
// ("Emulation of FMA and correctly rounded sums: proved algorithms using
// rounding to odd", 2008). Mantissas and exponents are apart, so that no step
// over- or underflows.
//
//===----------------------------------------------------------------------===//

#include "MathBuilder.h"

using namespace mlir;
using namespace mlir::moe;

static Value max(MathBuilder &b, Value x, Value y) {
  return arith::MaxSIOp::create(b, x, y);
}

// 2^exponent, of a normal float.
static Value powerOf2(MathBuilder &b, Value exponent) {
  return b.fromBits(b.shl(b.iadd(exponent, b.i(127)), b.i(23)));
}

// x + y, where what is not exact has an odd last bit: a later rounding to fewer
// bits sees that there was more, and on which side.
static Value addToOdd(MathBuilder &b, Value x, Value y) {
  Pair sum = b.twoSum(x, y);
  Value word = b.bits(sum.high);
  Value exact = b.equal(sum.low, b.f(0));
  Value odd = b.compare(arith::CmpIPredicate::ne, b.band(word, b.i(1)), b.i(0));
  Value inwards = b.shrS(b.bxor(word, b.bits(sum.low)), b.i(31));
  Value next = b.iadd(word, b.bor(inwards, b.i(1)));
  Value keep = arith::OrIOp::create(b, exact, odd);
  return b.select(keep, sum.high, b.fromBits(next));
}

// Of finite numbers other than 0.
static Value roundOnce(MathBuilder &b, Value x, Value y, Value z) {
  Parts ofX = b.split(x), ofY = b.split(y), ofZ = b.split(z);
  Pair product = b.twoProduct(ofX.mantissa, ofY.mantissa);
  // In units of 2^unit the product is below 4, and the addend below 2^61. What
  // is so small that only its sign matters is brought near, and stays small.
  Value exponent = b.iadd(ofX.exponent, ofY.exponent);
  Value unit = max(b, exponent, b.isub(ofZ.exponent, b.i(60)));
  Value toUnit =
      powerOf2(b, max(b, b.isub(exponent, unit), b.i(uint32_t(-60))));
  product = {b.mul(product.high, toUnit), b.mul(product.low, toUnit)};
  Value addend = b.mul(
      ofZ.mantissa,
      powerOf2(b, max(b, b.isub(ofZ.exponent, unit), b.i(uint32_t(-100)))));
  Pair low = b.twoSum(addend, product.low);
  Pair high = b.twoSum(product.high, low.high);
  Value rest = addToOdd(b, low.low, high.low);
  Value normal = b.add(high.high, rest);
  // A denormal result has its last bit at 2^-149, whatever its size: as a sum
  // with the least normal number, of its sign, has.
  Value least = powerOf2(
      b, max(b, b.isub(b.i(uint32_t(-126)), unit), b.i(uint32_t(-126))));
  Value grid = b.copySign(least, normal);
  Pair coarse = b.twoSum(grid, high.high);
  Value denormal =
      b.sub(b.add(coarse.high, addToOdd(b, coarse.low, rest)), grid);
  Value sum = b.select(b.less(b.abs(normal), least), denormal, normal);
  return b.copySign(b.scale(sum, unit), normal);
}

static Value emitFma(MathBuilder &b, Value x, Value y, Value z) {
  auto isFinite = [&](Value value) {
    return b.compare(arith::CmpIPredicate::ult, b.bits(b.abs(value)),
                     b.i(0x7f800000));
  };
  auto isZero = [&](Value value) { return b.equal(value, b.f(0)); };
  Value product = b.mul(x, y);
  Value zeroX = isZero(x);
  Value noProduct = arith::OrIOp::create(b, zeroX, isZero(y));
  Value finite = arith::AndIOp::create(b, isFinite(x), isFinite(y));
  Value some = b.select(finite, roundOnce(b, x, y, z), b.add(product, z));
  // A product that underflows keeps its sign, and one that overflows is finite.
  Value result = b.select(isZero(z), product, some);
  // Of operands that are constants, drivers would lose NaN and signs.
  Value zero =
      emitProductWithZero(b, b.select(zeroX, y, x), b.select(zeroX, x, y));
  zero = b.select(b.isNaN(zero), zero, emitSumWithZero(b, z, zero));
  result = b.select(noProduct, zero, result);
  Value addendDecides = arith::AndIOp::create(
      b, finite,
      b.compare(arith::CmpIPredicate::uge, b.bits(b.abs(z)), b.i(0x7f800000)));
  return b.select(addendDecides, z, result);
}

void moe::populateFmaPatterns(RewritePatternSet &patterns) {
  patterns.add<ExpandF32<math::FmaOp, emitFma>>(patterns.getContext());
}
