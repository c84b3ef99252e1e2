//===- PlanOp.cpp - The stable sort of slots by expert --------------------===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "LayerOp.h"

#include "moe/Dialect/MoE/IR/ShapeInference.h"

using namespace mlir;
using namespace mlir::moe;

bool PlanOp::isCompatibleReturnTypes(TypeRange inferred, TypeRange declared) {
  return layer::areCompatible(inferred, declared);
}

LogicalResult PlanOp::verify() {
  SmallVector<Type> types;
  if (failed(inferPlan(getLoc(), *this, types)))
    return failure();
  return layer::verifyResults(
      *this, types, {"offsets", "slot_to_row", "row_to_slot", "row_expert"});
}

LogicalResult PlanOp::inferReturnTypes(MLIRContext *context,
                                       std::optional<Location> location,
                                       Adaptor op,
                                       SmallVectorImpl<Type> &types) {
  return inferPlan(location, op, types);
}

LogicalResult PlanOp::reifyResultShapes(OpBuilder &builder,
                                        ReifiedRankedShapedTypeDims &shapes) {
  SmallVector<OpFoldResult> indices =
      tensor::getMixedSizes(builder, getLoc(), getIndices());
  auto offsetsSize = [&](int64_t) -> OpFoldResult {
    return builder.getIndexAttr(getExperts() + 1);
  };
  auto slotSize = [&](int64_t dim) { return indices[dim]; };
  auto rowSize = [&](int64_t) {
    return layer::reifySlots(builder, getLoc(), indices[0], indices[1]);
  };
  shapes = {layer::reifyResult(builder, getOffsets(), offsetsSize),
            layer::reifyResult(builder, getSlotToRow(), slotSize),
            layer::reifyResult(builder, getRowToSlot(), rowSize),
            layer::reifyResult(builder, getRowExpert(), rowSize)};
  return success();
}

Speculation::Speculatability PlanOp::getSpeculatability() {
  return getOutOfRange() == OutOfRange::Drop ? Speculation::Speculatable
                                             : Speculation::NotSpeculatable;
}

// A plan that nobody uses still reports an index out of range.
void PlanOp::getEffects(
    SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  if (getOutOfRange() == OutOfRange::Error)
    effects.emplace_back(MemoryEffects::Write::get(), StatusResource::get());
}

void PlanOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                         MLIRContext *context) {
  patterns.add<layer::RefineShapes<PlanOp>>(context);
}
