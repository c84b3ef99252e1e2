//===- TensorRules.cpp - Derivatives of tensor ops ------------------------===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// All of these move elements; their derivatives move them back.
//
//===----------------------------------------------------------------------===//

#include "AttachRule.h"
#include "SumToScalar.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::moe;

static LogicalResult castShape(tensor::CastOp op, OpBuilder &, Cotangents &c) {
  c.add(op.getSource(), c.of(op)); // which casts shapes
  return success();
}

static LogicalResult extract(tensor::ExtractOp op, OpBuilder &builder,
                             Cotangents &c) {
  RuleBuilder b(op, builder);
  c.add(op.getTensor(),
        tensor::InsertOp::create(b, c.of(op), b.zero(op.getTensor()),
                                 op.getIndices()));
  return success();
}

static LogicalResult insert(tensor::InsertOp op, OpBuilder &builder,
                            Cotangents &c) {
  RuleBuilder b(op, builder);
  Value g = c.of(op);
  if (c.wants(op.getScalar()))
    c.add(op.getScalar(), tensor::ExtractOp::create(b, g, op.getIndices()));
  if (c.wants(op.getDest()))
    c.add(op.getDest(), tensor::InsertOp::create(b, b.zero(op.getScalar()), g,
                                                 op.getIndices()));
  return success();
}

static LogicalResult extractSlice(tensor::ExtractSliceOp op, OpBuilder &builder,
                                  Cotangents &c) {
  RuleBuilder b(op, builder);
  c.add(op.getSource(),
        tensor::InsertSliceOp::create(b, c.of(op), b.zero(op.getSource()),
                                      op.getMixedOffsets(), op.getMixedSizes(),
                                      op.getMixedStrides()));
  return success();
}

static LogicalResult insertSlice(tensor::InsertSliceOp op, OpBuilder &builder,
                                 Cotangents &c) {
  RuleBuilder b(op, builder);
  Value g = c.of(op);
  SmallVector<OpFoldResult> offsets = op.getMixedOffsets(),
                            sizes = op.getMixedSizes(),
                            strides = op.getMixedStrides();
  if (c.wants(op.getSource()))
    c.add(op.getSource(),
          tensor::ExtractSliceOp::create(b, op.getSourceType(), g, offsets,
                                         sizes, strides));
  if (c.wants(op.getDest()))
    c.add(op.getDest(),
          tensor::InsertSliceOp::create(b, b.zero(op.getSource()), g, offsets,
                                        sizes, strides));
  return success();
}

static LogicalResult expandShape(tensor::ExpandShapeOp op, OpBuilder &builder,
                                 Cotangents &c) {
  RuleBuilder b(op, builder);
  c.add(op.getSrc(),
        tensor::CollapseShapeOp::create(b, op.getSrcType(), c.of(op),
                                        op.getReassociationIndices()));
  return success();
}

static LogicalResult collapseShape(tensor::CollapseShapeOp op,
                                   OpBuilder &builder, Cotangents &c) {
  RuleBuilder b(op, builder);
  SmallVector<OpFoldResult> sizes =
      tensor::getMixedSizes(b, b.getLoc(), op.getSrc());
  c.add(op.getSrc(),
        tensor::ExpandShapeOp::create(b, op.getSrcType(), c.of(op),
                                      op.getReassociationIndices(), sizes));
  return success();
}

// The elements keep their order.
static LogicalResult reshape(tensor::ReshapeOp op, OpBuilder &builder,
                             Cotangents &c) {
  RuleBuilder b(op, builder);
  auto type = dyn_cast<RankedTensorType>(op.getSource().getType());
  if (!type)
    return refuse(op, "a tensor of known rank");
  SmallVector<Value> sizes;
  for (OpFoldResult size : tensor::getMixedSizes(b, b.getLoc(), op.getSource()))
    sizes.push_back(getValueOrCreateConstantIndexOp(b, b.getLoc(), size));
  auto shapeType = RankedTensorType::get({type.getRank()}, b.getIndexType());
  Value shape =
      type.getRank()
          ? Value(tensor::FromElementsOp::create(b, shapeType, sizes))
          : Value(tensor::EmptyOp::create(b, shapeType, ValueRange()));
  c.add(op.getSource(), tensor::ReshapeOp::create(b, type, c.of(op), shape));
  return success();
}

// The middle of the gradient, and the sum of what is around it.
static LogicalResult pad(tensor::PadOp op, OpBuilder &builder, Cotangents &c) {
  RuleBuilder b(op, builder);
  Value g = c.of(op), value = op.getConstantPaddingValue();
  if (!value)
    return refuse(op, "one value to pad with");
  SmallVector<OpFoldResult> starts = op.getMixedLowPad(),
                            sizes = tensor::getMixedSizes(b, b.getLoc(),
                                                          op.getSource()),
                            strides(starts.size(), b.getIndexAttr(1));
  if (c.wants(op.getSource()))
    c.add(op.getSource(),
          tensor::ExtractSliceOp::create(b, op.getSourceType(), g, starts,
                                         sizes, strides));
  if (c.wants(value)) {
    Value around = tensor::InsertSliceOp::create(b, b.zero(op.getSource()), g,
                                                 starts, sizes, strides);
    c.add(value, sumToScalar(b, around));
  }
  return success();
}

static LogicalResult bits(tensor::BitcastOp op, OpBuilder &, Cotangents &) {
  return refuse(op, insteadOfBits);
}

template <typename OpTy>
static LogicalResult elements(OpTy op, OpBuilder &, Cotangents &) {
  return refuse(op, "a linalg.generic, whose body may hold tensor.extract,");
}

static LogicalResult scatter(tensor::ScatterOp op, OpBuilder &, Cotangents &) {
  return refuse(op, "tensor.insert_slice, or a reduction that compares "
                    "positions,");
}

static LogicalResult concat(tensor::ConcatOp op, OpBuilder &builder,
                            Cotangents &c) {
  RuleBuilder b(op, builder);
  Value g = c.of(op);
  int64_t rank = op.getResultType().getRank(), dim = op.getDim();
  SmallVector<OpFoldResult> offsets(rank, b.getIndexAttr(0));
  SmallVector<OpFoldResult> strides(rank, b.getIndexAttr(1));
  Value position = arith::ConstantIndexOp::create(b, 0);
  std::optional<int64_t> known = 0;
  for (Value input : op.getInputs()) {
    auto type = llvm::cast<RankedTensorType>(input.getType());
    SmallVector<OpFoldResult> sizes =
        tensor::getMixedSizes(b, b.getLoc(), input);
    offsets[dim] = known ? OpFoldResult(b.getIndexAttr(*known)) : position;
    if (c.wants(input))
      c.add(input, tensor::ExtractSliceOp::create(b, type, g, offsets, sizes,
                                                  strides));
    if (known && !type.isDynamicDim(dim)) {
      known = *known + type.getDimSize(dim);
      continue;
    }
    position = arith::AddIOp::create(
        b, getValueOrCreateConstantIndexOp(b, b.getLoc(), offsets[dim]),
        getValueOrCreateConstantIndexOp(b, b.getLoc(), sizes[dim]));
    known.reset();
  }
  return success();
}

static LogicalResult splat(tensor::SplatOp op, OpBuilder &builder,
                           Cotangents &c) {
  RuleBuilder b(op, builder);
  c.add(op.getInput(), sumToScalar(b, c.of(op)));
  return success();
}

static LogicalResult fromElements(tensor::FromElementsOp op, OpBuilder &builder,
                                  Cotangents &c) {
  RuleBuilder b(op, builder);
  Value g = c.of(op);
  ArrayRef<int64_t> shape = op.getType().getShape();
  for (auto [number, element] : llvm::enumerate(op.getElements())) {
    if (!c.wants(element))
      continue;
    SmallVector<Value> at(shape.size());
    int64_t rest = number;
    for (int64_t d = shape.size() - 1; d >= 0; rest /= shape[d], --d)
      at[d] = arith::ConstantIndexOp::create(b, rest % shape[d]);
    c.add(element, tensor::ExtractOp::create(b, g, at));
  }
  return success();
}

template <typename OpTy, LogicalResult (*rule)(OpTy, OpBuilder &, Cotangents &)>
static void attach(MLIRContext *context) {
  attachRule<OpTy, rule, alwaysCheap<OpTy>>(context);
}

void moe::registerTensorDerivativeRules(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, tensor::TensorDialect *) {
    attach<tensor::BitcastOp, bits>(context);
    attach<tensor::CastOp, castShape>(context);
    attach<tensor::CollapseShapeOp, collapseShape>(context);
    attach<tensor::ConcatOp, concat>(context);
    attach<tensor::ExpandShapeOp, expandShape>(context);
    attach<tensor::ExtractOp, extract>(context);
    attach<tensor::ExtractSliceOp, extractSlice>(context);
    attach<tensor::FromElementsOp, fromElements>(context);
    attach<tensor::GatherOp, elements<tensor::GatherOp>>(context);
    attach<tensor::GenerateOp, elements<tensor::GenerateOp>>(context);
    attach<tensor::InsertOp, insert>(context);
    attach<tensor::InsertSliceOp, insertSlice>(context);
    attach<tensor::PadOp, pad>(context);
    attach<tensor::ReshapeOp, reshape>(context);
    attach<tensor::ScatterOp, scatter>(context);
    attach<tensor::SplatOp, splat>(context);
  });
}
