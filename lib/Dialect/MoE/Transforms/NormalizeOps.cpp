//===- NormalizeOps.cpp - Brings ops to the forms kernels are made of
//------===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "ReshapeAsViews.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "moe/Dialect/MoE/IR/Decompose.h"
#include "moe/Dialect/MoE/IR/MoE.h"
#include "moe/Dialect/MoE/Transforms/Passes.h"

namespace mlir::moe {
#define GEN_PASS_DEF_NORMALIZEOPSPASS
#include "moe/Dialect/MoE/Transforms/Passes.h.inc"
} // namespace mlir::moe

using namespace mlir;
using namespace mlir::moe;

// A product that the matmul family takes: f32, plain or transposed operands,
// static reduced and output widths.
static bool isTileProduct(linalg::MatmulOp op) {
  if (op.hasUserDefinedMaps())
    for (AffineMap map : op.getIndexingMapsArray())
      if (map.getNumResults() != 2 || !map.isProjectedPermutation())
        return false;
  AffineMap output = op.getIndexingMapsArray().back();
  if (output.getDimPosition(0) != 0 || output.getDimPosition(1) != 1)
    return false;
  for (Value operand : op->getOperands())
    if (!getElementTypeOrSelf(operand.getType()).isF32())
      return false;
  SmallVector<int64_t, 4> loops = op.getStaticLoopRanges();
  return !ShapedType::isDynamic(loops[1]) && !ShapedType::isDynamic(loops[2]);
}

// out[m, n] = Σ_k lhs[k, m] · rhs[k, n], of which only k is dynamic.
static bool isSumOverTokens(linalg::MatmulOp op) {
  MLIRContext *context = op.getContext();
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  auto map = [&](unsigned a, unsigned b) {
    return AffineMap::getMultiDimMapWithTargets(3, {a, b}, context);
  };
  SmallVector<int64_t, 4> loops = op.getStaticLoopRanges();
  return maps[0] == map(2, 0) && maps[1] == map(2, 1) && maps[2] == map(0, 1) &&
         llvm::all_of(op->getOperands(),
                      [](Value v) {
                        return getElementTypeOrSelf(v.getType()).isF32();
                      }) &&
         !ShapedType::isDynamic(loops[0]) && loops[0] &&
         !ShapedType::isDynamic(loops[1]) && loops[1] &&
         ShapedType::isDynamic(loops[2]);
}

namespace {
struct GeneralizeNamed final : OpInterfaceRewritePattern<linalg::LinalgOp> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;

  LogicalResult matchAndRewrite(linalg::LinalgOp op,
                                PatternRewriter &rewriter) const override {
    if (isa<linalg::GenericOp, linalg::FillOp>(op))
      return failure();
    if (auto product = dyn_cast<linalg::MatmulOp>(*op);
        product && (isTileProduct(product) || isSumOverTokens(product)))
      return failure();
    return linalg::generalizeNamedOp(rewriter, op);
  }
};

struct DecomposeSoftmax final : OpRewritePattern<linalg::SoftmaxOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(linalg::SoftmaxOp op,
                                PatternRewriter &rewriter) const override {
    FailureOr<SmallVector<Value>> results = op.decomposeOperation(rewriter);
    if (failed(results))
      return rewriter.notifyMatchFailure(op, "cannot be decomposed");
    rewriter.replaceOp(op, *results);
    return success();
  }
};

/// The gradient of a dense weight sums over tokens, whose number is dynamic, as
/// that of an expert's does over its rows: it is grouped_outer with one expert.
struct SumOverTokens final : OpRewritePattern<linalg::MatmulOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(linalg::MatmulOp op,
                                PatternRewriter &rewriter) const override;
};

// Scalars get into a tensor as slices of one element, which are views.

struct InsertAsSlice final : OpRewritePattern<tensor::InsertOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::InsertOp op,
                                PatternRewriter &rewriter) const override {
    rewriter.replaceOp(op, insertElement(rewriter, op.getLoc(), op.getScalar(),
                                         op.getDest(),
                                         getAsOpFoldResult(op.getIndices())));
    return success();
  }

  static Value insertElement(OpBuilder &builder, Location loc, Value scalar,
                             Value into, ArrayRef<OpFoldResult> at) {
    SmallVector<OpFoldResult> ones(at.size(), builder.getIndexAttr(1));
    SmallVector<int64_t> shape(at.size(), 1);
    Value slice = tensor::SplatOp::create(
        builder, loc, RankedTensorType::get(shape, scalar.getType()), scalar);
    if (at.empty()) // it is all there is
      return slice;
    return tensor::InsertSliceOp::create(builder, loc, slice, into, at, ones,
                                         ones);
  }
};

struct InsertElements final : OpRewritePattern<tensor::FromElementsOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::FromElementsOp op,
                                PatternRewriter &rewriter) const override {
    RankedTensorType type = op.getType();
    Value result = tensor::EmptyOp::create(
        rewriter, op.getLoc(), type.getShape(), type.getElementType());
    SmallVector<int64_t> strides = computeStrides(type.getShape());
    for (auto [number, element] : llvm::enumerate(op.getElements()))
      result = InsertAsSlice::insertElement(
          rewriter, op.getLoc(), element, result,
          getAsIndexOpFoldResult(getContext(), delinearize(number, strides)));
    rewriter.replaceOp(op, result);
    return success();
  }
};

/// The overflow of a sum is a comparison, which moves into the kernel that
/// reads it. Beside the sum it would be a result of a kernel, and no buffer
/// holds it.
struct CompareForCarry final : OpRewritePattern<arith::AddUIExtendedOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::AddUIExtendedOp op,
                                PatternRewriter &rewriter) const override {
    if (!isa<TensorType>(op.getSum().getType()))
      return rewriter.notifyMatchFailure(op, "not on whole tensors");
    Value sum =
        arith::AddIOp::create(rewriter, op.getLoc(), op.getLhs(), op.getRhs());
    Value carry = arith::CmpIOp::create(
        rewriter, op.getLoc(), arith::CmpIPredicate::ult, sum, op.getLhs());
    rewriter.replaceOp(op, {sum, carry});
    return success();
  }
};

struct NormalizeOpsPass : moe::impl::NormalizeOpsPassBase<NormalizeOpsPass> {
  void runOnOperation() override {
    // Its decomposition has a least value and an exponential of floats alone.
    WalkResult result = getOperation().walk([](linalg::SoftmaxOp op) {
      Type element = getElementTypeOrSelf(op.getInput().getType());
      if (isa<FloatType>(element) &&
          element == getElementTypeOrSelf(op.getOutput().getType()))
        return WalkResult::advance();
      return WalkResult(op.emitOpError("expected floats of one type, but got ")
                        << op.getInput().getType() << " and "
                        << op.getOutput().getType());
    });
    if (result.wasInterrupted())
      return signalPassFailure();
    RewritePatternSet patterns(&getContext());
    patterns.add<CompareForCarry, DecomposeSoftmax, GeneralizeNamed,
                 InsertAsSlice, InsertElements, SumOverTokens>(&getContext());
    tensor::populateDecomposeTensorConcatPatterns(patterns);
    linalg::populateElementwiseToLinalgConversionPatterns(patterns);
    populateDecomposeRoutePatterns(patterns);
    populateReshapeAsViewsPatterns(patterns);
    // Of one value everywhere; other kinds become tensor.generate.
    patterns.add<linalg::DecomposePadOpPattern>(&getContext());
    // Sizes come from the arguments, so that no op lives on for its size alone.
    memref::populateResolveRankedShapedTypeResultDimsPatterns(patterns);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace

LogicalResult SumOverTokens::matchAndRewrite(linalg::MatmulOp op,
                                             PatternRewriter &rewriter) const {
  if (!isSumOverTokens(op))
    return rewriter.notifyMatchFailure(op, "not a sum over tokens alone");
  ImplicitLocOpBuilder b(op.getLoc(), rewriter);
  Value lhs = op.getInputs()[0], rhs = op.getInputs()[1],
        init = op.getOutputs()[0];
  // All tokens belong to the one expert: offsets 0 and T.
  Value tokens = tensor::DimOp::create(b, lhs, 0);
  Value empty =
      tensor::EmptyOp::create(b, ArrayRef<int64_t>{2}, b.getI32Type());
  auto offsets = linalg::GenericOp::create(
      b, empty.getType(), ValueRange{}, empty, b.getMultiDimIdentityMap(1),
      utils::IteratorType::parallel,
      [&](OpBuilder &nested, Location loc, ValueRange) {
        Value position = linalg::IndexOp::create(nested, loc, 0);
        Value bound = arith::MulIOp::create(nested, loc, position, tokens);
        Value narrow =
            arith::IndexCastOp::create(nested, loc, nested.getI32Type(), bound);
        linalg::YieldOp::create(nested, loc, narrow);
      });
  auto type = cast<RankedTensorType>(op.getResult(0).getType());
  SmallVector<ReassociationIndices> joined{{0, 1}, {2}};
  auto stack = RankedTensorType::get(
      {1, type.getDimSize(0), type.getDimSize(1)}, b.getF32Type());
  auto fill = init.getDefiningOp<linalg::FillOp>();
  bool fromZero = fill && matchPattern(fill.getInputs()[0], m_PosZeroFloat());
  Value start = fromZero
                    ? Value()
                    : tensor::ExpandShapeOp::create(b, stack, init, joined);
  Value sums =
      GroupedOuterOp::create(b, stack, lhs, rhs, offsets.getResult(0), start);
  rewriter.replaceOpWithNewOp<tensor::CollapseShapeOp>(op, type, sums, joined);
  return success();
}
