//===- CheckMapsOp.cpp - The check of foreign maps ------------------------===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "LayerOp.h"

#include "moe/Dialect/MoE/IR/ShapeInference.h"

using namespace mlir;
using namespace mlir::moe;

bool CheckMapsOp::isCompatibleReturnTypes(TypeRange inferred,
                                          TypeRange declared) {
  return inferred == declared;
}

LogicalResult CheckMapsOp::verify() {
  SmallVector<Type, 2> types;
  if (failed(inferCheckMaps(getLoc(), *this, types)))
    return failure();
  StringRef names[] = {"checked_slot_to_row", "checked_row_to_slot"};
  for (auto [result, name, type] :
       llvm::zip_equal(getResultTypes(), names, types))
    if (result != type)
      return emitOpError("expected ")
             << name << " to be " << type << ", but got " << result;
  return success();
}

LogicalResult CheckMapsOp::inferReturnTypes(MLIRContext *context,
                                            std::optional<Location> location,
                                            Adaptor op,
                                            SmallVectorImpl<Type> &types) {
  return inferCheckMaps(location, op, types);
}

LogicalResult
CheckMapsOp::reifyResultShapes(OpBuilder &builder,
                               ReifiedRankedShapedTypeDims &shapes) {
  shapes = {tensor::getMixedSizes(builder, getLoc(), getSlotToRow()),
            tensor::getMixedSizes(builder, getLoc(), getRowToSlot())};
  return success();
}

void CheckMapsOp::getEffects(
    SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  effects.emplace_back(MemoryEffects::Write::get(), StatusResource::get());
}

// The check is void where both maps are those of one plan, or of one check.
LogicalResult CheckMapsOp::fold(FoldAdaptor adaptor,
                                SmallVectorImpl<OpFoldResult> &results) {
  Operation *source = getSlotToRow().getDefiningOp();
  auto plan = dyn_cast_or_null<PlanOp>(source);
  auto check = dyn_cast_or_null<CheckMapsOp>(source);
  if (!(plan && getSlotToRow() == plan.getSlotToRow() &&
        getRowToSlot() == plan.getRowToSlot()) &&
      !(check && getRowToSlot() == check.getCheckedRowToSlot()))
    return failure();
  results.append({getSlotToRow(), getRowToSlot()});
  return success();
}

void CheckMapsOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                              MLIRContext *context) {
  patterns.add<layer::RefineShapes<CheckMapsOp>>(context);
}
