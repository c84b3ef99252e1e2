//===- ArithRules.cpp - Derivatives of arith ops --------------------------===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// For scalars, also those in the body of a linalg op, and for tensors alike.
//
//===----------------------------------------------------------------------===//

#include "VanishingProducts.h"

using namespace mlir;
using namespace mlir::moe;

static LogicalResult addition(arith::AddFOp op, OpBuilder &, Cotangents &c) {
  Value g = c.of(op);
  c.add(op.getLhs(), g);
  c.add(op.getRhs(), g);
  return success();
}

static LogicalResult subtraction(arith::SubFOp op, OpBuilder &builder,
                                 Cotangents &c) {
  RuleBuilder b(op, builder);
  Value g = c.of(op);
  c.add(op.getLhs(), g);
  if (c.wants(op.getRhs()))
    c.add(op.getRhs(), b.neg(g));
  return success();
}

static LogicalResult negation(arith::NegFOp op, OpBuilder &builder,
                              Cotangents &c) {
  c.add(op.getOperand(), RuleBuilder(op, builder).neg(c.of(op)));
  return success();
}

static LogicalResult product(arith::MulFOp op, OpBuilder &builder,
                             Cotangents &c) {
  RuleBuilder b(op, builder);
  Value g = c.of(op);
  if (c.wants(op.getLhs()))
    c.add(op.getLhs(), multiplyGradient(b, c, g, op.getRhs()));
  if (c.wants(op.getRhs()))
    c.add(op.getRhs(), multiplyGradient(b, c, g, op.getLhs()));
  return success();
}

// d(a / b) = da / b - (a / b) · db / b. A gradient of 0 stays 0 where b is 0;
// a constant b is not 0 by chance.
static LogicalResult quotient(arith::DivFOp op, OpBuilder &builder,
                              Cotangents &c) {
  RuleBuilder b(op, builder);
  Value g = c.of(op), divisor = op.getRhs();
  if (!c.wants(divisor)) {
    c.add(op.getLhs(), b.div(g, divisor));
    return success();
  }
  Value zero = b.zero(g);
  Value vanished = arith::AndIOp::create(
      b, b.compare(arith::CmpFPredicate::OEQ, g, zero),
      b.compare(arith::CmpFPredicate::OEQ, divisor, zero));
  Value scaled = b.div(g, b.select(vanished, b.constant(g, 1.0), divisor));
  c.add(op.getLhs(), scaled);
  c.add(divisor, b.neg(b.scale(scaled, op.getResult())));
  return success();
}

// a - b · trunc(a / b): the quotient is a step.
static LogicalResult remainder(arith::RemFOp op, OpBuilder &builder,
                               Cotangents &c) {
  RuleBuilder b(op, builder);
  Value g = c.of(op);
  c.add(op.getLhs(), g);
  if (c.wants(op.getRhs())) {
    Value whole = b.div(b.sub(op.getLhs(), op.getResult()), op.getRhs());
    c.add(op.getRhs(), b.neg(b.scale(g, whole)));
  }
  return success();
}

// The gradient goes to the operand that was chosen; to the second where the
// two are equal.
template <typename OpTy, arith::CmpFPredicate firstWins>
static LogicalResult extremum(OpTy op, OpBuilder &builder, Cotangents &c) {
  RuleBuilder b(op, builder);
  Value g = c.of(op), zero = b.zero(g);
  Value first = b.compare(firstWins, op.getLhs(), op.getRhs());
  if (c.wants(op.getLhs()))
    c.add(op.getLhs(), b.select(first, g, zero));
  if (c.wants(op.getRhs()))
    c.add(op.getRhs(), b.select(first, zero, g));
  return success();
}

static LogicalResult selection(arith::SelectOp op, OpBuilder &builder,
                               Cotangents &c) {
  RuleBuilder b(op, builder);
  Value g = c.of(op), zero = b.zero(g);
  if (c.wants(op.getTrueValue()))
    c.add(op.getTrueValue(), b.select(op.getCondition(), g, zero));
  if (c.wants(op.getFalseValue()))
    c.add(op.getFalseValue(), b.select(op.getCondition(), zero, g));
  return success();
}

// Rounding is taken for the identity.
template <typename OpTy>
static LogicalResult conversion(OpTy op, OpBuilder &builder, Cotangents &c) {
  Value in = op.getIn();
  if (c.wants(in))
    c.add(in, castElements(builder, op.getLoc(), c.of(op.getOut()),
                           getElementTypeOrSelf(in.getType())));
  return success();
}

// What happens between bits is not known to be smooth.
static LogicalResult bits(arith::BitcastOp op, OpBuilder &, Cotangents &) {
  return refuse(op, insteadOfBits);
}

template <typename OpTy>
static LogicalResult scaling(OpTy op, OpBuilder &, Cotangents &) {
  return refuse(op, "arith.extf or arith.truncf and a product by the scale");
}

template <typename OpTy, LogicalResult (*rule)(OpTy, OpBuilder &, Cotangents &)>
static void attach(MLIRContext *context) {
  attachRule<OpTy, rule, alwaysCheap<OpTy>>(context);
}

void moe::registerArithDerivativeRules(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, arith::ArithDialect *) {
    using arith::CmpFPredicate;
    attach<arith::AddFOp, addition>(context);
    attach<arith::BitcastOp, bits>(context);
    attach<arith::DivFOp, quotient>(context);
    attach<arith::ExtFOp, conversion>(context);
    attach<arith::MaxNumFOp, extremum<arith::MaxNumFOp, CmpFPredicate::OGT>>(
        context);
    attach<arith::MaximumFOp, extremum<arith::MaximumFOp, CmpFPredicate::OGT>>(
        context);
    attach<arith::MinNumFOp, extremum<arith::MinNumFOp, CmpFPredicate::OLT>>(
        context);
    attach<arith::MinimumFOp, extremum<arith::MinimumFOp, CmpFPredicate::OLT>>(
        context);
    attach<arith::MulFOp, product>(context);
    attach<arith::NegFOp, negation>(context);
    attach<arith::RemFOp, remainder>(context);
    attach<arith::ScalingExtFOp, scaling<arith::ScalingExtFOp>>(context);
    attach<arith::ScalingTruncFOp, scaling<arith::ScalingTruncFOp>>(context);
    attach<arith::SelectOp, selection>(context);
    attach<arith::SubFOp, subtraction>(context);
    attach<arith::TruncFOp, conversion>(context);
  });
}
