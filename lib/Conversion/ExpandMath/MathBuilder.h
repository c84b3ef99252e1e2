//===- MathBuilder.h - f32 functions from exact arithmetic ------*- C++ -*-===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// Functions of f32 are written as additions and multiplications, each rounded
// once and never contracted, and integer ops on the bits. So they give the same
// bits on every device, whatever its own library does. Coefficients are those
// of tools/dev/fit-polynomials; bounds are measured in docs/accuracy.md.
//
//===----------------------------------------------------------------------===//

#ifndef MOE_LIB_CONVERSION_EXPANDMATH_MATHBUILDER_H
#define MOE_LIB_CONVERSION_EXPANDMATH_MATHBUILDER_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::moe {

/// An unevaluated sum; `low` is at most half a unit in the last place of
/// `high`.
struct Pair {
  Value high;
  Value low;
};

/// mantissa * 2^exponent, with 1 <= |mantissa| < 2.
struct Parts {
  Value mantissa;
  Value exponent;
};

/// Emits ops on f32, i32 and i1, as scalars or as vectors of one shape.
class MathBuilder : public ImplicitLocOpBuilder {
public:
  /// `like` is an f32 or i32 scalar or vector.
  MathBuilder(Location loc, OpBuilder &builder, Type like);

  Value f(double constant);
  Value i(uint32_t constant);

  Value add(Value a, Value b);
  Value sub(Value a, Value b);
  Value mul(Value a, Value b);
  Value div(Value a, Value b);
  Value neg(Value a);
  Value abs(Value a);
  Value sqrt(Value a);
  Value floor(Value a);
  /// a * b + c, rounded twice.
  Value mulAdd(Value a, Value b, Value c) { return add(mul(a, b), c); }
  /// The polynomial with these coefficients, the constant term first.
  Value polynomial(Value x, ArrayRef<double> coefficients);

  Value bits(Value a);
  Value fromBits(Value a);
  Value toFloat(Value a);
  Value unsignedToFloat(Value a);
  Value iadd(Value a, Value b);
  Value isub(Value a, Value b);
  Value imul(Value a, Value b);
  Value band(Value a, Value b);
  Value bor(Value a, Value b);
  Value bxor(Value a, Value b);
  Value shl(Value a, Value b);
  Value shrU(Value a, Value b);
  Value shrS(Value a, Value b);

  Value compare(arith::CmpFPredicate predicate, Value a, Value b);
  Value compare(arith::CmpIPredicate predicate, Value a, Value b);
  Value less(Value a, Value b) {
    return compare(arith::CmpFPredicate::OLT, a, b);
  }
  Value equal(Value a, Value b) {
    return compare(arith::CmpFPredicate::OEQ, a, b);
  }
  /// From the bits: drivers may take a comparison of a value with itself away.
  Value isNaN(Value a);
  /// `condition ? a : b`.
  Value select(Value condition, Value a, Value b);
  /// The magnitude of `a` with the sign bit of `b`.
  Value copySign(Value a, Value b);

  Value infinity();
  Value nan();

  /// `a` times two to the power of `exponent`, an integer in [-252, 254],
  /// rounded once.
  Value scale(Value a, Value exponent);
  /// The parts of a finite number other than 0.
  Parts split(Value a);
  /// a + b exactly, for any a and b; for |a| >= |b|; and a * b exactly where
  /// nothing over- or underflows.
  Pair twoSum(Value a, Value b);
  Pair fastTwoSum(Value a, Value b);
  Pair twoProduct(Value a, Value b);

  Type floatType() const { return floats; }
  Type intType() const { return ints; }

private:
  Type floats, ints;
};

/// x to the nearest integer, as a float and as an integer. For |x| < 2^22.
struct Rounded {
  Value value;
  Value integer;
};
Rounded roundToInteger(MathBuilder &b, Value x);

/// e^x * 2^shift.
Value emitExp(MathBuilder &b, Value x, int shift = 0);
/// 2^(x.high + x.low).
Value emitExp2(MathBuilder &b, Pair x);
Value emitExpM1(MathBuilder &b, Value x);

/// Whether an element of `value` is a zero that a driver sees.
bool hasConstantZero(Value value);
/// x * zero, and x + zero, of such a one.
Value emitProductWithZero(MathBuilder &b, Value x, Value zero);
Value emitSumWithZero(MathBuilder &b, Value x, Value zero);

/// log(x).
Value emitLog(MathBuilder &b, Value x);
Value emitLog1p(MathBuilder &b, Value x);

void populateClassPatterns(RewritePatternSet &patterns);
void populateConstantZeroPatterns(RewritePatternSet &patterns);
void populateErrorFunctionPatterns(RewritePatternSet &patterns);
void populateExponentialPatterns(RewritePatternSet &patterns);
void populateFmaPatterns(RewritePatternSet &patterns);
void populateHyperbolicPatterns(RewritePatternSet &patterns);
void populateIntegerPatterns(RewritePatternSet &patterns);
void populateInverseTrigonometricPatterns(RewritePatternSet &patterns);
void populateLogarithmPatterns(RewritePatternSet &patterns);
void populatePowerPatterns(RewritePatternSet &patterns);
void populateRemainderPatterns(RewritePatternSet &patterns);
void populateTrigonometricPatterns(RewritePatternSet &patterns);

/// Rewrites a float op on f32 by `emit`, from its operands to its one result.
template <typename OpTy, auto emit>
struct ExpandF32 final : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    Type type = op->getOperand(0).getType();
    if (isa<TensorType>(type) || !getElementTypeOrSelf(type).isF32())
      return rewriter.notifyMatchFailure(op, "not of f32 on the device");
    MathBuilder b(op.getLoc(), rewriter, type);
    SmallVector<Value> operands(op->getOperands());
    if constexpr (std::is_invocable_v<decltype(emit), MathBuilder &, Value>)
      rewriter.replaceOp(op, emit(b, operands[0]));
    else if constexpr (std::is_invocable_v<decltype(emit), MathBuilder &, Value,
                                           Value>)
      rewriter.replaceOp(op, emit(b, operands[0], operands[1]));
    else
      rewriter.replaceOp(op, emit(b, operands[0], operands[1], operands[2]));
    return success();
  }
};

} // namespace mlir::moe

#endif // MOE_LIB_CONVERSION_EXPANDMATH_MATHBUILDER_H
