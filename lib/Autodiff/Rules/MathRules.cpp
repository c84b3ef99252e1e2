//===- MathRules.cpp - Derivatives of math ops ----------------------------===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "AttachRule.h"
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

// An exponential may overflow where its gradient has vanished, as in the
// sigmoid of a large negative number: 0 · ∞ is 0 here.
template <typename OpTy>
static LogicalResult exponential(OpTy op, OpBuilder &builder, Cotangents &c) {
  RuleBuilder b(op, builder);
  Value g = c.of(op), y = op.getResult();
  if (std::is_same_v<OpTy, math::Exp2Op>)
    g = b.mul(g, b.constant(g, M_LN2));
  Value zero = b.zero(g);
  Value vanished = b.compare(arith::CmpFPredicate::OEQ, g, zero);
  c.add(op.getOperand(), b.select(vanished, zero, b.mul(g, y)));
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
static Value slopeOfExpM1(RuleBuilder &b, Value, Value y) {
  return b.add(y, b.constant(y, 1.0));
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
  return math::RsqrtOp::create(b, b.add(b.constant(x, 1.0), square(b, x)));
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
    c.add(op.getA(), b.mul(g, op.getB()));
  if (c.wants(op.getB()))
    c.add(op.getB(), b.mul(g, op.getA()));
  c.add(op.getC(), g);
  return success();
}

// d(x^p) = p · x^(p - 1) · dx + x^p · log(x) · dp. The first slope is 1 for
// p = 1 and 0 for p = 0, at x = 0 too. At x = 0 the second term is 0, its limit
// for p > 0.
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
    Value none = b.compare(arith::CmpFPredicate::OEQ, x, zero);
    c.add(p, b.scale(g, b.select(none, zero, slope)));
  }
  return success();
}

// atan2(y, x): (x · dy - y · dx) / (x² + y²)
static LogicalResult angle(math::Atan2Op op, OpBuilder &builder,
                           Cotangents &c) {
  RuleBuilder b(op, builder);
  Value g = c.of(op), y = op.getLhs(), x = op.getRhs();
  Value norm = b.add(square(b, x), square(b, y));
  if (c.wants(y))
    c.add(y, b.scale(g, b.div(x, norm)));
  if (c.wants(x))
    c.add(x, b.neg(b.scale(g, b.div(y, norm))));
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
    attachUnary<math::ExpM1Op, slopeOfExpM1>(context);
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
    attachRule<math::Exp2Op, exponential, alwaysCheap<math::Exp2Op>>(context);
    attachRule<math::ExpOp, exponential, alwaysCheap<math::ExpOp>>(context);
    attachRule<math::FmaOp, fusedMultiplyAdd, alwaysCheap<math::FmaOp>>(
        context);
    attachRule<math::PowFOp, power, alwaysCheap<math::PowFOp>>(context);
  });
}
