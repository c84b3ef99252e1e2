//===- Powers.cpp - powf, fpowi, cbrt -------------------------------------===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// |x|^y = 2^(y log2 |x|). An error of the logarithm is multiplied by up to 128
// there, so it is carried in two parts.
//
//===----------------------------------------------------------------------===//

#include "MathBuilder.h"

using namespace mlir;
using namespace mlir::moe;

// log2 of a positive, finite x.
static Pair log2OfPositive(MathBuilder &b, Value x) {
  constexpr uint32_t rootOfHalf = 0x3f3504f3;
  Value small = b.less(x, b.f(0x1p-126));
  Value word = b.bits(b.select(small, b.mul(x, b.f(0x1p24)), x));
  Value above = b.isub(word, b.i(rootOfHalf));
  Value m = b.fromBits(b.iadd(b.band(above, b.i(0x7fffff)), b.i(rootOfHalf)));
  Value e = b.toFloat(
      b.isub(b.shrS(above, b.i(23)), b.select(small, b.i(24), b.i(0))));
  // s = f / (2 + f) in two parts: what the division left, divided again.
  Value f = b.sub(m, b.f(1));
  Pair below = b.fastTwoSum(b.f(2), f);
  Value s = b.div(f, below.high);
  Pair back = b.twoProduct(s, below.high);
  Value left = b.sub(b.sub(b.sub(f, back.high), back.low), b.mul(s, below.low));
  Value sLow = b.div(left, below.high);
  // log m = 2 s + s^3 P(s^2).
  Value square = b.mul(s, s);
  Value p = b.polynomial(square, {0.6666666, 0.4000085, 0.2851014, 0.24029209});
  Pair sum = b.fastTwoSum(b.add(s, s), b.mul(b.mul(square, s), p));
  sum.low = b.add(sum.low, b.add(sLow, sLow));
  // Times 1 / log 2, plus e.
  Pair product = b.twoProduct(sum.high, b.f(1.4426950216293335));
  Value low =
      b.add(product.low, b.add(b.mul(sum.high, b.f(1.9259629911e-08)),
                               b.mul(sum.low, b.f(1.4426950216293335))));
  Pair total = b.twoSum(e, product.high);
  return b.fastTwoSum(total.high, b.add(total.low, low));
}

// |x|^(y + yLow), where x is neither 0 nor infinite.
static Value power(MathBuilder &b, Value x, Value y, Value yLow) {
  Pair log = log2OfPositive(b, x);
  Pair product = b.twoProduct(y, log.high);
  Value low = b.add(product.low, b.mul(y, log.low));
  if (yLow)
    low = b.add(low, b.mul(yLow, log.high));
  // Where the product leaves the range, so do its parts.
  Value inRange = b.less(b.abs(product.high), b.f(1024));
  Pair sum = b.fastTwoSum(product.high, low);
  return emitExp2(b, {b.select(inRange, sum.high, product.high),
                      b.select(inRange, sum.low, b.f(0))});
}

// The magnitude, also of 0 and infinite x.
static Value magnitudeOf(MathBuilder &b, Value ax, Value y, Value yLow) {
  Value zero = b.equal(ax, b.f(0));
  Value infinite = b.equal(ax, b.infinity());
  Value small = arith::XOrIOp::create(b, zero, b.less(y, b.f(0)));
  Value ends = b.select(small, b.f(0), b.infinity());
  Value special = arith::OrIOp::create(b, zero, infinite);
  Value inner = b.select(special, b.f(1), ax);
  return b.select(special, ends, power(b, inner, y, yLow));
}

// The cases of IEEE 754 and C.
static Value emitPow(MathBuilder &b, Value x, Value y) {
  Value ax = b.abs(x);
  Value r = magnitudeOf(b, ax, y, Value());
  Value isOne = b.equal(ax, b.f(1));
  r = b.select(isOne, b.f(1), r);
  Value whole = b.equal(b.floor(y), y);
  Value half = b.mul(y, b.f(0.5));
  Value sign = b.band(b.bits(x), b.i(0x80000000));
  Value odd = arith::AndIOp::create(
      b, whole, b.compare(arith::CmpFPredicate::ONE, b.floor(half), half));
  r = b.select(odd, b.fromBits(b.bxor(b.bits(r), sign)), r);
  Value finiteNegative =
      arith::AndIOp::create(b, b.less(x, b.f(0)), b.less(ax, b.infinity()));
  Value noReal = arith::AndIOp::create(
      b, finiteNegative, b.compare(arith::CmpFPredicate::ONE, b.floor(y), y));
  r = b.select(noReal, b.nan(), r);
  Value invalid = arith::OrIOp::create(b, b.isNaN(x), b.isNaN(y));
  r = b.select(invalid, b.nan(), r);
  Value always =
      arith::OrIOp::create(b, b.equal(x, b.f(1)), b.equal(y, b.f(0)));
  return b.select(always, b.f(1), r);
}

// An integer has up to 32 bits: two floats.
static Value emitPowI(MathBuilder &b, Value x, Value n) {
  Value ax = b.abs(x);
  Value y = b.toFloat(b.band(n, b.i(0xffffff00)));
  Value yLow = b.toFloat(b.band(n, b.i(0xff)));
  Value zero = b.equal(ax, b.f(0));
  Value infinite = b.equal(ax, b.infinity());
  Value special = arith::OrIOp::create(b, zero, infinite);
  Value negative = b.compare(arith::CmpIPredicate::slt, n, b.i(0));
  Value small = arith::XOrIOp::create(b, zero, negative);
  Value ends = b.select(small, b.f(0), b.infinity());
  // A small exponent is the first part: the product of the second is rounded.
  Value few = b.compare(arith::CmpIPredicate::ult, b.iadd(n, b.i(1u << 24)),
                        b.i(1u << 25));
  y = b.select(few, b.toFloat(n), y);
  yLow = b.select(few, b.f(0), yLow);
  Value r =
      b.select(special, ends, power(b, b.select(special, b.f(1), ax), y, yLow));
  Value sign = b.band(b.bits(x), b.shl(n, b.i(31)));
  r = b.fromBits(b.bxor(b.bits(r), sign));
  r = b.select(b.isNaN(x), b.nan(), r);
  return b.select(b.compare(arith::CmpIPredicate::eq, n, b.i(0)), b.f(1), r);
}

// A third of the exponent, a step of Halley's method and one of Newton's.
static Value emitCbrt(MathBuilder &b, Value x) {
  Value ax = b.abs(x);
  Value small = b.less(ax, b.f(0x1p-126));
  Value a = b.select(small, b.mul(ax, b.f(0x1p24)), ax);
  Value large = b.less(b.f(0x1p100), ax);
  a = b.select(large, b.mul(a, b.f(0x1p-24)), a);
  Value third = arith::DivUIOp::create(b, b.bits(a), b.i(3));
  Value y = b.fromBits(b.iadd(third, b.i(0x2a514067)));
  Value cube = b.mul(b.mul(y, y), y);
  // In quotients near 1, which stay in range.
  Value ratio = b.div(cube, a);
  y = b.mul(y, b.div(b.add(ratio, b.f(2)), b.add(b.add(ratio, ratio), b.f(1))));
  Value square = b.mul(y, y);
  y = b.sub(y, b.mul(b.sub(y, b.div(a, square)), b.f(0.33333334)));
  y = b.select(small, b.mul(y, b.f(0x1p-8)), y);
  y = b.select(large, b.mul(y, b.f(0x1p8)), y);
  Value finite = b.compare(arith::CmpIPredicate::ult,
                           b.isub(b.bits(ax), b.i(1)), b.i(0x7f7fffff));
  return b.select(finite, b.copySign(y, x), x);
}

namespace {
struct ExpandFPowI final : OpRewritePattern<math::FPowIOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::FPowIOp op,
                                PatternRewriter &rewriter) const override {
    Type type = op.getLhs().getType();
    if (isa<TensorType>(type) || !getElementTypeOrSelf(type).isF32() ||
        !getElementTypeOrSelf(op.getRhs().getType()).isInteger(32))
      return rewriter.notifyMatchFailure(op, "not of f32 and i32");
    MathBuilder b(op.getLoc(), rewriter, type);
    rewriter.replaceOp(op, emitPowI(b, op.getLhs(), op.getRhs()));
    return success();
  }
};
} // namespace

void moe::populatePowerPatterns(RewritePatternSet &patterns) {
  patterns.add<ExpandF32<math::CbrtOp, emitCbrt>,
               ExpandF32<math::PowFOp, emitPow>, ExpandFPowI>(
      patterns.getContext());
}
