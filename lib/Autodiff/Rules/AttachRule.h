//===- AttachRule.h - From a function to a derivative rule ------*- C++ -*-===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// A rule is one function; a line attaches it to its op:
//
//   attachRule<math::ExpOp, exponential>(context);
//
//===----------------------------------------------------------------------===//

#ifndef MOE_LIB_AUTODIFF_RULES_ATTACHRULE_H
#define MOE_LIB_AUTODIFF_RULES_ATTACHRULE_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "moe/Autodiff/DerivativeInterface.h"
#include "moe/Autodiff/Rules.h"

namespace mlir::moe {

/// Builds arithmetic on floats or tensors of floats, at the place of one op.
struct RuleBuilder : ImplicitLocOpBuilder {
  RuleBuilder(Operation *op, OpBuilder &builder)
      : ImplicitLocOpBuilder(op->getLoc(), builder) {}

  Value add(Value a, Value b) { return arith::AddFOp::create(*this, a, b); }
  Value sub(Value a, Value b) { return arith::SubFOp::create(*this, a, b); }
  Value mul(Value a, Value b) { return arith::MulFOp::create(*this, a, b); }
  Value div(Value a, Value b) { return arith::DivFOp::create(*this, a, b); }
  Value neg(Value a) { return arith::NegFOp::create(*this, a); }
  Value select(Value condition, Value a, Value b) {
    return arith::SelectOp::create(*this, condition, a, b);
  }
  Value compare(arith::CmpFPredicate predicate, Value a, Value b) {
    return arith::CmpFOp::create(*this, predicate, a, b);
  }
  Value constant(Value like, double number) {
    return constantLike(*this, getLoc(), like, number);
  }
  Value zero(Value like) { return constant(like, 0.0); }

  /// g · slope, where 0 · ∞ and 0 · NaN are 0: what a select or a maximum did
  /// not keep has no part in the gradient. The slope is replaced rather than
  /// the product, so that the derivative of this in g stays the slope.
  Value scale(Value g, Value slope) {
    Value product = mul(g, slope), none = zero(g);
    Value vanished = arith::AndIOp::create(
        *this, compare(arith::CmpFPredicate::OEQ, g, none),
        compare(arith::CmpFPredicate::UNO, product, product));
    return mul(g, select(vanished, none, slope));
  }
};

/// The rule of an op that has no derivative here: an error that says what to
/// write instead.
inline LogicalResult refuse(Operation *op, StringRef instead) {
  return op->emitOpError("has no derivative: expected ")
         << instead << " instead";
}

/// Of an op that takes a float for its bits.
inline constexpr llvm::StringLiteral insteadOfBits =
    "math.copysign, math.absf, arith.cmpf and arith.select, or a conversion of "
    "floats,";

template <typename OpTy> bool alwaysCheap(OpTy) { return true; }
template <typename OpTy> bool neverCheap(OpTy) { return false; }

template <typename OpTy, LogicalResult (*rule)(OpTy, OpBuilder &, Cotangents &),
          bool (*cheap)(OpTy)>
struct Rule
    : DifferentiableOpInterface::ExternalModel<Rule<OpTy, rule, cheap>, OpTy> {
  LogicalResult buildVJP(Operation *op, OpBuilder &builder,
                         Cotangents &cotangents) const {
    return rule(cast<OpTy>(op), builder, cotangents);
  }
  bool isCheapToRecompute(Operation *op) const { return cheap(cast<OpTy>(op)); }
};

/// Makes `rule` the derivative rule of `OpTy`. `cheap` tells whether an op had
/// better be computed again than saved.
template <typename OpTy, LogicalResult (*rule)(OpTy, OpBuilder &, Cotangents &),
          bool (*cheap)(OpTy) = neverCheap<OpTy>>
void attachRule(MLIRContext *context) {
  OpTy::template attachInterface<Rule<OpTy, rule, cheap>>(*context);
}

} // namespace mlir::moe

#endif // MOE_LIB_AUTODIFF_RULES_ATTACHRULE_H
