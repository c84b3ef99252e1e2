//===- Logarithms.cpp - log, log2, log10, log1p ---------------------------===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// x = 2^e (1 + f) with 1 + f in [sqrt(1/2), sqrt(2)), so that near 1 nothing
// is added to log(1 + f).
//
//===----------------------------------------------------------------------===//

#include "MathBuilder.h"

using namespace mlir;
using namespace mlir::moe;

namespace {
struct Split {
  Value f;
  Value exponent; // an integer
};
} // namespace

// Of a positive and finite x, denormal or not.
static Split split(MathBuilder &b, Value x) {
  constexpr uint32_t rootOfHalf = 0x3f3504f3;
  Value small = b.less(x, b.f(0x1p-126));
  Value word = b.bits(b.select(small, b.mul(x, b.f(0x1p24)), x));
  Value above = b.isub(word, b.i(rootOfHalf));
  Value fraction = b.iadd(b.band(above, b.i(0x7fffff)), b.i(rootOfHalf));
  Value exponent =
      b.isub(b.shrS(above, b.i(23)), b.select(small, b.i(24), b.i(0)));
  return {b.sub(b.fromBits(fraction), b.f(1)), exponent};
}

// f^3 P(f) and f^2 / 2 of log(1 + f) = f - f^2 / 2 + f^3 P(f).
static std::pair<Value, Value> terms(MathBuilder &b, Value f) {
  Value p = b.polynomial(f, {0.3333331, -0.25000015, 0.20002227, -0.16667727,
                             0.14217563, -0.12409747, 0.11905414, -0.11655148,
                             0.066841565});
  Value square = b.mul(f, f);
  return {b.mul(b.mul(square, f), p), b.mul(square, b.f(0.5))};
}

// log(1 + f) + e log 2.
static Value natural(MathBuilder &b, Split x) {
  Value e = b.toFloat(x.exponent);
  auto [cubic, halfSquare] = terms(b, x.f);
  Value low = b.mulAdd(e, b.f(1.428606765330187e-06), cubic);
  Value sum = b.sub(x.f, b.sub(halfSquare, low));
  return b.mulAdd(e, b.f(0.693145751953125), sum);
}

// log(1 + f) / log(base) + e / log2(base), the factors given in two parts
// each. Where e is not 0 the second sum is at least half as large.
static Value toBase(MathBuilder &b, Split x, double scaleHigh, double scaleLow,
                    double stepHigh, double stepLow) {
  Value e = b.toFloat(x.exponent);
  auto [cubic, halfSquare] = terms(b, x.f);
  Value tail = b.sub(cubic, halfSquare);
  Pair sum = b.fastTwoSum(x.f, tail);
  Value low = b.mulAdd(sum.high, b.f(scaleLow), b.mul(sum.low, b.f(scaleHigh)));
  Pair product = b.twoProduct(sum.high, b.f(scaleHigh));
  low = b.add(b.add(product.low, low), b.mul(e, b.f(stepLow)));
  return b.add(b.mul(e, b.f(stepHigh)), b.add(product.high, low));
}

// What is not positive and finite has no logarithm, or a known one.
static Value withSpecials(MathBuilder &b, Value x, Value y) {
  Value finite = b.compare(arith::CmpIPredicate::ult, b.isub(b.bits(x), b.i(1)),
                           b.i(0x7f7fffff));
  Value zero = b.compare(arith::CmpIPredicate::eq,
                         b.band(b.bits(x), b.i(0x7fffffff)), b.i(0));
  Value infinite =
      b.compare(arith::CmpIPredicate::eq, b.bits(x), b.i(0x7f800000));
  Value special =
      b.select(zero, b.neg(b.infinity()), b.select(infinite, x, b.nan()));
  return b.select(finite, y, special);
}

Value moe::emitLog(MathBuilder &b, Value x) {
  return withSpecials(b, x, natural(b, split(b, x)));
}

static Value emitLog2(MathBuilder &b, Value x) {
  return withSpecials(
      b, x, toBase(b, split(b, x), 1.4426950216293335, 1.9259629911e-08, 1, 0));
}

static Value emitLog10(MathBuilder &b, Value x) {
  return withSpecials(b, x,
                      toBase(b, split(b, x), 0.4342944920063019,
                             -1.0103050119e-08, 0.301025390625,
                             4.6050389811952e-06));
}

// u = 1 + x rounded, and what the rounding left goes into f.
Value moe::emitLog1p(MathBuilder &b, Value x) {
  Value u = b.add(x, b.f(1));
  Value left = b.select(b.less(b.f(1), x), b.sub(b.f(1), b.sub(u, x)),
                        b.sub(x, b.sub(u, b.f(1))));
  Split parts = split(b, u);
  // Nothing is left of the largest: their factor is 0.
  Value exponent = arith::MinSIOp::create(b, parts.exponent, b.i(127));
  Value scale = b.fromBits(b.shl(b.isub(b.i(127), exponent), b.i(23)));
  parts.f = b.mulAdd(left, scale, parts.f);
  Value y = withSpecials(b, u, natural(b, parts));
  return b.select(b.less(b.abs(x), b.f(0x1p-25)), x, y);
}

void moe::populateLogarithmPatterns(RewritePatternSet &patterns) {
  patterns
      .add<ExpandF32<math::LogOp, emitLog>, ExpandF32<math::Log2Op, emitLog2>,
           ExpandF32<math::Log10Op, emitLog10>,
           ExpandF32<math::Log1pOp, emitLog1p>>(patterns.getContext());
}
