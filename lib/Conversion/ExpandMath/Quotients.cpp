//===- Quotients.cpp - Divisions by a constant zero -----------------------===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// OpFDiv leaves x / 0 to the driver. By a zero that comes from data drivers
// give what IEEE 754 says; lavapipe gives any number where the zero is a
// constant.
//
//===----------------------------------------------------------------------===//

#include "MathBuilder.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::moe;

namespace {
/// x / 0 = x · ∞, also where x is a zero, an infinity or a NaN.
struct DivideByConstantZero final : OpRewritePattern<arith::DivFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::DivFOp op,
                                PatternRewriter &rewriter) const override {
    Type type = op.getType();
    if (isa<TensorType>(type) || !getElementTypeOrSelf(type).isF32() ||
        !matchPattern(op.getRhs(), m_AnyZeroFloat()))
      return rewriter.notifyMatchFailure(op, "not by a constant zero");
    MathBuilder b(op.getLoc(), rewriter, type);
    Value infinity = b.infinity();
    if (matchPattern(op.getRhs(), m_NegZeroFloat()))
      infinity = arith::NegFOp::create(b, infinity);
    rewriter.replaceOp(op, b.mul(op.getLhs(), infinity));
    return success();
  }
};
} // namespace

void moe::populateQuotientPatterns(RewritePatternSet &patterns) {
  patterns.add<DivideByConstantZero>(patterns.getContext());
}
