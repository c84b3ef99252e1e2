//===- ConstantZeros.cpp - Arithmetic with a constant zero ----------------===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// A driver that sees a zero simplifies: lavapipe's compiler makes 0 of x * 0
// and of 0 / x, x of x + 0, -x of 0 - x, and any number of x / 0. Right is NaN
// for some x, and another sign of a zero for others. By a zero that comes from
// data drivers give what IEEE 754 says.
//
// Elements of a vector are values of their own to them, so that one zero among
// constants is enough.
//
//===----------------------------------------------------------------------===//

#include "MathBuilder.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::moe;

bool moe::hasConstantZero(Value value) {
  Attribute constant;
  if (matchPattern(value, m_Constant(&constant))) {
    if (auto scalar = dyn_cast<FloatAttr>(constant))
      return scalar.getValue().isZero();
    auto elements = dyn_cast<DenseFPElementsAttr>(constant);
    return elements &&
           llvm::any_of(elements.getValues<APFloat>(),
                        [](const APFloat &x) { return x.isZero(); });
  }
  if (auto broadcast = value.getDefiningOp<vector::BroadcastOp>())
    return hasConstantZero(broadcast.getSource());
  if (auto elements = value.getDefiningOp<vector::FromElementsOp>())
    return llvm::any_of(elements.getElements(), hasConstantZero);
  return false;
}

Value moe::emitProductWithZero(MathBuilder &b, Value x, Value zero) {
  Value finite =
      b.compare(arith::CmpIPredicate::ult, b.bits(b.abs(x)), b.i(0x7f800000));
  Value sign = b.band(b.bxor(b.bits(x), b.bits(zero)), b.i(0x80000000));
  return b.select(finite, b.fromBits(sign), b.nan());
}

Value moe::emitSumWithZero(MathBuilder &b, Value x, Value zero) {
  Value none = b.equal(x, b.f(0));
  return b.select(none, b.fromBits(b.band(b.bits(x), b.bits(zero))), x);
}

static Value emitQuotientOfZero(MathBuilder &b, Value zero, Value x) {
  Value invalid = arith::OrIOp::create(b, b.equal(x, b.f(0)), b.isNaN(x));
  Value sign = b.band(b.bxor(b.bits(x), b.bits(zero)), b.i(0x80000000));
  return b.select(invalid, b.nan(), b.fromBits(sign));
}

// x / 0 = x * infinity, also where x is a zero, an infinity or a NaN.
static Value emitQuotientByZero(MathBuilder &b, Value x, Value zero) {
  return b.mul(x, b.copySign(b.infinity(), zero));
}

namespace {
/// Where an element of an operand is a constant zero, `emit` holds: called with
/// that operand and the other one.
template <typename OpTy> struct WithZero : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;

  virtual Value emit(MathBuilder &b, Value zero, Value other,
                     bool zeroIsLhs) const = 0;

  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    Type type = op.getType();
    if (isa<TensorType>(type) || !getElementTypeOrSelf(type).isF32())
      return rewriter.notifyMatchFailure(op, "not of f32 on the device");
    MathBuilder b(op.getLoc(), rewriter, type);
    Value result;
    for (bool isLhs : {false, true}) {
      Value zero = op->getOperand(isLhs ? 0 : 1);
      if (!hasConstantZero(zero))
        continue;
      Value special = emit(b, zero, op->getOperand(isLhs ? 1 : 0), isLhs);
      if (!matchPattern(zero, m_AnyZeroFloat()))
        special = b.select(b.equal(zero, b.f(0)), special,
                           result ? result : rewriter.clone(*op)->getResult(0));
      result = special;
    }
    if (!result)
      return rewriter.notifyMatchFailure(op, "not with a constant zero");
    rewriter.replaceOp(op, result);
    return success();
  }
};

/// The sign of a zero is all there is to it, which `contract` does not promise.
template <typename OpTy> struct SumWithZero final : WithZero<OpTy> {
  using WithZero<OpTy>::WithZero;
  Value emit(MathBuilder &b, Value zero, Value other,
             bool zeroIsLhs) const override {
    bool negates = std::is_same_v<OpTy, arith::SubFOp>;
    return negates && !zeroIsLhs
               ? emitSumWithZero(b, other, b.neg(zero))
               : emitSumWithZero(b, negates ? b.neg(other) : other, zero);
  }
  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    if (arith::bitEnumContainsAny(op.getFastmath(),
                                  arith::FastMathFlags::contract |
                                      arith::FastMathFlags::nsz))
      return rewriter.notifyMatchFailure(op, "any sign of a zero will do");
    return WithZero<OpTy>::matchAndRewrite(op, rewriter);
  }
};

struct ProductWithZero final : WithZero<arith::MulFOp> {
  using WithZero::WithZero;
  Value emit(MathBuilder &b, Value zero, Value other, bool) const override {
    return emitProductWithZero(b, other, zero);
  }
};

struct QuotientWithZero final : WithZero<arith::DivFOp> {
  using WithZero::WithZero;
  Value emit(MathBuilder &b, Value zero, Value other,
             bool zeroIsLhs) const override {
    return zeroIsLhs ? emitQuotientOfZero(b, zero, other)
                     : emitQuotientByZero(b, other, zero);
  }
};
} // namespace

void moe::populateConstantZeroPatterns(RewritePatternSet &patterns) {
  patterns.add<ProductWithZero, QuotientWithZero, SumWithZero<arith::AddFOp>,
               SumWithZero<arith::SubFOp>>(patterns.getContext());
}
