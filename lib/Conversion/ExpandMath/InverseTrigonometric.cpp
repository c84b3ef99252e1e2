//===- InverseTrigonometric.cpp - asin, acos, atan, atan2 -----------------===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "MathBuilder.h"

using namespace mlir;
using namespace mlir::moe;

static constexpr double halfPi = 1.57079637050628662;
static constexpr double halfPiLow = -4.37113882867e-08;

// x^3 P(x^2) of asin x = x + x^3 P(x^2), for |x| <= 1/2.
static Value asinTail(MathBuilder &b, Value x, Value square) {
  Value p = b.polynomial(square, {0.1666666, 0.07500515, 0.04451543, 0.03181746,
                                  0.014409406, 0.03754977});
  return b.mul(b.mul(square, x), p);
}

namespace {
/// |x| <= 1/2 itself, else s = sqrt((1 - |x|) / 2), with asin(s) - s, and what
/// the root's rounding left.
struct Half {
  Value wide; // i1: |x| > 1/2
  Value s;
  Value tail;
};
} // namespace

static Half halve(MathBuilder &b, Value magnitude) {
  Value wide = b.less(b.f(0.5), magnitude);
  Value z = b.mul(b.sub(b.f(1), magnitude), b.f(0.5));
  Value square = b.select(wide, z, b.mul(magnitude, magnitude));
  Value root = b.sqrt(z);
  Pair back = b.twoProduct(root, root);
  Value error = b.sub(b.sub(z, back.high), back.low);
  // At |x| = 1 the root is 0.
  Value correction =
      b.select(b.less(b.f(0), root), b.div(error, b.add(root, root)), b.f(0));
  Value s = b.select(wide, root, magnitude);
  Value tail = asinTail(b, s, square);
  return {wide, s, b.select(wide, b.add(tail, correction), tail)};
}

static Value emitAsin(MathBuilder &b, Value x) {
  Value magnitude = b.abs(x);
  Half h = halve(b, magnitude);
  Value twice = b.add(h.s, h.s), tails = b.add(h.tail, h.tail);
  Value wide = b.add(b.sub(b.f(halfPi), twice), b.sub(b.f(halfPiLow), tails));
  Value y = b.select(h.wide, wide, b.add(h.s, h.tail));
  y = b.select(b.less(b.f(1), magnitude), b.nan(), y);
  return b.select(b.isNaN(x), x, b.copySign(y, x));
}

static Value emitAcos(MathBuilder &b, Value x) {
  Value magnitude = b.abs(x);
  Half h = halve(b, magnitude);
  Value negative = b.less(x, b.f(0));
  Value twice = b.add(b.add(h.s, h.s), b.add(h.tail, h.tail));
  Value reflected = b.add(b.sub(b.f(2 * halfPi), b.add(h.s, h.s)),
                          b.sub(b.f(2 * halfPiLow), b.add(h.tail, h.tail)));
  Value s = b.copySign(h.s, x), tail = b.copySign(h.tail, x);
  Value narrow = b.add(b.sub(b.f(halfPi), s), b.sub(b.f(halfPiLow), tail));
  Value y = b.select(h.wide, b.select(negative, reflected, twice), narrow);
  y = b.select(b.less(b.f(1), magnitude), b.nan(), y);
  return b.select(b.isNaN(x), x, y);
}

// atan(small / large), as a pair: 0 <= small <= large, not both 0.
static Pair atanOfRatio(MathBuilder &b, Value small, Value large) {
  // Above tan(pi / 8): pi / 4 + atan((small - large) / (small + large)).
  Value ratio = b.div(small, large);
  Value wide = b.less(b.f(0.41421356), ratio);
  Value turned = b.div(b.sub(ratio, b.f(1)), b.add(ratio, b.f(1)));
  Value z = b.select(wide, turned, ratio);
  Value square = b.mul(z, z);
  Value p = b.polynomial(
      square, {-0.33333313, 0.1999839, -0.1424224, 0.10585492, -0.06059398});
  Value tail = b.mul(b.mul(square, z), p);
  Pair sum = b.fastTwoSum(b.select(wide, b.f(halfPi / 2), b.f(0)), z);
  sum.low =
      b.add(b.add(sum.low, tail), b.select(wide, b.f(halfPiLow / 2), b.f(0)));
  return {b.select(wide, sum.high, z), b.select(wide, sum.low, tail)};
}

static Value emitAtan(MathBuilder &b, Value x) {
  Value magnitude = b.abs(x);
  Value above = b.less(b.f(1), magnitude);
  Pair angle = atanOfRatio(b, b.select(above, b.f(1), magnitude),
                           b.select(above, magnitude, b.f(1)));
  Value rest =
      b.add(b.sub(b.f(halfPi), angle.high), b.sub(b.f(halfPiLow), angle.low));
  Value y = b.select(above, rest, b.add(angle.high, angle.low));
  return b.select(b.isNaN(x), x, b.copySign(y, x));
}

static Value emitAtan2(MathBuilder &b, Value y, Value x) {
  Value ax = b.abs(x), ay = b.abs(y);
  Value steep = b.less(ax, ay);
  Value small = b.select(steep, ax, ay), large = b.select(steep, ay, ax);
  // Equal ones are at 45 degrees, also two infinities; two zeros are not.
  Value same = b.equal(small, large);
  Value zero = b.equal(large, b.f(0));
  small = b.select(same, b.select(zero, b.f(0), b.f(1)), small);
  large = b.select(same, b.f(1), large);
  // Quotients of the largest numbers would leave the range on some devices.
  Value big = b.less(b.f(0x1p100), large);
  small = b.select(big, b.mul(small, b.f(0x1p-30)), small);
  large = b.select(big, b.mul(large, b.f(0x1p-30)), large);
  Pair angle = atanOfRatio(b, small, large);
  // pi / 2 - angle, then pi - that.
  Value high = b.select(steep, b.f(halfPi), b.f(0));
  Value low = b.select(steep, b.f(halfPiLow), b.f(0));
  Value left = b.compare(arith::CmpIPredicate::slt, b.bits(x), b.i(0));
  // +angle in the right flat and left steep octants.
  Value base = b.select(left, b.select(steep, high, b.f(2 * halfPi)), high);
  Value baseLow = b.select(left, b.select(steep, low, b.f(2 * halfPiLow)), low);
  Value minus = b.select(left, b.select(steep, b.i(0), b.i(0x80000000)),
                         b.select(steep, b.i(0x80000000), b.i(0)));
  Value h = b.fromBits(b.bxor(b.bits(angle.high), minus));
  Value l = b.fromBits(b.bxor(b.bits(angle.low), minus));
  Pair sum = b.twoSum(base, h);
  Value result = b.add(sum.high, b.add(sum.low, b.add(baseLow, l)));
  result = b.copySign(result, y);
  Value invalid = arith::OrIOp::create(b, b.isNaN(x), b.isNaN(y));
  return b.select(invalid, b.nan(), result);
}

void moe::populateInverseTrigonometricPatterns(RewritePatternSet &patterns) {
  patterns
      .add<ExpandF32<math::AcosOp, emitAcos>, ExpandF32<math::AsinOp, emitAsin>,
           ExpandF32<math::AtanOp, emitAtan>,
           ExpandF32<math::Atan2Op, emitAtan2>>(patterns.getContext());
}
