//===- ShapeInference.cpp - Shapes of the moe ops -------------------------===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "ShapeChecks.h"

using namespace mlir;
using namespace mlir::moe;
using namespace mlir::moe::shape;

LogicalResult moe::inferRoute(std::optional<Location> location,
                              RouteOp::Adaptor op,
                              SmallVectorImpl<Type> &results) {
  int64_t experts = dimOf(op.getLogits(), 1);
  int64_t topK = op.getTopK();
  int64_t groups = op.getGroups();
  int64_t selected = op.getSelectedGroups();
  // route_c1
  if (!isIn(experts, 1, kMaxExperts))
    return fail<RouteOp>(location,
                         "expected logits to have a static number of experts "
                         "(dim 1) in [1, ",
                         kMaxExperts, "], but got ", text(experts));
  // route_c2
  if (!isIn(topK, 1, experts))
    return fail<RouteOp>(location, "expected top_k to be in [1, ", experts,
                         "], but got ", topK);
  // route_c3
  if (op.getBias() && !mayEqual(dimOf(op.getBias(), 0), experts))
    return fail<RouteOp>(location, "expected bias to have ", experts,
                         " elements (experts), but got ",
                         dimOf(op.getBias(), 0));
  // route_c4
  if (groups < 1 || experts % groups != 0)
    return fail<RouteOp>(location, "expected groups to divide ", experts,
                         " (experts), but got ", groups);
  // route_c5
  if (!isIn(selected, 1, groups))
    return fail<RouteOp>(location, "expected selected_groups to be in [1, ",
                         groups, "], but got ", selected);
  // route_c6
  int64_t perGroup = experts / groups;
  if (topK > selected * perGroup)
    return fail<RouteOp>(location, "expected top_k to be at most ",
                         selected * perGroup,
                         " (experts of the selected groups), but got ", topK);
  // route_c7
  if (op.getGroupScore() == GroupScore::Top2Sum && perGroup < 2)
    return fail<RouteOp>(location,
                         "expected at least 2 experts in a group for "
                         "group_score = top2_sum, but got ",
                         perGroup);
  // route_c8
  if (failed(checkScale<RouteOp>(location, op.getScale())))
    return failure();
  // route_c9, route_c10
  if (failed(checkGuards<RouteOp>(location, op)))
    return failure();

  MLIRContext *context = op.getLogits().getContext();
  int64_t shape[] = {dimOf(op.getLogits(), 0), topK};
  results.push_back(RankedTensorType::get(shape, Float32Type::get(context)));
  results.push_back(indexTensor(shape, context));
  return success();
}

LogicalResult moe::inferPlan(std::optional<Location> location,
                             PlanOp::Adaptor op,
                             SmallVectorImpl<Type> &results) {
  int64_t experts = op.getExperts();
  int64_t tokens = dimOf(op.getIndices(), 0);
  int64_t topK = dimOf(op.getIndices(), 1);
  // plan_c1
  if (!isIn(experts, 1, kMaxExperts))
    return fail<PlanOp>(location, "expected experts to be in [1, ", kMaxExperts,
                        "], but got ", experts);
  // plan_c2
  if (!isIn(topK, 1, kMaxTopK))
    return fail<PlanOp>(location,
                        "expected indices to have a static number of choices "
                        "(dim 1) in [1, ",
                        kMaxTopK, "], but got ", text(topK));

  MLIRContext *context = op.getIndices().getContext();
  Type rowVector = indexTensor(product(tokens, topK), context);
  results.push_back(indexTensor(experts + 1, context));
  results.push_back(indexTensor({tokens, topK}, context));
  results.append({rowVector, rowVector});
  return success();
}

LogicalResult moe::inferCheckMaps(std::optional<Location> location,
                                  CheckMapsOp::Adaptor op,
                                  SmallVectorImpl<Type> &results) {
  int64_t topK = dimOf(op.getSlotToRow(), 1);
  int64_t rows = dimOf(op.getRowToSlot(), 0);
  // check_maps_c1
  if (topK == kDynamic || topK == 0)
    return fail<CheckMapsOp>(location,
                             "expected slot_to_row to have a static number of "
                             "choices (dim 1) of at least 1, but got ",
                             text(topK));
  // check_maps_c2
  int64_t slots = product(dimOf(op.getSlotToRow(), 0), topK);
  if (!mayEqual(rows, slots))
    return fail<CheckMapsOp>(location, "expected row_to_slot to have ", slots,
                             " elements (tokens * top_k), but got ", rows);
  results.append({op.getSlotToRow().getType(), op.getRowToSlot().getType()});
  return success();
}

LogicalResult moe::inferCheckOffsets(std::optional<Location> location,
                                     CheckOffsetsOp::Adaptor op,
                                     SmallVectorImpl<Type> &results) {
  // check_offsets_c1
  if (failed(checkOffsetsLength<CheckOffsetsOp>(location, op.getOffsets())))
    return failure();
  results.push_back(op.getOffsets().getType());
  return success();
}

LogicalResult moe::inferDispatch(std::optional<Location> location,
                                 DispatchOp::Adaptor op,
                                 SmallVectorImpl<Type> &results) {
  int64_t xTokens = dimOf(op.getX(), 0);
  int64_t mapTokens = dimOf(op.getSlotToRow(), 0);
  int64_t rows = dimOf(op.getRowToSlot(), 0);
  int64_t width = dimOf(op.getX(), 1);
  // dispatch_c1
  if (!mayEqual(mapTokens, xTokens))
    return fail<DispatchOp>(location, "expected slot_to_row to have ", xTokens,
                            " tokens (dim 0 of x), but got ", mapTokens);
  // dispatch_c2
  int64_t slots =
      product(either(xTokens, mapTokens), dimOf(op.getSlotToRow(), 1));
  if (!mayEqual(rows, slots))
    return fail<DispatchOp>(location, "expected row_to_slot to have ", slots,
                            " elements (tokens * top_k), but got ", rows);
  // dispatch_c3
  if (failed(checkWeights<DispatchOp>(location, op.getWeights(),
                                      op.getSlotToRow())))
    return failure();
  // dispatch_c4
  if (width == kDynamic || width == 0)
    return fail<DispatchOp>(location,
                            "expected x to have a static width (dim 1) of at "
                            "least 1, but got ",
                            text(width));
  // dispatch_c5
  if (failed(checkOffsetsLength<DispatchOp>(location, op.getOffsets())))
    return failure();

  results.push_back(RankedTensorType::get({either(slots, rows), width},
                                          typeOf(op.getX()).getElementType()));
  return success();
}

LogicalResult moe::inferGroupedMatmul(std::optional<Location> location,
                                      GroupedMatmulOp::Adaptor op,
                                      SmallVectorImpl<Type> &results) {
  RankedTensorType lhs = typeOf(op.getLhs());
  RankedTensorType rhs = typeOf(op.getRhs());
  int64_t length = dimOf(op.getOffsets(), 0);
  int64_t experts = rhs.getDimSize(0);
  unsigned contractedDim = op.getTransposeRhs() ? 2 : 1;
  int64_t contracted = rhs.getDimSize(contractedDim);
  int64_t features = rhs.getDimSize(op.getTransposeRhs() ? 1 : 2);
  // grouped_matmul_c1
  if (!isIn(experts, 1, kMaxExperts))
    return fail<GroupedMatmulOp>(location,
                                 "expected rhs to have a static number of "
                                 "experts (dim 0) in [1, ",
                                 kMaxExperts, "], but got ", text(experts));
  // grouped_matmul_c2
  if (!mayEqual(length, experts + 1))
    return fail<GroupedMatmulOp>(location, "expected offsets to have ",
                                 experts + 1,
                                 " elements (experts + 1), but got ", length);
  // grouped_matmul_c3
  if (lhs.isDynamicDim(1))
    return fail<GroupedMatmulOp>(
        location, "expected lhs to have a static width (dim 1), but got ?");
  if (contracted != lhs.getDimSize(1))
    return fail<GroupedMatmulOp>(location, "expected rhs to have ",
                                 lhs.getDimSize(1), " input features (dim ",
                                 contractedDim, "), as lhs has, but got ",
                                 text(contracted));
  Value bias = op.getBias();
  // grouped_matmul_c4
  if (bias && failed(verifyCompatibleShape(typeOf(bias).getShape(),
                                           {experts, features})))
    return fail<GroupedMatmulOp>(location, "expected bias to be ",
                                 text({experts, features}),
                                 " (experts x output features), but got ",
                                 text(typeOf(bias).getShape()));
  // grouped_matmul_c5
  Type element = lhs.getElementType();
  if (rhs.getElementType() != element)
    return fail<GroupedMatmulOp>(location, "expected rhs to have elements of ",
                                 element, ", as lhs has, but got ",
                                 rhs.getElementType());
  if (bias && typeOf(bias).getElementType() != element)
    return fail<GroupedMatmulOp>(location, "expected bias to have elements of ",
                                 element, ", as lhs has, but got ",
                                 typeOf(bias).getElementType());
  // grouped_matmul_c7
  if (features == kDynamic || features == 0)
    return fail<GroupedMatmulOp>(location,
                                 "expected rhs to have a static number of "
                                 "output features (dim ",
                                 op.getTransposeRhs() ? 1 : 2,
                                 ") of at least 1, but got ", text(features));

  results.push_back(
      RankedTensorType::get({lhs.getDimSize(0), features}, element));
  return success();
}

LogicalResult moe::inferCombine(std::optional<Location> location,
                                CombineOp::Adaptor op,
                                SmallVectorImpl<Type> &results) {
  RankedTensorType rows = typeOf(op.getRows());
  int64_t tokens = dimOf(op.getSlotToRow(), 0);
  int64_t topK = dimOf(op.getSlotToRow(), 1);
  int64_t mapRows = dimOf(op.getRowToSlot(), 0);
  int64_t width = rows.getDimSize(1);
  // combine_c1
  if (!mayEqual(mapRows, rows.getDimSize(0)))
    return fail<CombineOp>(location, "expected row_to_slot to have ",
                           rows.getDimSize(0),
                           " elements (dim 0 of rows), but got ", mapRows);
  int64_t slots = product(tokens, topK);
  int64_t count = either(mapRows, rows.getDimSize(0));
  if (!mayEqual(count, slots))
    return fail<CombineOp>(location, "expected rows and row_to_slot to have ",
                           slots, " rows (tokens * top_k), but got ", count);
  // combine_c2
  if (failed(checkWeights<CombineOp>(location, op.getWeights(),
                                     op.getSlotToRow())))
    return failure();
  // combine_c3
  if (width == kDynamic || width == 0)
    return fail<CombineOp>(location,
                           "expected rows to have a static width (dim 1) of "
                           "at least 1, but got ",
                           text(width));
  // combine_c4
  if (!isIn(topK, 1, kMaxTopK))
    return fail<CombineOp>(location,
                           "expected slot_to_row to have a static number of "
                           "choices (dim 1) in [1, ",
                           kMaxTopK, "], but got ", text(topK));
  // combine_c5
  if (failed(checkOffsetsLength<CombineOp>(location, op.getOffsets())))
    return failure();

  results.push_back(
      RankedTensorType::get({tokens, width}, rows.getElementType()));
  return success();
}

LogicalResult moe::inferTiles(std::optional<Location> location,
                              TilesOp::Adaptor op,
                              SmallVectorImpl<Type> &results) {
  int64_t rows = op.getRows();
  // tiles_c1
  if (rows < 1)
    return fail<TilesOp>(location, "expected rows to be at least 1, but got ",
                         rows);
  // tiles_c2
  if (failed(checkOffsetsLength<TilesOp>(location, op.getOffsets())))
    return failure();

  // tiles_c3: the length follows from a value, `total`, so no type tells it.
  MLIRContext *context = op.getOffsets().getContext();
  results.push_back(indexTensor({kDynamic, 3}, context));
  results.push_back(indexTensor(1, context));
  results.push_back(indexTensor(3, context));
  return success();
}
