//===- LinalgRules.cpp - Derivatives of linalg ops ------------------------===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// Every structured op is differentiated by its maps and body. A product gives
// products, and a softmax is simpler as a whole than in parts.
//
//===----------------------------------------------------------------------===//

#include "AttachRule.h"
#include "StructuredRule.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::moe;

template <typename OpTy>
static LogicalResult structured(OpTy op, OpBuilder &builder, Cotangents &c) {
  return differentiateStructured(op, builder, c);
}

// Elementwise ops, broadcasts and transpositions: as many results as loops.
template <typename OpTy> static bool isElementwise(OpTy op) {
  return op.getNumReductionLoops() == 0;
}

//===----------------------------------------------------------------------===//
// linalg.matmul
//===----------------------------------------------------------------------===//

// The gradient of one operand, [a, b] in its own layout: Σ over the loop that
// is not among a and b of the other operand times the result's gradient.
static Value gradientOfFactor(RuleBuilder &b, Value factor, AffineMap map,
                              std::pair<Value, AffineMap> other,
                              std::pair<Value, AffineMap> gradient) {
  unsigned row = map.getDimPosition(0), column = map.getDimPosition(1);
  unsigned reduced = 3 - row - column;
  auto has = [](AffineMap m, unsigned loop) { return m.isFunctionOfDim(loop); };
  if (!has(other.second, row))
    std::swap(other, gradient);
  // `other` has the rows now. Loops of the new product: (row, column, reduced).
  SmallVector<AffineExpr> renamed(3);
  renamed[row] = b.getAffineDimExpr(0);
  renamed[column] = b.getAffineDimExpr(1);
  renamed[reduced] = b.getAffineDimExpr(2);
  SmallVector<AffineMap> maps;
  for (AffineMap m : {other.second, gradient.second, map})
    maps.push_back(m.replaceDimsAndSymbols(renamed, {}, 3, 0));

  auto type = cast<RankedTensorType>(factor.getType());
  Type element = type.getElementType();
  if (element.getIntOrFloatBitWidth() < 32)
    element = b.getF32Type();
  Value empty = tensor::EmptyOp::create(
      b, tensor::getMixedSizes(b, b.getLoc(), factor), element);
  Value zero = arith::ConstantOp::create(b, b.getZeroAttr(element));
  Value init = linalg::FillOp::create(b, zero, empty).getResult(0);
  auto product = linalg::MatmulOp::create(
      b, init.getType(), ValueRange{other.first, gradient.first}, init);
  if (ArrayRef(maps) !=
      ArrayRef(linalg::MatmulOp::getDefaultIndexingMaps(b.getContext())))
    product.setIndexingMapsAttr(b.getAffineMapArrayAttr(maps));
  return product.getResult(0);
}

static LogicalResult matmul(linalg::MatmulOp op, OpBuilder &builder,
                            Cotangents &c) {
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  for (AffineMap map : maps)
    if (map.getNumResults() != 2 || !map.isProjectedPermutation())
      return differentiateStructured(op, builder, c);
  RuleBuilder b(op, builder);
  Value left = op.getInputs()[0], right = op.getInputs()[1];
  Value g = c.of(op.getResult(0));
  c.add(op.getOutputs()[0], g);
  if (c.wants(left))
    c.add(left,
          gradientOfFactor(b, left, maps[0], {right, maps[1]}, {g, maps[2]}));
  if (c.wants(right))
    c.add(right,
          gradientOfFactor(b, right, maps[1], {left, maps[0]}, {g, maps[2]}));
  return success();
}

// A product that is narrower than what it adds up, as that of a router.
static bool isNarrow(linalg::MatmulOp op) {
  SmallVector<int64_t, 4> loops = op.getStaticLoopRanges();
  return !ShapedType::isDynamic(loops[1]) && !ShapedType::isDynamic(loops[2]) &&
         loops[1] < loops[2];
}

//===----------------------------------------------------------------------===//
// linalg.softmax
//===----------------------------------------------------------------------===//

// dx = y · (g - Σ y · g). The difference cancels where y is near 1: there it is
// Σ y · (g_i - g) over the others, of which there is none that is as large.
static LogicalResult softmax(linalg::SoftmaxOp op, OpBuilder &builder,
                             Cotangents &c) {
  if (!c.wants(op.getInput()))
    return success();
  RuleBuilder b(op, builder);
  Value y = op.getResult()[0], g = c.of(y);
  auto type = cast<RankedTensorType>(y.getType());
  int64_t rank = type.getRank(), dim = op.getDimension();
  Type sumType = type.getElementType();
  if (sumType.getIntOrFloatBitWidth() < 32)
    sumType = b.getF32Type();

  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b, b.getLoc(), y);
  SmallVector<OpFoldResult> outer(sizes);
  outer.erase(outer.begin() + dim);
  AffineMap all = b.getMultiDimIdentityMap(rank);
  AffineMap others = all.dropResult(dim);
  SmallVector<utils::IteratorType> loops(rank, utils::IteratorType::parallel);
  Value zero = arith::ConstantOp::create(b, b.getZeroAttr(sumType));
  Value none = linalg::FillOp::create(
                   b, zero, Value(tensor::EmptyOp::create(b, outer, sumType)))
                   .getResult(0);
  auto isLarge = [](RuleBuilder &body, Value y) {
    return body.compare(arith::CmpFPredicate::OGT, y, body.constant(y, 0.5));
  };
  // Σ y · g; and of those that are not large, Σ y and Σ y · g.
  loops[dim] = utils::IteratorType::reduction;
  Type sumsType = none.getType();
  auto sums = linalg::GenericOp::create(
      b, TypeRange{sumsType, sumsType, sumsType}, ValueRange{y, g},
      ValueRange{none, none, none}, ArrayRef{all, all, others, others, others},
      loops, [&](OpBuilder &nested, Location loc, ValueRange args) {
        RuleBuilder body(op, nested);
        Value left = castElements(body, loc, args[0], sumType);
        Value right = castElements(body, loc, args[1], sumType);
        Value product = body.mul(left, right), large = isLarge(body, left);
        Value zero = body.zero(left);
        linalg::YieldOp::create(
            body,
            ValueRange{body.add(args[2], product),
                       body.add(args[3], body.select(large, zero, left)),
                       body.add(args[4], body.select(large, zero, product))});
      });
  loops[dim] = utils::IteratorType::parallel;
  Value init = tensor::EmptyOp::create(b, sizes, type.getElementType());
  auto result = linalg::GenericOp::create(
      b, init.getType(),
      ValueRange{y, g, sums.getResult(0), sums.getResult(1), sums.getResult(2)},
      init, ArrayRef{all, all, others, others, others, all}, loops,
      [&](OpBuilder &nested, Location loc, ValueRange args) {
        RuleBuilder body(op, nested);
        Value left = castElements(body, loc, args[0], sumType);
        Value right = castElements(body, loc, args[1], sumType);
        Value near = body.sub(body.mul(args[3], right), args[4]);
        Value far = body.sub(right, args[2]);
        Value slope =
            body.mul(left, body.select(isLarge(body, left), near, far));
        Value rounded = castElements(body, loc, slope, type.getElementType());
        linalg::YieldOp::create(body, rounded);
      });
  c.add(op.getInput(), result.getResult(0));
  return success();
}

template <typename OpTy>
static LogicalResult layout(OpTy op, OpBuilder &, Cotangents &) {
  return refuse(op, "tensor.expand_shape, linalg.transpose and tensor.pad");
}

template <typename OpTy>
static LogicalResult winograd(OpTy op, OpBuilder &, Cotangents &) {
  return refuse(op, "the convolution that it is a part of");
}

namespace {
template <typename... Ops> struct Structured {
  static void attach(MLIRContext *context) {
    (attachRule<Ops, structured<Ops>, isElementwise<Ops>>(context), ...);
  }
};
} // namespace

void moe::registerLinalgDerivativeRules(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, linalg::LinalgDialect *) {
    Structured<
        linalg::AbsOp, linalg::AddOp, linalg::BatchMatmulOp,
        linalg::BatchMatvecOp, linalg::BatchMmt4DOp,
        linalg::BatchReduceMatmulOp, linalg::BatchVecmatOp, linalg::BroadcastOp,
        linalg::CeilOp, linalg::ContractOp, linalg::Conv1DNcwFcwOp,
        linalg::Conv1DNwcWcfOp, linalg::Conv1DOp, linalg::Conv2DNchwFchwOp,
        linalg::Conv2DNchwFchwQOp, linalg::Conv2DNgchwFgchwOp,
        linalg::Conv2DNgchwGfchwOp, linalg::Conv2DNgchwGfchwQOp,
        linalg::Conv2DNhwcFhwcOp, linalg::Conv2DNhwcFhwcQOp,
        linalg::Conv2DNhwcHwcfOp, linalg::Conv2DNhwcHwcfQOp,
        linalg::Conv2DNhwgcGfhwcOp, linalg::Conv2DNhwgcGfhwcQOp,
        linalg::Conv2DOp, linalg::Conv3DNcdhwFcdhwOp,
        linalg::Conv3DNdhwcDhwcfOp, linalg::Conv3DNdhwcDhwcfQOp,
        linalg::Conv3DOp, linalg::CopyOp, linalg::DepthwiseConv1DNcwCwOp,
        linalg::DepthwiseConv1DNwcWcOp, linalg::DepthwiseConv1DNwcWcmOp,
        linalg::DepthwiseConv2DNchwChwOp, linalg::DepthwiseConv2DNhwcHwcOp,
        linalg::DepthwiseConv2DNhwcHwcQOp, linalg::DepthwiseConv2DNhwcHwcmOp,
        linalg::DepthwiseConv2DNhwcHwcmQOp, linalg::DepthwiseConv3DNcdhwCdhwOp,
        linalg::DepthwiseConv3DNdhwcDhwcOp, linalg::DepthwiseConv3DNdhwcDhwcmOp,
        linalg::DivOp, linalg::DivUnsignedOp, linalg::DotOp,
        linalg::ElementwiseOp, linalg::ErfOp, linalg::ExpOp, linalg::FillOp,
        linalg::FillRng2DOp, linalg::FloorOp, linalg::GenericOp, linalg::LogOp,
        linalg::MapOp, linalg::MatvecOp, linalg::MaxOp, linalg::MinOp,
        linalg::Mmt4DOp, linalg::MulOp, linalg::NegFOp,
        linalg::PoolingNchwMaxOp, linalg::PoolingNchwSumOp,
        linalg::PoolingNcwMaxOp, linalg::PoolingNcwSumOp,
        linalg::PoolingNdhwcMaxOp, linalg::PoolingNdhwcMinOp,
        linalg::PoolingNdhwcSumOp, linalg::PoolingNhwcMaxOp,
        linalg::PoolingNhwcMaxUnsignedOp, linalg::PoolingNhwcMinOp,
        linalg::PoolingNhwcMinUnsignedOp, linalg::PoolingNhwcSumOp,
        linalg::PoolingNwcMaxOp, linalg::PoolingNwcMaxUnsignedOp,
        linalg::PoolingNwcMinOp, linalg::PoolingNwcMinUnsignedOp,
        linalg::PoolingNwcSumOp, linalg::PowFOp, linalg::QuantizedBatchMatmulOp,
        linalg::QuantizedMatmulOp, linalg::ReciprocalOp, linalg::ReduceOp,
        linalg::RoundOp, linalg::RsqrtOp, linalg::SelectOp, linalg::SqrtOp,
        linalg::SquareOp, linalg::SubOp, linalg::TanhOp, linalg::TransposeOp,
        linalg::VecmatOp>::attach(context);
    attachRule<linalg::MatmulOp, matmul, isNarrow>(context);
    attachRule<linalg::PackOp, layout<linalg::PackOp>>(context);
    attachRule<linalg::SoftmaxOp, softmax, alwaysCheap<linalg::SoftmaxOp>>(
        context);
    attachRule<linalg::UnPackOp, layout<linalg::UnPackOp>>(context);
    attachRule<linalg::WinogradFilterTransformOp,
               winograd<linalg::WinogradFilterTransformOp>>(context);
    attachRule<linalg::WinogradInputTransformOp,
               winograd<linalg::WinogradInputTransformOp>>(context);
    attachRule<linalg::WinogradOutputTransformOp,
               winograd<linalg::WinogradOutputTransformOp>>(context);
  });
}
