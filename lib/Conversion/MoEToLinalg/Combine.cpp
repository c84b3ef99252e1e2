//===- Combine.cpp - moe.combine -> linalg.generic
//-------------------------===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// order[t, p] = the slot of token t whose row is the p-th smallest
// out[t, w]   = Σ_p weights[t, order[t, p]] · rows[slot_to_row[t, order[t, p]],
// w]
//
// Ascending rows are ascending (expert, slot). The order is computed once per
// token rather than once per column: by counting the slots that come before,
// K² comparisons of at most 32² for each of the K positions.
//
//===----------------------------------------------------------------------===//

#include "moe/Conversion/GenericBuilder.h"
#include "moe/Conversion/MoEToLinalg.h"
#include "moe/Dialect/MoE/IR/MoE.h"

using namespace mlir;
using namespace mlir::moe;

static Value constantI32(ImplicitLocOpBuilder &b, int32_t value) {
  return arith::ConstantOp::create(b, b.getI32IntegerAttr(value));
}

// Which slot of the token comes at each position.
static Value orderSlots(ImplicitLocOpBuilder &b, Value slotToRow,
                        int64_t choices) {
  auto type = cast<RankedTensorType>(slotToRow.getType());
  Value tokens = tensor::DimOp::create(b, slotToRow, 0);
  Value init = emptyLike(b, type, {tokens});
  return createGeneric(
      b, {}, {}, init, 2, [&](ImplicitLocOpBuilder &body, ValueRange) {
        Value token = linalg::IndexOp::create(body, 0);
        Value position = arith::IndexCastOp::create(
            body, body.getI32Type(), linalg::IndexOp::create(body, 1));
        SmallVector<Value> rows;
        for (int64_t j = 0; j < choices; ++j)
          rows.push_back(extractInRange(
              body, slotToRow,
              ValueRange{token, arith::ConstantIndexOp::create(body, j)}));
        Value one = constantI32(body, 1), zero = constantI32(body, 0);
        Value result = zero;
        for (int64_t j = 0; j < choices; ++j) {
          Value rank = zero; // slots that come before slot j
          for (int64_t i = 0; i < choices; ++i) {
            if (i == j)
              continue;
            auto before =
                i < j ? arith::CmpIPredicate::sle : arith::CmpIPredicate::slt;
            Value earlier =
                arith::CmpIOp::create(body, before, rows[i], rows[j]);
            rank = arith::AddIOp::create(
                body, rank, arith::SelectOp::create(body, earlier, one, zero));
          }
          Value here = arith::CmpIOp::create(body, arith::CmpIPredicate::eq,
                                             rank, position);
          result =
              arith::SelectOp::create(body, here, constantI32(body, j), result);
        }
        return result;
      });
}

// +0 + value, spelled so that a driver cannot take it for value: most drop the
// addition of a zero, which is right but for -0.
static Value withoutNegativeZero(ImplicitLocOpBuilder &b, Value value) {
  Value bits = arith::BitcastOp::create(b, b.getI32Type(), value);
  Value isNegativeZero = arith::CmpIOp::create(
      b, arith::CmpIPredicate::eq, bits,
      constantI32(b, std::numeric_limits<int32_t>::min()));
  Value zero = arith::ConstantOp::create(b, b.getF32FloatAttr(0.0f));
  return arith::SelectOp::create(b, isNegativeZero, zero, value);
}

namespace {
struct CombineToLinalg final : OpRewritePattern<CombineOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(CombineOp op,
                                PatternRewriter &rewriter) const override {
    int64_t choices = op.getSlotToRow().getType().getDimSize(1);
    if (ShapedType::isDynamic(choices))
      return rewriter.notifyMatchFailure(
          op, "expected a static number of slots per token");
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Value order;
    if (op.getOrder() == CombineOrder::Expert && choices > 1)
      order = orderSlots(b, op.getSlotToRow(), choices);
    Value tokens = tensor::DimOp::create(b, op.getSlotToRow(), 0);
    Value init = emptyLike(b, op.getType(), {tokens});
    Value result = createGeneric(b, {}, {}, init, 2,
                                 [&](ImplicitLocOpBuilder &body, ValueRange) {
                                   return sum(op, body, order, choices);
                                 });
    rewriter.replaceOp(op, result);
    return success();
  }

private:
  static Value sum(CombineOp op, ImplicitLocOpBuilder &b, Value order,
                   int64_t choices);
};
} // namespace

// One element of the result. Products and sums carry no fast-math flag, so no
// later stage may contract them.
Value CombineToLinalg::sum(CombineOp op, ImplicitLocOpBuilder &b, Value order,
                           int64_t choices) {
  Type type = op.getType().getElementType();
  bool stepwise = op.getRounding() == CombineRounding::Stepwise;
  Value token = linalg::IndexOp::create(b, 0),
        column = linalg::IndexOp::create(b, 1);
  Value zero = constantI32(b, 0);
  Value total = arith::ConstantOp::create(b, b.getF32FloatAttr(0.0f));
  auto round = [&](Value value) {
    return stepwise ? toF32(b, fromF32(b, value, type)) : value;
  };
  for (int64_t p = 0; p < choices; ++p) {
    Value position = arith::ConstantIndexOp::create(b, p);
    Value slot = position;
    if (order)
      slot = arith::IndexCastOp::create(
          b, b.getIndexType(),
          extractInRange(b, order, ValueRange{token, position}));
    Value row = extractInRange(b, op.getSlotToRow(), ValueRange{token, slot});
    Value kept = arith::CmpIOp::create(b, arith::CmpIPredicate::sge, row, zero);
    Value safe = arith::IndexCastOp::create(
        b, b.getIndexType(), arith::MaxSIOp::create(b, row, zero));
    Value value =
        toF32(b, extractInRange(b, op.getRows(), ValueRange{safe, column}));
    if (Value weights = op.getWeights()) {
      Value weight = extractInRange(b, weights, ValueRange{token, slot});
      value = round(arith::MulFOp::create(b, value, weight));
    }
    Value next = p == 0 ? withoutNegativeZero(b, value)
                        : round(arith::AddFOp::create(b, total, value));
    // A dropped slot adds nothing, whatever its weight or row.
    total = arith::SelectOp::create(b, kept, next, total);
  }
  return fromF32(b, total, type);
}

void moe::populateCombineToLinalgPatterns(RewritePatternSet &patterns) {
  patterns.add<CombineToLinalg>(patterns.getContext());
}
