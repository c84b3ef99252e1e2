//===- Dispatch.cpp - moe.dispatch -> linalg.generic
//-----------------------===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// rows[r, h] = row_to_slot[r] < 0 ? 0 : x[row_to_slot[r] / K, h] (· weight)
//
//===----------------------------------------------------------------------===//

#include "moe/Conversion/GenericBuilder.h"
#include "moe/Conversion/MoEToLinalg.h"
#include "moe/Dialect/MoE/IR/MoE.h"

using namespace mlir;
using namespace mlir::moe;

namespace {
struct DispatchToLinalg final : OpRewritePattern<DispatchOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(DispatchOp op,
                                PatternRewriter &rewriter) const override {
    int64_t choices = op.getSlotToRow().getType().getDimSize(1);
    if (ShapedType::isDynamic(choices))
      return rewriter.notifyMatchFailure(
          op, "expected a static number of slots per token");
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Value rows = tensor::DimOp::create(b, op.getRowToSlot(), 0);
    Value init = emptyLike(b, op.getType(), {rows});
    AffineExpr r = b.getAffineDimExpr(0);
    AffineMap byRow = AffineMap::get(2, 0, r);
    Value result = createGeneric(
        b, {op.getRowToSlot()}, {byRow}, init, 2,
        [&](ImplicitLocOpBuilder &body, ValueRange args) {
          Value slot = args[0];
          Value zero =
              arith::ConstantOp::create(body, body.getI32IntegerAttr(0));
          Value kept = arith::CmpIOp::create(body, arith::CmpIPredicate::sge,
                                             slot, zero);
          Value safe = arith::MaxSIOp::create(body, slot, zero);
          Value count =
              arith::ConstantOp::create(body, body.getI32IntegerAttr(choices));
          Value token = arith::IndexCastOp::create(
              body, body.getIndexType(),
              arith::DivUIOp::create(body, safe, count));
          Value column = linalg::IndexOp::create(body, 1);
          Value value =
              extractInRange(body, op.getX(), ValueRange{token, column});
          if (Value weights = op.getWeights()) {
            Value choice = arith::IndexCastOp::create(
                body, body.getIndexType(),
                arith::RemUIOp::create(body, safe, count));
            Value weight =
                extractInRange(body, weights, ValueRange{token, choice});
            value = multiplyInF32(body, value, weight);
          }
          Value none = arith::ConstantOp::create(
              body, body.getZeroAttr(value.getType()));
          return arith::SelectOp::create(body, kept, value, none).getResult();
        });
    rewriter.replaceOp(op, result);
    return success();
  }
};
} // namespace

void moe::populateDispatchToLinalgPatterns(RewritePatternSet &patterns) {
  patterns.add<DispatchToLinalg>(patterns.getContext());
}
