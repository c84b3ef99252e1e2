//===- GroupedMatmul.cpp - The slow form of moe.grouped_matmul
//-------------===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// expert[r]    = number of experts that end at or before row r
// sum[r, n]    = Σ_c lhs[r, c] · rhs[expert[r]][c, n]
// result[r, n] = expert[r] < E ? sum[r, n] + bias[expert[r], n] : 0
//
// The reference that fast forms are compared with: no tile, no table, no
// assumption on the offsets but that they do not decrease.
//
//===----------------------------------------------------------------------===//

#include "moe/Conversion/GenericBuilder.h"
#include "moe/Conversion/MoEToLinalg.h"
#include "moe/Dialect/MoE/IR/MoE.h"

using namespace mlir;
using namespace mlir::moe;

// expert[r], E for a row past the last expert.
static Value findExperts(ImplicitLocOpBuilder &b, GroupedMatmulOp op,
                         Value rows) {
  int64_t experts = op.getExperts();
  auto type = RankedTensorType::get({op.getLhs().getType().getDimSize(0)},
                                    b.getI32Type());
  Value zero = arith::ConstantOp::create(b, b.getI32IntegerAttr(0));
  Value init =
      linalg::FillOp::create(b, zero, emptyLike(b, type, {rows})).getResult(0);
  Value ends = tensor::ExtractSliceOp::create(
      b, op.getOffsets(), {b.getIndexAttr(1)}, {b.getIndexAttr(experts)},
      {b.getIndexAttr(1)});
  AffineExpr r, e;
  bindDims(b.getContext(), r, e);
  SmallVector<AffineMap> maps{AffineMap::get(2, 0, e), AffineMap::get(2, 0, r)};
  auto count = linalg::GenericOp::create(
      b, type, ValueRange{ends}, ValueRange{init}, maps,
      ArrayRef{utils::IteratorType::parallel, utils::IteratorType::reduction},
      [&](OpBuilder &nested, Location loc, ValueRange args) {
        ImplicitLocOpBuilder body(loc, nested);
        Value row = arith::IndexCastOp::create(
            body, body.getI32Type(), linalg::IndexOp::create(body, 0));
        Value before = arith::CmpIOp::create(body, arith::CmpIPredicate::sle,
                                             args[0], row);
        Value one = arith::ExtUIOp::create(body, body.getI32Type(), before);
        linalg::YieldOp::create(
            body, arith::AddIOp::create(body, args[1], one).getResult());
      });
  return count.getResult(0);
}

// The expert as an index that is safe to read with.
static Value safeExpert(ImplicitLocOpBuilder &b, Value expert,
                        int64_t experts) {
  Value last = arith::ConstantOp::create(b, b.getI32IntegerAttr(experts - 1));
  return arith::IndexCastOp::create(b, b.getIndexType(),
                                    arith::MinSIOp::create(b, expert, last));
}

static Value multiply(ImplicitLocOpBuilder &b, GroupedMatmulOp op,
                      Value experts, Value rows) {
  auto type = RankedTensorType::get(op.getType().getShape(), b.getF32Type());
  Value zero = arith::ConstantOp::create(b, b.getF32FloatAttr(0.0f));
  Value init =
      linalg::FillOp::create(b, zero, emptyLike(b, type, {rows})).getResult(0);
  AffineExpr r, n, c;
  bindDims(b.getContext(), r, n, c);
  SmallVector<AffineMap> maps{AffineMap::get(3, 0, {r, c}, b.getContext()),
                              AffineMap::get(3, 0, r),
                              AffineMap::get(3, 0, {r, n}, b.getContext())};
  auto product = linalg::GenericOp::create(
      b, type, ValueRange{op.getLhs(), experts}, ValueRange{init}, maps,
      ArrayRef{utils::IteratorType::parallel, utils::IteratorType::parallel,
               utils::IteratorType::reduction},
      [&](OpBuilder &nested, Location loc, ValueRange args) {
        ImplicitLocOpBuilder body(loc, nested);
        Value expert = safeExpert(body, args[1], op.getExperts());
        Value column = linalg::IndexOp::create(body, 1),
              feature = linalg::IndexOp::create(body, 2);
        Value weight = extractInRange(
            body, op.getRhs(),
            op.getTransposeRhs() ? ValueRange{expert, column, feature}
                                 : ValueRange{expert, feature, column});
        Value term = arith::MulFOp::create(body, toF32(body, args[0]),
                                           toF32(body, weight));
        linalg::YieldOp::create(
            body, arith::AddFOp::create(body, args[2], term).getResult());
      });
  return product.getResult(0);
}

namespace {
struct GroupedMatmulToLinalg final : OpRewritePattern<GroupedMatmulOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(GroupedMatmulOp op,
                                PatternRewriter &rewriter) const override {
    if (auto kernel = op->getParentOfType<KernelOp>();
        kernel && kernel.getSchedule() &&
        kernel.getSchedule()->getFamily() == Family::Matmul)
      return rewriter.notifyMatchFailure(op,
                                         "its kernel is scheduled as tiles");
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Value rows = tensor::DimOp::create(b, op.getLhs(), 0);
    Value experts = findExperts(b, op, rows);
    Value sums = multiply(b, op, experts, rows);
    AffineExpr r, n;
    bindDims(b.getContext(), r, n);
    SmallVector<AffineMap> maps{AffineMap::get(2, 0, {r, n}, b.getContext()),
                                AffineMap::get(2, 0, r)};
    Value init = emptyLike(b, op.getType(), {rows});
    Value result = createGeneric(
        b, {sums, experts}, maps, init, 2,
        [&](ImplicitLocOpBuilder &body, ValueRange args) {
          Value value = args[0];
          Value count = arith::ConstantOp::create(
              body, body.getI32IntegerAttr(op.getExperts()));
          Value owned = arith::CmpIOp::create(body, arith::CmpIPredicate::slt,
                                              args[1], count);
          if (Value bias = op.getBias()) {
            Value expert = safeExpert(body, args[1], op.getExperts());
            Value column = linalg::IndexOp::create(body, 1);
            Value term = extractInRange(body, bias, ValueRange{expert, column});
            value = arith::AddFOp::create(body, value, toF32(body, term));
          }
          Value zero =
              arith::ConstantOp::create(body, body.getF32FloatAttr(0.0f));
          value = arith::SelectOp::create(body, owned, value, zero);
          return fromF32(body, value, op.getType().getElementType());
        });
    rewriter.replaceOp(op, result);
    return success();
  }
};
} // namespace

void moe::populateGroupedMatmulToLinalgPatterns(RewritePatternSet &patterns) {
  patterns.add<GroupedMatmulToLinalg>(patterns.getContext());
}
