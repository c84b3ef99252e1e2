//===- MathRules.cpp - Derivatives of math ops ----------------------------===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "VanishingProducts.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include <cmath>

using namespace mlir;
using namespace mlir::moe;

namespace {
/// f'(x), from x and y = f(x).
using Slope = Value (*)(RuleBuilder &b, Value x, Value y);
} // namespace

// Ops of one operand: the gradient times the slope. Bounded slopes need no
// guard against 0 · ∞.
template <typename OpTy, Slope slope, bool bounded>
static LogicalResult unary(OpTy op, OpBuilder &builder, Cotangents &c) {
  RuleBuilder b(op, builder);
  Value g = c.of(op), factor = slope(b, op.getOperand(), op);
  c.add(op.getOperand(), bounded ? b.mul(g, factor) : b.scale(g, factor));
  return success();
}

static Value square(RuleBuilder &b, Value x) { return b.mul(x, x); }

// (1 - x) · (1 + x), exact near ±1, where 1 - x² is not.
static Value oneMinusSquare(RuleBuilder &b, Value x) {
  Value one = b.constant(x, 1.0);
  return b.mul(b.sub(one, x), b.add(one, x));
}

static Value slopeOfAbs(RuleBuilder &b, Value x, Value) {
  // 0 at 0
  Value zero = b.zero(x);
  Value negative = b.compare(arith::CmpFPredicate::OLT, x, zero);
  Value positive = b.compare(arith::CmpFPredicate::OGT, x, zero);
  Value below = b.select(negative, b.constant(x, -1.0), zero);
  return b.select(positive, b.constant(x, 1.0), below);
}
static Value slopeOfCos(RuleBuilder &b, Value x, Value) {
  return b.neg(math::SinOp::create(b, x));
}
static Value slopeOfErf(RuleBuilder &b, Value x, Value) {
  Value bell = math::ExpOp::create(b, b.neg(b.mul(x, x)));
  return b.mul(b.constant(x, 2.0 / std::sqrt(M_PI)), bell);
}
static Value slopeOfExp(RuleBuilder &, Value, Value y) { return y; }
static Value slopeOfExp2(RuleBuilder &b, Value, Value y) {
  return b.mul(y, b.constant(y, M_LN2));
}
static Value slopeOfExpM1(RuleBuilder &b, Value x, Value) {
  // Not y + 1, which cancels where y is near -1.
  return math::ExpOp::create(b, x);
}
static Value slopeOfLog(RuleBuilder &b, Value x, Value) {
  return b.div(b.constant(x, 1.0), x);
}
static Value slopeOfLog1p(RuleBuilder &b, Value x, Value) {
  Value one = b.constant(x, 1.0);
  return b.div(one, b.add(one, x));
}
static Value slopeOfLog2(RuleBuilder &b, Value x, Value) {
  return b.div(b.constant(x, 1.0 / M_LN2), x);
}
static Value slopeOfRsqrt(RuleBuilder &b, Value x, Value y) {
  return b.div(b.mul(b.constant(x, -0.5), y), x);
}
static Value slopeOfSin(RuleBuilder &b, Value x, Value) {
  return math::CosOp::create(b, x);
}
static Value slopeOfSqrt(RuleBuilder &b, Value, Value y) {
  return b.div(b.constant(y, 0.5), y);
}
static Value slopeOfTanh(RuleBuilder &b, Value x, Value) {
  // 1 / cosh², as 1 - y² cancels where y is near 1.
  return square(b, b.div(b.constant(x, 1.0), math::CoshOp::create(b, x)));
}

static Value slopeOfAsin(RuleBuilder &b, Value x, Value) {
  return math::RsqrtOp::create(b, oneMinusSquare(b, x));
}
static Value slopeOfAcos(RuleBuilder &b, Value x, Value y) {
  return b.neg(slopeOfAsin(b, x, y));
}
static Value slopeOfAtan(RuleBuilder &b, Value x, Value) {
  Value one = b.constant(x, 1.0);
  return b.div(one, b.add(one, square(b, x)));
}
static Value slopeOfAcosh(RuleBuilder &b, Value x, Value) {
  Value one = b.constant(x, 1.0);
  return b.mul(math::RsqrtOp::create(b, b.sub(x, one)),
               math::RsqrtOp::create(b, b.add(x, one)));
}
static Value slopeOfAsinh(RuleBuilder &b, Value x, Value) {
  // 1 / sqrt(1 + x²), from the larger of 1 and |x|, whose square may overflow.
  Value one = b.constant(x, 1.0), size = math::AbsFOp::create(b, x);
  Value large = arith::MaximumFOp::create(b, size, one);
  Value ratio = b.div(arith::MinimumFOp::create(b, size, one), large);
  Value root = math::RsqrtOp::create(b, b.add(one, square(b, ratio)));
  return b.div(root, large);
}
static Value slopeOfAtanh(RuleBuilder &b, Value x, Value) {
  return b.div(b.constant(x, 1.0), oneMinusSquare(b, x));
}
static Value slopeOfCbrt(RuleBuilder &b, Value, Value y) {
  return b.div(b.constant(y, 1.0 / 3.0), square(b, y));
}
static Value slopeOfCosh(RuleBuilder &b, Value x, Value) {
  return math::SinhOp::create(b, x);
}
static Value slopeOfErfc(RuleBuilder &b, Value x, Value y) {
  return b.neg(slopeOfErf(b, x, y));
}
static Value slopeOfLog10(RuleBuilder &b, Value x, Value) {
  return b.div(b.constant(x, 1.0 / M_LN10), x);
}
static Value slopeOfSinh(RuleBuilder &b, Value x, Value) {
  return math::CoshOp::create(b, x);
}
static Value slopeOfTan(RuleBuilder &b, Value, Value y) {
  return b.add(b.constant(y, 1.0), square(b, y));
}

// Steps: 0 wherever there is a derivative.
template <typename OpTy>
static LogicalResult step(OpTy, OpBuilder &, Cotangents &) {
  return success();
}

static LogicalResult fusedMultiplyAdd(math::FmaOp op, OpBuilder &builder,
                                      Cotangents &c) {
  RuleBuilder b(op, builder);
  Value g = c.of(op);
  if (c.wants(op.getA()))
    c.add(op.getA(), multiplyGradient(b, c, g, op.getB()));
  if (c.wants(op.getB()))
    c.add(op.getB(), multiplyGradient(b, c, g, op.getA()));
  c.add(op.getC(), g);
  return success();
}

// d(x^p) = p · x^(p - 1) · dx + x^p · log(x) · dp. The first slope is 1 for
// p = 1 and 0 for p = 0, at x = 0 too. The second is 0 where x^p is, its limit,
// and for 0^0; of a negative x there is none.
static LogicalResult power(math::PowFOp op, OpBuilder &builder, Cotangents &c) {
  RuleBuilder b(op, builder);
  Value g = c.of(op), x = op.getLhs(), p = op.getRhs();
  Value zero = b.zero(x), one = b.constant(x, 1.0);
  if (c.wants(x)) {
    Value lowered = math::PowFOp::create(b, x, b.sub(p, one));
    Value slope = b.mul(p, lowered);
    Value linear = b.compare(arith::CmpFPredicate::OEQ, p, one);
    Value flat = b.compare(arith::CmpFPredicate::OEQ, p, zero);
    slope = b.select(flat, zero, b.select(linear, one, slope));
    c.add(x, b.scale(g, slope));
  }
  if (c.wants(p)) {
    Value slope = b.mul(op, math::LogOp::create(b, x));
    auto isZero = [&](Value v) {
      return b.compare(arith::CmpFPredicate::OEQ, v, zero);
    };
    Value both = arith::AndIOp::create(b, isZero(x), isZero(p));
    Value none = arith::OrIOp::create(b, isZero(op), both);
    c.add(p, b.scale(g, b.select(none, zero, slope)));
  }
  return success();
}

// x^n: n · x^(n - 1) where n > 0, n · x^n / x where n < 0, as n - 1 may wrap.
static LogicalResult integerPower(math::FPowIOp op, OpBuilder &builder,
                                  Cotangents &c) {
  RuleBuilder b(op, builder);
  Value g = c.of(op), x = op.getLhs(), n = op.getRhs();
  auto compare = [&](arith::CmpIPredicate predicate) {
    return arith::CmpIOp::create(b, predicate, n, b.zero(n));
  };
  Value less = arith::SubIOp::create(b, n, b.constant(n, 1));
  Value lowered = math::FPowIOp::create(b, x, less);
  Value power =
      b.select(compare(arith::CmpIPredicate::sgt), lowered, b.div(op, x));
  Value factor = arith::SIToFPOp::create(b, x.getType(), n);
  Value slope = b.select(compare(arith::CmpIPredicate::eq), b.zero(x),
                         b.mul(factor, power));
  c.add(x, b.scale(g, slope));
  return success();
}

// To whichever is the result, whatever the order of the bounds; at a tie, and
// of a NaN, to what is clamped.
static LogicalResult clamp(math::ClampFOp op, OpBuilder &builder,
                           Cotangents &c) {
  using arith::CmpFPredicate;
  RuleBuilder b(op, builder);
  Value g = c.of(op), zero = b.zero(g);
  Value kept = b.compare(CmpFPredicate::UEQ, op, op.getValue());
  Value isLow = b.compare(CmpFPredicate::OEQ, op, op.getMin());
  Value rest = b.select(kept, zero, g);
  if (c.wants(op.getValue()))
    c.add(op.getValue(), b.select(kept, g, zero));
  if (c.wants(op.getMin()))
    c.add(op.getMin(), b.select(isLow, rest, zero));
  if (c.wants(op.getMax()))
    c.add(op.getMax(), b.select(isLow, zero, rest));
  return success();
}

static LogicalResult sineAndCosine(math::SincosOp op, OpBuilder &builder,
                                   Cotangents &c) {
  RuleBuilder b(op, builder);
  Value x = op.getOperand();
  if (Value g = c.of(op.getSin()))
    c.add(x, b.mul(g, op.getCos()));
  if (Value g = c.of(op.getCos()))
    c.add(x, b.neg(b.mul(g, op.getSin())));
  return success();
}

// atan2(y, x): (x · dy - y · dx) / (x² + y²), by ratios to the larger of |x|
// and |y|, as squares may overflow or vanish.
static LogicalResult angle(math::Atan2Op op, OpBuilder &builder,
                           Cotangents &c) {
  RuleBuilder b(op, builder);
  Value g = c.of(op), y = op.getLhs(), x = op.getRhs();
  Value large = arith::MaximumFOp::create(b, math::AbsFOp::create(b, x),
                                          math::AbsFOp::create(b, y));
  Value u = b.div(x, large), v = b.div(y, large);
  Value norm = b.add(square(b, u), square(b, v));
  auto slope = [&](Value ratio) { return b.div(b.div(ratio, norm), large); };
  if (c.wants(y))
    c.add(y, b.scale(g, slope(u)));
  if (c.wants(x))
    c.add(x, b.neg(b.scale(g, slope(v))));
  return success();
}

// |x| with the sign of the second operand, whose own slope is a step's.
static LogicalResult copySign(math::CopySignOp op, OpBuilder &builder,
                              Cotangents &c) {
  RuleBuilder b(op, builder);
  Value g = c.of(op), x = op.getLhs();
  if (!c.wants(x))
    return success();
  Value sign = math::CopySignOp::create(b, b.constant(x, 1.0), op.getRhs());
  c.add(x, b.mul(g, b.mul(sign, slopeOfAbs(b, x, x))));
  return success();
}

template <typename OpTy, Slope slope, bool bounded = false>
static void attachUnary(MLIRContext *context) {
  attachRule<OpTy, unary<OpTy, slope, bounded>, alwaysCheap<OpTy>>(context);
}

template <typename OpTy> static void attachStep(MLIRContext *context) {
  attachRule<OpTy, step<OpTy>, alwaysCheap<OpTy>>(context);
}

void moe::registerMathDerivativeRules(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, math::MathDialect *) {
    attachUnary<math::AbsFOp, slopeOfAbs, true>(context);
    attachUnary<math::AcosOp, slopeOfAcos>(context);
    attachUnary<math::AcoshOp, slopeOfAcosh>(context);
    attachUnary<math::AsinOp, slopeOfAsin>(context);
    attachUnary<math::AsinhOp, slopeOfAsinh, true>(context);
    attachUnary<math::AtanOp, slopeOfAtan, true>(context);
    attachUnary<math::AtanhOp, slopeOfAtanh>(context);
    attachUnary<math::CbrtOp, slopeOfCbrt>(context);
    attachUnary<math::CoshOp, slopeOfCosh>(context);
    attachUnary<math::ErfcOp, slopeOfErfc, true>(context);
    attachUnary<math::Log10Op, slopeOfLog10>(context);
    attachUnary<math::SinhOp, slopeOfSinh>(context);
    attachUnary<math::TanOp, slopeOfTan>(context);
    attachUnary<math::CosOp, slopeOfCos, true>(context);
    attachUnary<math::ErfOp, slopeOfErf, true>(context);
    attachUnary<math::Exp2Op, slopeOfExp2>(context);
    attachUnary<math::ExpM1Op, slopeOfExpM1>(context);
    attachUnary<math::ExpOp, slopeOfExp>(context);
    attachUnary<math::Log1pOp, slopeOfLog1p>(context);
    attachUnary<math::Log2Op, slopeOfLog2>(context);
    attachUnary<math::LogOp, slopeOfLog>(context);
    attachUnary<math::RsqrtOp, slopeOfRsqrt>(context);
    attachUnary<math::SinOp, slopeOfSin, true>(context);
    attachUnary<math::SqrtOp, slopeOfSqrt>(context);
    attachUnary<math::TanhOp, slopeOfTanh, true>(context);
    attachStep<math::CeilOp>(context);
    attachStep<math::FloorOp>(context);
    attachStep<math::RoundEvenOp>(context);
    attachStep<math::RoundOp>(context);
    attachStep<math::TruncOp>(context);
    attachRule<math::Atan2Op, angle, alwaysCheap<math::Atan2Op>>(context);
    attachRule<math::CopySignOp, copySign, alwaysCheap<math::CopySignOp>>(
        context);
    attachRule<math::ClampFOp, clamp, alwaysCheap<math::ClampFOp>>(context);
    attachRule<math::FPowIOp, integerPower, alwaysCheap<math::FPowIOp>>(
        context);
    attachRule<math::SincosOp, sineAndCosine, alwaysCheap<math::SincosOp>>(
        context);
    attachRule<math::FmaOp, fusedMultiplyAdd, alwaysCheap<math::FmaOp>>(
        context);
    attachRule<math::PowFOp, power, alwaysCheap<math::PowFOp>>(context);
  });
}
