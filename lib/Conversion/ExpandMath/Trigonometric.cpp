//===- Trigonometric.cpp - sin, cos, tan, sincos --------------------------===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// The reduction modulo pi / 2 is that of Payne and Hanek, in integers: of the
// product of x and 2 / pi, the bits above the fourth quadrant are never formed.
// So the bound holds for every x.
//
//===----------------------------------------------------------------------===//

#include "MathBuilder.h"

using namespace mlir;
using namespace mlir::moe;

namespace {
/// x = quadrant pi / 2 + r, with |r| <= pi / 4 (or a little more).
struct Quadrant {
  Value r;
  Value quadrant;
};
} // namespace

// The 32 bits from bit `shift` on of two words that follow each other.
static Value funnel(MathBuilder &b, Value high, Value low, Value shift) {
  Value rest = b.shrU(b.shrU(low, b.i(1)), b.isub(b.i(31), shift));
  return b.bor(b.shl(high, shift), rest);
}

static Quadrant reduce(MathBuilder &b, Value x) {
  // 2 / pi behind 32 zeros.
  constexpr uint32_t table[] = {0,          0xa2f9836e, 0x4e441529, 0xfc2757d1,
                                0xf534ddc0, 0xdb629599, 0x3c439041, 0xfe5163ab};
  Value magnitude = b.abs(x);
  Value word = b.bits(magnitude);
  // An x below 1/2 is its own r; it takes part as if of exponent 126.
  Value exponent = b.shrU(word, b.i(23));
  exponent = b.select(b.compare(arith::CmpIPredicate::ult, exponent, b.i(126)),
                      b.i(126), exponent);
  Value mantissa = b.bor(b.band(word, b.i(0x7fffff)), b.i(0x800000));
  // The first of 96 bits whose product with the mantissa has quadrants above
  // bit 94.
  Value offset = b.isub(exponent, b.i(120));
  Value start = b.shrU(offset, b.i(5)), shift = b.band(offset, b.i(31));
  SmallVector<Value> words;
  for (int at = 0; at < 4; ++at) {
    Value chosen = b.i(table[at]);
    for (int from = 1; from <= 4; ++from)
      chosen = b.select(b.compare(arith::CmpIPredicate::eq, start, b.i(from)),
                        b.i(table[at + from]), chosen);
    words.push_back(chosen);
  }
  Value w0 = funnel(b, words[0], words[1], shift);
  Value w1 = funnel(b, words[1], words[2], shift);
  Value w2 = funnel(b, words[2], words[3], shift);
  auto last = arith::MulUIExtendedOp::create(b, mantissa, w2);
  auto middle = arith::MulUIExtendedOp::create(b, mantissa, w1);
  Value low = b.iadd(last.getHigh(), middle.getLow());
  Value carry =
      b.select(b.compare(arith::CmpIPredicate::ult, low, middle.getLow()),
               b.i(1), b.i(0));
  Value high = b.iadd(b.iadd(b.imul(mantissa, w0), middle.getHigh()), carry);
  Value quadrant = b.shrU(b.iadd(high, b.i(1u << 29)), b.i(30));
  Value fraction = b.isub(high, b.shl(quadrant, b.i(30)));
  // Where the upper word is short, the lower one fills it up.
  Value sum =
      b.mulAdd(b.unsignedToFloat(low), b.f(0x1p-32), b.toFloat(fraction));
  Value r = b.mul(sum, b.f(1.57079632679489662 * 0x1p-30));
  Value own = b.less(magnitude, b.f(0.78539816));
  return {b.select(own, magnitude, r), b.select(own, b.i(0), quadrant)};
}

static Value sine(MathBuilder &b, Value r) {
  Value z = b.mul(r, r);
  Value p = b.polynomial(
      z, {-0.16666667, 0.008333373, -0.00019850304, 2.8045297e-06});
  return b.mulAdd(b.mul(z, r), p, r);
}

static Value cosine(MathBuilder &b, Value r) {
  Value z = b.mul(r, r);
  Value p = b.polynomial(z, {0.041666646, -0.0013887313, 2.4432971e-05});
  Value half = b.mul(z, b.f(0.5));
  Value sum = b.sub(b.f(1), half);
  Value lost = b.sub(b.sub(b.f(1), sum), half);
  return b.add(sum, b.add(lost, b.mul(b.mul(z, z), p)));
}

static Value isOdd(MathBuilder &b, Value integer) {
  return b.compare(arith::CmpIPredicate::ne, b.band(integer, b.i(1)), b.i(0));
}

// An infinite argument has no angle.
static Value ofFinite(MathBuilder &b, Value x, Value y) {
  Value finite =
      b.compare(arith::CmpIPredicate::ult, b.bits(b.abs(x)), b.i(0x7f800000));
  return b.select(finite, y, b.nan());
}

// The sign of quadrants 2 and 3.
static Value withQuadrantSign(MathBuilder &b, Value quadrant, Value y) {
  Value sign = b.shl(b.band(quadrant, b.i(2)), b.i(30));
  return b.fromBits(b.bxor(b.bits(y), sign));
}

static Value sinOf(MathBuilder &b, Value x, Quadrant at) {
  Value y = b.select(isOdd(b, at.quadrant), cosine(b, at.r), sine(b, at.r));
  y = withQuadrantSign(b, at.quadrant, y);
  Value sign = b.band(b.bits(x), b.i(0x80000000));
  return ofFinite(b, x, b.fromBits(b.bxor(b.bits(y), sign)));
}

static Value cosOf(MathBuilder &b, Value x, Quadrant at) {
  Value y = b.select(isOdd(b, at.quadrant), sine(b, at.r), cosine(b, at.r));
  return ofFinite(b, x, withQuadrantSign(b, b.iadd(at.quadrant, b.i(1)), y));
}

static Value emitSin(MathBuilder &b, Value x) {
  return sinOf(b, x, reduce(b, x));
}
static Value emitCos(MathBuilder &b, Value x) {
  return cosOf(b, x, reduce(b, x));
}

static Value emitTan(MathBuilder &b, Value x) {
  Quadrant at = reduce(b, x);
  Value odd = isOdd(b, at.quadrant);
  Value s = sine(b, at.r), c = cosine(b, at.r);
  Value y = b.div(b.select(odd, b.neg(c), s), b.select(odd, s, c));
  Value sign = b.band(b.bits(x), b.i(0x80000000));
  return ofFinite(b, x, b.fromBits(b.bxor(b.bits(y), sign)));
}

namespace {
struct ExpandSinCos final : OpRewritePattern<math::SincosOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::SincosOp op,
                                PatternRewriter &rewriter) const override {
    Value x = op.getOperand();
    if (isa<TensorType>(x.getType()) ||
        !getElementTypeOrSelf(x.getType()).isF32())
      return rewriter.notifyMatchFailure(op, "not of f32 on the device");
    MathBuilder b(op.getLoc(), rewriter, x.getType());
    Quadrant at = reduce(b, x);
    Value sin = sinOf(b, x, at);
    rewriter.replaceOp(op, {sin, cosOf(b, x, at)});
    return success();
  }
};
} // namespace

void moe::populateTrigonometricPatterns(RewritePatternSet &patterns) {
  patterns.add<ExpandF32<math::CosOp, emitCos>, ExpandF32<math::SinOp, emitSin>,
               ExpandF32<math::TanOp, emitTan>, ExpandSinCos>(
      patterns.getContext());
}
