//===- CombineWeightGrad.cpp - moe.combine_weight_grad -> linalg.generic
//---===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// result[t, j] = Σ_w (slot_to_row[t, j] ≥ 0 ? grad[t, w] · rows[slot_to_row[t,
// j], w] : 0)
//
// `tree` is a plain sum, which later stages take apart; the body of `serial`
// chooses between the sum so far and the next one, which leaves no choice but
// to go in order. Neither product nor sum carries a fast-math flag.
//
//===----------------------------------------------------------------------===//

#include "moe/Conversion/GenericBuilder.h"
#include "moe/Conversion/MoEToLinalg.h"
#include "moe/Dialect/MoE/IR/MoE.h"

using namespace mlir;
using namespace mlir::moe;

namespace {
struct CombineWeightGradToLinalg final : OpRewritePattern<CombineWeightGradOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(CombineWeightGradOp op,
                                PatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    AffineExpr t, j, w;
    bindDims(b.getContext(), t, j, w);
    SmallVector<AffineMap> maps{AffineMap::get(3, 0, {t, w}, b.getContext()),
                                AffineMap::get(3, 0, {t, j}, b.getContext()),
                                AffineMap::get(3, 0, {t, j}, b.getContext())};
    Value tokens = tensor::DimOp::create(b, op.getSlotToRow(), 0);
    Value init = zeros(b, op.getType(), {tokens});
    auto term = [&](ImplicitLocOpBuilder &body, ValueRange args,
                    Value &kept) -> Value {
      Value zero = arith::ConstantOp::create(body, body.getI32IntegerAttr(0));
      kept =
          arith::CmpIOp::create(body, arith::CmpIPredicate::sge, args[1], zero);
      Value safe = arith::IndexCastOp::create(
          body, body.getIndexType(),
          arith::MaxSIOp::create(body, args[1], zero));
      Value column = linalg::IndexOp::create(body, 2);
      Value element =
          extractInRange(body, op.getRows(), ValueRange{safe, column});
      return arith::MulFOp::create(body, toF32(body, args[0]),
                                   toF32(body, element));
    };
    Value kept;
    if (op.getStrategy() == DotStrategy::Tree) {
      rewriter.replaceOp(
          op, createSum(b, {op.getGrad(), op.getSlotToRow()}, init, maps,
                        [&](ImplicitLocOpBuilder &body, ValueRange args) {
                          Value product = term(body, args, kept);
                          return selectOrZero(body, kept, product);
                        }));
      return success();
    }
    rewriter.replaceOp(
        op, createReduction(b, {op.getGrad(), op.getSlotToRow()}, init, maps,
                            [&](ImplicitLocOpBuilder &body, ValueRange args) {
                              Value product = term(body, args, kept);
                              Value next =
                                  arith::AddFOp::create(body, args[2], product);
                              return arith::SelectOp::create(body, kept, next,
                                                             args[2])
                                  .getResult();
                            }));
    return success();
  }
};
} // namespace

void moe::populateCombineWeightGradToLinalgPatterns(
    RewritePatternSet &patterns) {
  patterns.add<CombineWeightGradToLinalg>(patterns.getContext());
}
