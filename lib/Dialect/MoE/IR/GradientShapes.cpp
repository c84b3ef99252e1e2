//===- GradientShapes.cpp - Shapes of the ops of derivatives --------------===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "ShapeChecks.h"

using namespace mlir;
using namespace mlir::moe;
using namespace mlir::moe::shape;

// Where the number of experts follows from the offsets alone.
template <typename OpTy>
static LogicalResult checkExperts(std::optional<Location> location,
                                  Value offsets) {
  int64_t length = dimOf(offsets, 0);
  if (isIn(length, 2, kMaxExperts + 1))
    return success();
  return fail<OpTy>(location,
                    "expected offsets to have a static number of elements "
                    "(experts + 1) in [2, ",
                    kMaxExperts + 1, "], but got ", text(length));
}

template <typename OpTy>
static LogicalResult checkWidth(std::optional<Location> location,
                                StringRef name, Value matrix) {
  int64_t width = dimOf(matrix, 1);
  if (width != kDynamic && width != 0)
    return success();
  return fail<OpTy>(location, "expected ", name,
                    " to have a static width (dim 1) of at least 1, but got ",
                    text(width));
}

// What route_weights and route_grad share.
template <typename OpTy>
static LogicalResult checkSelection(std::optional<Location> location,
                                    typename OpTy::Adaptor op) {
  int64_t experts = dimOf(op.getLogits(), 1);
  int64_t choices = dimOf(op.getIndices(), 1);
  // route_weights_c1, route_grad_c1
  if (!isIn(experts, 1, kMaxExperts))
    return fail<OpTy>(location,
                      "expected logits to have a static number of experts "
                      "(dim 1) in [1, ",
                      kMaxExperts, "], but got ", text(experts));
  // route_weights_c2, route_grad_c2
  if (!isIn(choices, 1, kMaxExperts))
    return fail<OpTy>(location,
                      "expected indices to have a static number of choices "
                      "(dim 1) in [1, ",
                      kMaxExperts, "], but got ", text(choices));
  // route_weights_c3, route_grad_c3
  int64_t tokens = dimOf(op.getLogits(), 0);
  if (!mayEqual(dimOf(op.getIndices(), 0), tokens))
    return fail<OpTy>(location, "expected indices to have ", tokens,
                      " tokens (dim 0 of logits), but got ",
                      dimOf(op.getIndices(), 0));
  // route_weights_c4, route_grad_c4
  if (failed(checkScale<OpTy>(location, op.getScale())))
    return failure();
  // route_weights_c5, route_weights_c6, route_grad_c6, route_grad_c7
  return checkGuards<OpTy>(location, op);
}

LogicalResult moe::inferGroupedOuter(std::optional<Location> location,
                                     GroupedOuterOp::Adaptor op,
                                     SmallVectorImpl<Type> &results) {
  // grouped_outer_c1
  if (failed(checkExperts<GroupedOuterOp>(location, op.getOffsets())))
    return failure();
  // grouped_outer_c2
  int64_t rows = dimOf(op.getLhs(), 0);
  if (!mayEqual(dimOf(op.getRhs(), 0), rows))
    return fail<GroupedOuterOp>(location, "expected rhs to have ", rows,
                                " rows (dim 0), as lhs has, but got ",
                                dimOf(op.getRhs(), 0));
  // grouped_outer_c3
  if (failed(checkWidth<GroupedOuterOp>(location, "lhs", op.getLhs())) ||
      failed(checkWidth<GroupedOuterOp>(location, "rhs", op.getRhs())))
    return failure();
  // grouped_outer_c4
  Type element = typeOf(op.getLhs()).getElementType();
  if (typeOf(op.getRhs()).getElementType() != element)
    return fail<GroupedOuterOp>(location, "expected rhs to have elements of ",
                                element, ", as lhs has, but got ",
                                typeOf(op.getRhs()).getElementType());
  // grouped_outer_c5
  SmallVector<int64_t> shape{dimOf(op.getOffsets(), 0) - 1,
                             dimOf(op.getLhs(), 1), dimOf(op.getRhs(), 1)};
  Value init = op.getInit();
  if (init &&
      failed(verifyCompatibleShape(typeOf(init).getShape(), ArrayRef(shape))))
    return fail<GroupedOuterOp>(
        location, "expected init to be ", text(ArrayRef<int64_t>(shape)),
        " (experts x width of lhs x width of rhs), but got ",
        text(typeOf(init).getShape()));

  results.push_back(RankedTensorType::get(
      shape, init ? typeOf(init).getElementType()
                  : Float32Type::get(op.getLhs().getContext())));
  return success();
}

LogicalResult moe::inferGroupedReduce(std::optional<Location> location,
                                      GroupedReduceOp::Adaptor op,
                                      SmallVectorImpl<Type> &results) {
  // grouped_reduce_c1
  if (failed(checkExperts<GroupedReduceOp>(location, op.getOffsets())))
    return failure();
  // grouped_reduce_c2
  if (failed(checkWidth<GroupedReduceOp>(location, "rows", op.getRows())))
    return failure();
  results.push_back(RankedTensorType::get(
      {dimOf(op.getOffsets(), 0) - 1, dimOf(op.getRows(), 1)},
      Float32Type::get(op.getRows().getContext())));
  return success();
}

LogicalResult moe::inferCombineWeightGrad(std::optional<Location> location,
                                          CombineWeightGradOp::Adaptor op,
                                          SmallVectorImpl<Type> &results) {
  int64_t tokens = dimOf(op.getSlotToRow(), 0);
  int64_t topK = dimOf(op.getSlotToRow(), 1);
  int64_t rows = dimOf(op.getRows(), 0);
  int64_t mapRows = dimOf(op.getRowToSlot(), 0);
  // combine_weight_grad_c1
  if (!mayEqual(mapRows, rows))
    return fail<CombineWeightGradOp>(
        location, "expected row_to_slot to have ", rows,
        " elements (dim 0 of rows), but got ", mapRows);
  int64_t slots = product(tokens, topK);
  if (!mayEqual(either(mapRows, rows), slots))
    return fail<CombineWeightGradOp>(
        location, "expected rows and row_to_slot to have ", slots,
        " rows (tokens * top_k), but got ", either(mapRows, rows));
  // combine_weight_grad_c2
  if (!mayEqual(tokens, dimOf(op.getGrad(), 0)))
    return fail<CombineWeightGradOp>(
        location, "expected slot_to_row to have ", dimOf(op.getGrad(), 0),
        " tokens (dim 0 of grad), but got ", tokens);
  // combine_weight_grad_c3
  if (failed(checkWidth<CombineWeightGradOp>(location, "grad", op.getGrad())))
    return failure();
  int64_t width = dimOf(op.getGrad(), 1);
  if (dimOf(op.getRows(), 1) != width)
    return fail<CombineWeightGradOp>(
        location, "expected rows to have a width (dim 1) of ", width,
        ", as grad has, but got ", text(dimOf(op.getRows(), 1)));
  // combine_weight_grad_c4
  if (!isIn(topK, 1, kMaxTopK))
    return fail<CombineWeightGradOp>(
        location,
        "expected slot_to_row to have a static number of choices (dim 1) in "
        "[1, ",
        kMaxTopK, "], but got ", text(topK));
  // combine_weight_grad_c5
  if (failed(
          checkOffsetsLength<CombineWeightGradOp>(location, op.getOffsets())))
    return failure();
  // combine_weight_grad_c6
  Type element = typeOf(op.getGrad()).getElementType();
  if (typeOf(op.getRows()).getElementType() != element)
    return fail<CombineWeightGradOp>(
        location, "expected rows to have elements of ", element,
        ", as grad has, but got ", typeOf(op.getRows()).getElementType());

  results.push_back(
      RankedTensorType::get({either(tokens, dimOf(op.getGrad(), 0)), topK},
                            Float32Type::get(op.getGrad().getContext())));
  return success();
}

LogicalResult moe::inferRouteWeights(std::optional<Location> location,
                                     RouteWeightsOp::Adaptor op,
                                     SmallVectorImpl<Type> &results) {
  if (failed(checkSelection<RouteWeightsOp>(location, op)))
    return failure();
  int64_t tokens = either(dimOf(op.getLogits(), 0), dimOf(op.getIndices(), 0));
  results.push_back(
      RankedTensorType::get({tokens, dimOf(op.getIndices(), 1)},
                            Float32Type::get(op.getLogits().getContext())));
  return success();
}

LogicalResult moe::inferRouteGrad(std::optional<Location> location,
                                  RouteGradOp::Adaptor op,
                                  SmallVectorImpl<Type> &results) {
  if (failed(checkSelection<RouteGradOp>(location, op)))
    return failure();
  // route_grad_c5
  if (failed(verifyCompatibleShape(typeOf(op.getDweights()),
                                   typeOf(op.getIndices()))))
    return fail<RouteGradOp>(
        location, "expected dweights to have the shape of indices, ",
        text(typeOf(op.getIndices()).getShape()), ", but got ",
        text(typeOf(op.getDweights()).getShape()));
  RankedTensorType logits = typeOf(op.getLogits());
  int64_t tokens = either(logits.getDimSize(0), dimOf(op.getIndices(), 0));
  results.push_back(RankedTensorType::get({tokens, logits.getDimSize(1)},
                                          logits.getElementType()));
  return success();
}
