//===- Integers.cpp - remsi, ipowi, shifts, ctpop, cttz -------------------===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "MathBuilder.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::moe;

// A constant of an integer or index type, or of all elements of a vector.
static Value constant(ImplicitLocOpBuilder &b, Type type, const APInt &value) {
  Type element = getElementTypeOrSelf(type);
  TypedAttr attribute = element.isIndex()
                            ? b.getIndexAttr(value.getSExtValue())
                            : TypedAttr(b.getIntegerAttr(element, value));
  if (auto vector = dyn_cast<VectorType>(type))
    attribute = DenseElementsAttr::get(vector, {Attribute(attribute)});
  return arith::ConstantOp::create(b, attribute);
}
static Value constant(ImplicitLocOpBuilder &b, Type type, int64_t value) {
  Type element = getElementTypeOrSelf(type);
  unsigned width = element.isIndex() ? 64 : element.getIntOrFloatBitWidth();
  return constant(b, type,
                  APInt(width, value, /*isSigned=*/true,
                        /*implicitTrunc=*/true));
}

static bool isOnDevice(Type type) {
  return !isa<TensorType>(type) &&
         isa<IntegerType, IndexType>(getElementTypeOrSelf(type));
}

namespace {
/// The sign is that of the dividend. Of the magnitudes, as unsigned numbers,
/// also the most negative one is right.
struct ExpandRemSI final : OpRewritePattern<arith::RemSIOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::RemSIOp op,
                                PatternRewriter &rewriter) const override {
    Type type = op.getType();
    if (!isOnDevice(type))
      return rewriter.notifyMatchFailure(op, "not on the device");
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Value zero = constant(b, type, 0);
    auto isNegative = [&](Value x) -> Value {
      return arith::CmpIOp::create(b, arith::CmpIPredicate::slt, x, zero);
    };
    auto flip = [&](Value condition, Value x) -> Value {
      return arith::SelectOp::create(b, condition,
                                     arith::SubIOp::create(b, zero, x), x);
    };
    Value negative = isNegative(op.getLhs());
    Value rest =
        arith::RemUIOp::create(b, flip(negative, op.getLhs()),
                               flip(isNegative(op.getRhs()), op.getRhs()));
    rewriter.replaceOp(op, flip(negative, rest));
    return success();
  }
};

/// The quotient of magnitudes by repeated squaring; a negative exponent leaves
/// something of 1 and -1 alone.
struct ExpandIPowI final : OpRewritePattern<math::IPowIOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::IPowIOp op,
                                PatternRewriter &rewriter) const override {
    Type type = op.getType();
    if (!isOnDevice(type) || getElementTypeOrSelf(type).isIndex())
      return rewriter.notifyMatchFailure(op, "not a fixed width");
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    unsigned width = getElementTypeOrSelf(type).getIntOrFloatBitWidth();
    Value zero = constant(b, type, 0), one = constant(b, type, 1);
    Value base = op.getLhs(), n = op.getRhs();
    auto equal = [&](Value x, Value y) -> Value {
      return arith::CmpIOp::create(b, arith::CmpIPredicate::eq, x, y);
    };
    Value power = base, result = one;
    for (unsigned bit = 0; bit + 1 < width; ++bit) {
      Value mask = constant(b, type, int64_t(1) << bit);
      Value unset = equal(arith::AndIOp::create(b, n, mask), zero);
      result = arith::SelectOp::create(b, unset, result,
                                       arith::MulIOp::create(b, result, power));
      power = arith::MulIOp::create(b, power, power);
    }
    Value minusOne = constant(b, type, -1);
    Value even = equal(arith::AndIOp::create(b, n, one), zero);
    Value sign = arith::SelectOp::create(b, even, one, minusOne);
    Value inverse = arith::SelectOp::create(
        b, equal(base, one), one,
        arith::SelectOp::create(b, equal(base, minusOne), sign, zero));
    Value negative =
        arith::CmpIOp::create(b, arith::CmpIPredicate::slt, n, zero);
    rewriter.replaceOpWithNewOp<arith::SelectOp>(op, negative, inverse, result);
    return success();
  }
};
} // namespace

namespace {
/// A shift by the width or more, which SPIR-V leaves open, shifts everything
/// out: what is left is 0, or the sign.
template <typename OpTy> struct ExpandShift final : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;
  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    Type type = op.getType();
    if (!isOnDevice(type) || getElementTypeOrSelf(type).isIndex())
      return rewriter.notifyMatchFailure(op, "not a fixed width");
    int64_t width = getElementTypeOrSelf(type).getIntOrFloatBitWidth();
    APInt known;
    if (matchPattern(op.getRhs(), m_ConstantInt(&known)) && known.ult(width))
      return rewriter.notifyMatchFailure(op, "shifts by less than the width");
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    if (std::is_same_v<OpTy, arith::ShRSIOp>) {
      Value most = constant(b, type, width - 1);
      rewriter.modifyOpInPlace(op, [&] {
        op.getRhsMutable().assign(arith::MinUIOp::create(b, op.getRhs(), most));
      });
      return success();
    }
    Value shifted = OpTy::create(b, op.getLhs(), op.getRhs());
    Value fits = arith::CmpIOp::create(b, arith::CmpIPredicate::ult,
                                       op.getRhs(), constant(b, type, width));
    rewriter.replaceOpWithNewOp<arith::SelectOp>(op, fits, shifted,
                                                 constant(b, type, 0));
    return success();
  }
};
} // namespace

// Sums of neighbouring bits, pairs, fours and bytes.
static Value populationCount(ImplicitLocOpBuilder &b, Value x) {
  Type type = x.getType();
  unsigned width = getElementTypeOrSelf(type).getIntOrFloatBitWidth();
  for (unsigned step = 1; step < width; step *= 2) {
    APInt mask = APInt::getSplat(width, APInt::getLowBitsSet(2 * step, step));
    Value keep = constant(b, type, mask);
    Value upper =
        arith::ShRUIOp::create(b, x, constant(b, type, int64_t(step)));
    x = arith::AddIOp::create(b, arith::AndIOp::create(b, x, keep),
                              arith::AndIOp::create(b, upper, keep));
  }
  return x;
}

template <typename OpTy>
static LogicalResult isCountable(OpTy op, PatternRewriter &rewriter) {
  Type type = op.getType();
  if (!isOnDevice(type) || getElementTypeOrSelf(type).isIndex() ||
      !llvm::isPowerOf2_32(getElementTypeOrSelf(type).getIntOrFloatBitWidth()))
    return rewriter.notifyMatchFailure(op, "not a fixed width, a power of two");
  return success();
}

namespace {
struct ExpandCtPop final : OpRewritePattern<math::CtPopOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::CtPopOp op,
                                PatternRewriter &rewriter) const override {
    if (failed(isCountable(op, rewriter)))
      return failure();
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    rewriter.replaceOp(op, populationCount(b, op.getOperand()));
    return success();
  }
};

/// The bits below the lowest one that is set, counted; all of them for 0.
struct ExpandCttz final : OpRewritePattern<math::CountTrailingZerosOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::CountTrailingZerosOp op,
                                PatternRewriter &rewriter) const override {
    if (failed(isCountable(op, rewriter)))
      return failure();
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Type type = op.getType();
    Value x = op.getOperand();
    Value ones = constant(b, type, -1);
    Value below = arith::AndIOp::create(b, arith::XOrIOp::create(b, x, ones),
                                        arith::AddIOp::create(b, x, ones));
    rewriter.replaceOp(op, populationCount(b, below));
    return success();
  }
};
} // namespace

void moe::populateIntegerPatterns(RewritePatternSet &patterns) {
  patterns.add<ExpandCtPop, ExpandCttz, ExpandIPowI, ExpandRemSI,
               ExpandShift<arith::ShLIOp>, ExpandShift<arith::ShRSIOp>,
               ExpandShift<arith::ShRUIOp>>(patterns.getContext());
}
