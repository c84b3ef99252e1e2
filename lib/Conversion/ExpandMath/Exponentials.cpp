//===- Exponentials.cpp - exp, exp2, expm1 --------------------------------===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// e^x = 2^n e^r with n the integer nearest to x / log 2, so |r| <= log(2) / 2.
//
//===----------------------------------------------------------------------===//

#include "MathBuilder.h"

using namespace mlir;
using namespace mlir::moe;

// A NaN stays: it is on neither side.
static Value clamp(MathBuilder &b, Value x, double low, double high) {
  x = b.select(b.less(x, b.f(low)), b.f(low), x);
  return b.select(b.less(b.f(high), x), b.f(high), x);
}

namespace {
/// x = n log 2 + r.
struct Reduced {
  Value r;
  Rounded n;
};
} // namespace

static Reduced reduce(MathBuilder &b, Value x) {
  Rounded n = roundToInteger(b, b.mul(x, b.f(1.44269504088896341)));
  // The first part of log 2 has 15 bits: its products with n are exact.
  Value r = b.sub(x, b.mul(n.value, b.f(0.693145751953125)));
  return {b.sub(r, b.mul(n.value, b.f(1.428606765330187e-06))), n};
}

// e^r - 1 = r + r^2 P(r).
static Value expM1OfReduced(MathBuilder &b, Value r) {
  Value p = b.polynomial(
      r, {0.49999988, 0.16666517, 0.041669633, 0.008369112, 0.0013747027});
  return b.mulAdd(b.mul(r, r), p, r);
}

Value moe::emitExp(MathBuilder &b, Value x, int shift) {
  // Beyond, the result is 0 or infinite.
  Reduced reduced = reduce(b, clamp(b, x, -106, 91));
  Value power = b.add(expM1OfReduced(b, reduced.r), b.f(1));
  Value n = reduced.n.integer;
  return b.scale(power, shift ? b.iadd(n, b.i(shift)) : n);
}

Value moe::emitExp2(MathBuilder &b, Pair x) {
  Value high = clamp(b, x.high, -160, 160);
  Rounded n = roundToInteger(b, high);
  Value r = b.sub(high, n.value);
  if (x.low)
    r = b.add(r, b.select(b.equal(high, x.high), x.low, b.f(0)));
  Value p = b.polynomial(r, {0.6931472, 0.24022645, 0.05550359, 0.009618837,
                             0.0013391328, 0.00015239863});
  return b.scale(b.mulAdd(r, p, b.f(1)), n.integer);
}

// 2^n (e^r - 1) + (2^n - 1), in halves since 2^128 is too large.
Value moe::emitExpM1(MathBuilder &b, Value x) {
  Reduced reduced = reduce(b, clamp(b, x, -20, 89));
  Value n = reduced.n.integer;
  Value p = expM1OfReduced(b, reduced.r);
  Value power = b.fromBits(b.shl(b.iadd(n, b.i(126)), b.i(23)));
  Value half = b.mulAdd(power, p, b.sub(power, b.f(0.5)));
  Value y = b.select(b.compare(arith::CmpIPredicate::eq, n, b.i(0)), p,
                     b.add(half, half));
  // Keeps the sign of 0 and all bits of denormals.
  return b.select(b.less(b.abs(x), b.f(0x1p-26)), x, y);
}

static Value expand(MathBuilder &b, Value x) { return emitExp(b, x); }
static Value expandExp2(MathBuilder &b, Value x) {
  return emitExp2(b, {x, Value()});
}

void moe::populateExponentialPatterns(RewritePatternSet &patterns) {
  patterns
      .add<ExpandF32<math::ExpOp, expand>, ExpandF32<math::Exp2Op, expandExp2>,
           ExpandF32<math::ExpM1Op, emitExpM1>>(patterns.getContext());
}
