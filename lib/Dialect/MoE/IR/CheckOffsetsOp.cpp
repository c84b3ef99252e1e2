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
  if (failed(inferCheckOffsets(getLoc(), *this, types)))
    return failure();
  if (getType() != types[0])
    return emitOpError("expected checked to be ")
           << types[0] << ", but got " << getType();
  return success();
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
  auto type = dyn_cast<RankedTensorType>(rows.getType());
  if (!type)
    return false;
  RankedTensorType planned = plan.getRowToSlot().getType();
  if (!type.isDynamicDim(0) && !planned.isDynamicDim(0))
    return type.getDimSize(0) >= planned.getDimSize(0);
  Operation *op = rows.getDefiningOp();
  if (!op)
    return false;
  if (auto dispatch = dyn_cast<DispatchOp>(op))
    return dispatch.getRowToSlot() == plan.getRowToSlot();
  if (auto matmul = dyn_cast<GroupedMatmulOp>(op))
    return holdsRowsOf(plan, matmul.getLhs());
  // Whose tensors have one shape.
  if (isa<tensor::CastOp>(op) || op->hasTrait<OpTrait::Elementwise>())
    return llvm::any_of(op->getOperands(), [&](Value operand) {
      return holdsRowsOf(plan, operand);
    });
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
