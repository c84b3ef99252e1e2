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

// Ops of one operand: the gradient times the slope.
template <typename OpTy, Slope slope>
static LogicalResult unary(OpTy op, OpBuilder &builder, Cotangents &c) {
  RuleBuilder b(op, builder);
  Value g = c.of(op);
  c.add(op.getOperand(), b.mul(g, slope(b, op.getOperand(), op)));
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
static Value slopeOfTanh(RuleBuilder &b, Value, Value y) {
  return b.sub(b.constant(y, 1.0), b.mul(y, y));
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

// d(x^p) = p · x^(p - 1) · dx + x^p · log(x) · dp. At x = 0 the second term is
// 0, its limit for p > 0.
static LogicalResult power(math::PowFOp op, OpBuilder &builder, Cotangents &c) {
  RuleBuilder b(op, builder);
  Value g = c.of(op), x = op.getLhs(), p = op.getRhs();
  if (c.wants(x)) {
    Value lowered = math::PowFOp::create(b, x, b.sub(p, b.constant(p, 1.0)));
    c.add(x, b.mul(g, b.mul(p, lowered)));
  }
  if (c.wants(p)) {
    Value zero = b.zero(x);
    Value slope = b.mul(op, math::LogOp::create(b, x));
    Value none = b.compare(arith::CmpFPredicate::OEQ, x, zero);
    c.add(p, b.mul(g, b.select(none, zero, slope)));
  }
  return success();
}

template <typename OpTy, Slope slope>
static void attachUnary(MLIRContext *context) {
  attachRule<OpTy, unary<OpTy, slope>, alwaysCheap<OpTy>>(context);
}

template <typename OpTy> static void attachStep(MLIRContext *context) {
  attachRule<OpTy, step<OpTy>, alwaysCheap<OpTy>>(context);
}

void moe::registerMathDerivativeRules(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, math::MathDialect *) {
    attachUnary<math::AbsFOp, slopeOfAbs>(context);
    attachUnary<math::CosOp, slopeOfCos>(context);
    attachUnary<math::ErfOp, slopeOfErf>(context);
    attachUnary<math::ExpM1Op, slopeOfExpM1>(context);
    attachUnary<math::Log1pOp, slopeOfLog1p>(context);
    attachUnary<math::Log2Op, slopeOfLog2>(context);
    attachUnary<math::LogOp, slopeOfLog>(context);
    attachUnary<math::RsqrtOp, slopeOfRsqrt>(context);
    attachUnary<math::SinOp, slopeOfSin>(context);
    attachUnary<math::SqrtOp, slopeOfSqrt>(context);
    attachUnary<math::TanhOp, slopeOfTanh>(context);
    attachStep<math::CeilOp>(context);
    attachStep<math::FloorOp>(context);
    attachStep<math::RoundEvenOp>(context);
    attachStep<math::RoundOp>(context);
    attachStep<math::TruncOp>(context);
    attachRule<math::Exp2Op, exponential, alwaysCheap<math::Exp2Op>>(context);
    attachRule<math::ExpOp, exponential, alwaysCheap<math::ExpOp>>(context);
    attachRule<math::FmaOp, fusedMultiplyAdd, alwaysCheap<math::FmaOp>>(
        context);
    attachRule<math::PowFOp, power, alwaysCheap<math::PowFOp>>(context);
  });
}
