//===- Classes.cpp - Kinds, signs and order of floats ---------------------===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// By the bits: what a driver knows of NaN and of the sign of 0 differs.
//
//===----------------------------------------------------------------------===//

#include "MathBuilder.h"

using namespace mlir;
using namespace mlir::moe;

static Value magnitudeBits(MathBuilder &b, Value x) {
  return b.band(b.bits(x), b.i(0x7fffffff));
}

static Value isFinite(MathBuilder &b, Value x) {
  return b.compare(arith::CmpIPredicate::ult, magnitudeBits(b, x),
                   b.i(0x7f800000));
}
static Value isInfinite(MathBuilder &b, Value x) {
  return b.compare(arith::CmpIPredicate::eq, magnitudeBits(b, x),
                   b.i(0x7f800000));
}
static Value isNaN(MathBuilder &b, Value x) { return b.isNaN(x); }
static Value isNormal(MathBuilder &b, Value x) {
  return b.compare(arith::CmpIPredicate::ult,
                   b.isub(magnitudeBits(b, x), b.i(0x800000)), b.i(0x7f000000));
}

static Value absolute(MathBuilder &b, Value x) { return b.abs(x); }
static Value negative(MathBuilder &b, Value x) { return b.neg(x); }
static Value withSign(MathBuilder &b, Value x, Value y) {
  return b.copySign(x, y);
}

// Of two zeros the bits decide.
static Value ordered(MathBuilder &b, Value x, Value y, bool max) {
  Value first = max ? b.less(y, x) : b.less(x, y);
  Value same = max ? b.band(b.bits(x), b.bits(y)) : b.bor(b.bits(x), b.bits(y));
  return b.select(b.equal(x, y), b.fromBits(same), b.select(first, x, y));
}

static Value maximumOrNaN(MathBuilder &b, Value x, Value y, bool max) {
  Value invalid = arith::OrIOp::create(b, b.isNaN(x), b.isNaN(y));
  return b.select(invalid, b.nan(), ordered(b, x, y, max));
}
static Value numberOf(MathBuilder &b, Value x, Value y, bool max) {
  return b.select(b.isNaN(x), y,
                  b.select(b.isNaN(y), x, ordered(b, x, y, max)));
}

static Value maximum(MathBuilder &b, Value x, Value y) {
  return maximumOrNaN(b, x, y, true);
}
static Value minimum(MathBuilder &b, Value x, Value y) {
  return maximumOrNaN(b, x, y, false);
}
static Value maxNum(MathBuilder &b, Value x, Value y) {
  return numberOf(b, x, y, true);
}
static Value minNum(MathBuilder &b, Value x, Value y) {
  return numberOf(b, x, y, false);
}
static Value clamp(MathBuilder &b, Value x, Value low, Value high) {
  return minimum(b, maximum(b, x, low), high);
}

namespace {
/// The predicates that look at NaN alone, or at nothing.
struct ExpandUnordered final : OpRewritePattern<arith::CmpFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::CmpFOp op,
                                PatternRewriter &rewriter) const override {
    Type type = op.getLhs().getType();
    if (isa<TensorType>(type))
      return rewriter.notifyMatchFailure(op, "not on the device");
    arith::CmpFPredicate predicate = op.getPredicate();
    if (predicate == arith::CmpFPredicate::AlwaysTrue ||
        predicate == arith::CmpFPredicate::AlwaysFalse) {
      bool holds = predicate == arith::CmpFPredicate::AlwaysTrue;
      TypedAttr value = rewriter.getBoolAttr(holds);
      if (auto vector = dyn_cast<VectorType>(op.getType()))
        value = DenseElementsAttr::get(vector, holds);
      rewriter.replaceOpWithNewOp<arith::ConstantOp>(op, value);
      return success();
    }
    bool ordered = predicate == arith::CmpFPredicate::ORD;
    if ((!ordered && predicate != arith::CmpFPredicate::UNO) ||
        !getElementTypeOrSelf(type).isF32())
      return rewriter.notifyMatchFailure(op, "compares values");
    MathBuilder b(op.getLoc(), rewriter, type);
    // As integers, the larger of both magnitudes is the NaN.
    Value larger = arith::MaxUIOp::create(b, magnitudeBits(b, op.getLhs()),
                                          magnitudeBits(b, op.getRhs()));
    rewriter.replaceOp(op, b.compare(ordered ? arith::CmpIPredicate::ule
                                             : arith::CmpIPredicate::ugt,
                                     larger, b.i(0x7f800000)));
    return success();
  }
};
} // namespace

void moe::populateClassPatterns(RewritePatternSet &patterns) {
  patterns.add<
      ExpandF32<arith::MaximumFOp, maximum>,
      ExpandF32<arith::MaxNumFOp, maxNum>,
      ExpandF32<arith::MinimumFOp, minimum>,
      ExpandF32<arith::MinNumFOp, minNum>, ExpandF32<arith::NegFOp, negative>,
      ExpandF32<math::AbsFOp, absolute>, ExpandF32<math::ClampFOp, clamp>,
      ExpandF32<math::CopySignOp, withSign>,
      ExpandF32<math::IsFiniteOp, isFinite>,
      ExpandF32<math::IsInfOp, isInfinite>, ExpandF32<math::IsNaNOp, isNaN>,
      ExpandF32<math::IsNormalOp, isNormal>, ExpandUnordered>(
      patterns.getContext());
}
