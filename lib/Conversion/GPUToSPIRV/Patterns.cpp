//===- Patterns.cpp - What upstream's SPIR-V patterns lack
//-----------------===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Transforms/DialectConversion.h"
#include "moe/Dialect/MoERT/IR/MoERT.h"

using namespace mlir;
using namespace mlir::moe;

namespace {
struct PushConstantPattern final : OpConversionPattern<moe_rt::PushConstantOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(moe_rt::PushConstantOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto func = op->getParentOfType<FunctionOpInterface>();
    auto count = func
                     ? func->getAttrOfType<IntegerAttr>("moe_rt.push_constants")
                     : IntegerAttr();
    if (!count)
      return rewriter.notifyMatchFailure(
          op, "its function does not say how many there are");
    Value value = spirv::getPushConstantValue(
        op, count.getInt(), op.getPosition(), rewriter.getI32Type(), rewriter);
    if (!value)
      return failure();
    rewriter.replaceOp(op, value);
    return success();
  }
};

/// Float arithmetic keeps its rounding unless it says `contract`.
template <typename ArithOp, typename SPIRVOp>
struct RoundedPattern final : OpConversionPattern<ArithOp> {
  using OpConversionPattern<ArithOp>::OpConversionPattern;

  LogicalResult
  matchAndRewrite(ArithOp op, typename ArithOp::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Type type = this->getTypeConverter()->convertType(op.getType());
    if (!type)
      return rewriter.notifyMatchFailure(
          op, "its type has no SPIR-V form on this target");
    auto result = rewriter.replaceOpWithNewOp<SPIRVOp>(
        op, type, adaptor.getLhs(), adaptor.getRhs());
    if (!arith::bitEnumContainsAll(op.getFastmath(),
                                   arith::FastMathFlags::contract))
      result->setAttr("no_contraction", rewriter.getUnitAttr());
    return success();
  }
};

/// To the next integer towards 0.
struct TruncPattern final : OpConversionPattern<math::TruncOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(math::TruncOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value x = adaptor.getOperand();
    Value zero = spirv::ConstantOp::getZero(x.getType(), loc, rewriter);
    Value negative = spirv::FOrdLessThanOp::create(rewriter, loc, x, zero);
    Value up = spirv::GLCeilOp::create(rewriter, loc, x);
    Value down = spirv::GLFloorOp::create(rewriter, loc, x);
    rewriter.replaceOpWithNewOp<spirv::SelectOp>(op, negative, up, down);
    return success();
  }
};

/// Between an i1 and an index, whose sign bit it is and whose lowest bit it
/// becomes. Upstream takes -1 for 1, and any index but 0 for 1, or has no
/// pattern.
template <typename CastOp, typename ExtendOp>
struct BoolIndexCastPattern final : OpConversionPattern<CastOp> {
  using OpConversionPattern<CastOp>::OpConversionPattern;

  LogicalResult
  matchAndRewrite(CastOp op, typename CastOp::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Type from = op.getIn().getType(),
         to = this->getTypeConverter()->convertType(op.getType());
    if (to && getElementTypeOrSelf(from).isInteger(1)) {
      rewriter.replaceOpWithNewOp<ExtendOp>(op, to, adaptor.getIn());
      return success();
    }
    if (to && getElementTypeOrSelf(op.getType()).isInteger(1)) {
      rewriter.replaceOpWithNewOp<arith::TruncIOp>(op, to, adaptor.getIn());
      return success();
    }
    return rewriter.notifyMatchFailure(op, "upstream's pattern is right");
  }
};

/// To 64 bits with the sign: the upper word is the sign bit, 32 times. Mesa
/// (22.3) takes OpSConvert for an operand of OpSLessThan against a constant,
/// and answers wrongly for most constants of 32 bits.
template <typename CastOp>
struct SignExtendPattern final : OpConversionPattern<CastOp> {
  using OpConversionPattern<CastOp>::OpConversionPattern;

  LogicalResult
  matchAndRewrite(CastOp op, typename CastOp::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value low = adaptor.getIn();
    Type to = this->getTypeConverter()->convertType(op.getType());
    if (!to || !getElementTypeOrSelf(to).isInteger(64) ||
        !getElementTypeOrSelf(low.getType()).isInteger(32))
      return rewriter.notifyMatchFailure(op, "not from 32 bits to 64");
    auto pair = VectorType::get({2}, rewriter.getI32Type());
    Value shift = spirv::ConstantOp::create(
        rewriter, loc, rewriter.getI32Type(), rewriter.getI32IntegerAttr(31));
    auto extend = [&](Value word) -> Value {
      Value sign = spirv::ShiftRightArithmeticOp::create(
          rewriter, loc, word.getType(), word, shift);
      Value both = spirv::CompositeConstructOp::create(rewriter, loc, pair,
                                                       ValueRange{word, sign});
      return spirv::BitcastOp::create(rewriter, loc, rewriter.getI64Type(),
                                      both);
    };
    auto vector = dyn_cast<VectorType>(to);
    if (!vector) {
      rewriter.replaceOp(op, extend(low));
      return success();
    }
    SmallVector<Value> elements;
    for (int32_t i = 0; i < vector.getNumElements(); ++i)
      elements.push_back(
          extend(spirv::CompositeExtractOp::create(rewriter, loc, low, {i})));
    rewriter.replaceOpWithNewOp<spirv::CompositeConstructOp>(op, vector,
                                                             elements);
    return success();
  }
};

struct LaneIdPattern final : OpConversionPattern<gpu::LaneIdOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(gpu::LaneIdOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOp(op, spirv::getBuiltinVariableValue(
                               op, spirv::BuiltIn::SubgroupLocalInvocationId,
                               rewriter.getI32Type(), rewriter));
    return success();
  }
};
} // namespace

void moe::populateOwnSPIRVPatterns(const SPIRVTypeConverter &converter,
                                   RewritePatternSet &patterns) {
  constexpr unsigned beforeUpstream = 10;
  patterns
      .add<BoolIndexCastPattern<arith::IndexCastOp, arith::ExtSIOp>,
           BoolIndexCastPattern<arith::IndexCastUIOp, arith::ExtUIOp>,
           SignExtendPattern<arith::IndexCastOp>,
           SignExtendPattern<arith::ExtSIOp>, LaneIdPattern,
           PushConstantPattern, RoundedPattern<arith::AddFOp, spirv::FAddOp>,
           RoundedPattern<arith::MulFOp, spirv::FMulOp>,
           RoundedPattern<arith::SubFOp, spirv::FSubOp>, TruncPattern>(
          converter, patterns.getContext(), beforeUpstream);
}
