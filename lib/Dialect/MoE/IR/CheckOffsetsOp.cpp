//===- CheckOffsetsOp.cpp - The check of foreign offsets ------------------===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "LayerOp.h"

#include "moe/Dialect/MoE/IR/ShapeInference.h"

using namespace mlir;
using namespace mlir::moe;

bool CheckOffsetsOp::isCompatibleReturnTypes(TypeRange inferred,
                                             TypeRange declared) {
  return inferred == declared;
}

LogicalResult CheckOffsetsOp::verify() {
  SmallVector<Type, 1> types;
  return inferCheckOffsets(getLoc(), *this, types);
}

LogicalResult CheckOffsetsOp::inferReturnTypes(MLIRContext *context,
                                               std::optional<Location> location,
                                               Adaptor op,
                                               SmallVectorImpl<Type> &types) {
  return inferCheckOffsets(location, op, types);
}

LogicalResult
CheckOffsetsOp::reifyResultShapes(OpBuilder &builder,
                                  ReifiedRankedShapedTypeDims &shapes) {
  shapes = {tensor::getMixedSizes(builder, getLoc(), getOffsets())};
  return success();
}

void CheckOffsetsOp::getEffects(
    SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  effects.emplace_back(MemoryEffects::Write::get(), StatusResource::get());
}

// Whether `rows` has at least as many rows as `plan` has.
static bool holdsRowsOf(PlanOp plan, Value rows) {
  auto type = cast<RankedTensorType>(rows.getType());
  RankedTensorType planned = plan.getRowToSlot().getType();
  if (type.hasStaticShape() && planned.hasStaticShape())
    return type.getDimSize(0) >= planned.getDimSize(0);
  Operation *op = rows.getDefiningOp();
  if (auto dispatch = dyn_cast_or_null<DispatchOp>(op))
    return dispatch.getRowToSlot() == plan.getRowToSlot();
  if (auto matmul = dyn_cast_or_null<GroupedMatmulOp>(op))
    return holdsRowsOf(plan, matmul.getLhs());
  if (auto cast = dyn_cast_or_null<tensor::CastOp>(op))
    return isa<RankedTensorType>(cast.getSource().getType()) &&
           holdsRowsOf(plan, cast.getSource());
  return false;
}

// The check is void where the offsets are those of a plan of the same rows, or
// checked against the same rows already.
OpFoldResult CheckOffsetsOp::fold(FoldAdaptor adaptor) {
  Operation *source = getOffsets().getDefiningOp();
  if (auto plan = dyn_cast_or_null<PlanOp>(source))
    if (getOffsets() == plan.getOffsets() && holdsRowsOf(plan, getRows()))
      return getOffsets();
  if (auto check = dyn_cast_or_null<CheckOffsetsOp>(source))
    if (check.getRows() == getRows())
      return getOffsets();
  return {};
}

void CheckOffsetsOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                                 MLIRContext *context) {
  patterns.add<layer::RefineShapes<CheckOffsetsOp>>(context);
}
