//===- DispatchOp.cpp - The gather of tokens into rows --------------------===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "LayerOp.h"

#include "moe/Dialect/MoE/IR/ShapeInference.h"

using namespace mlir;
using namespace mlir::moe;

bool DispatchOp::isCompatibleReturnTypes(TypeRange inferred,
                                         TypeRange declared) {
  return layer::areCompatible(inferred, declared);
}

LogicalResult DispatchOp::verify() {
  SmallVector<Type> types;
  if (failed(inferDispatch(getLoc(), *this, types)))
    return failure();
  return layer::verifyResults(*this, types, {"rows"});
}

LogicalResult DispatchOp::inferReturnTypes(MLIRContext *context,
                                           std::optional<Location> location,
                                           Adaptor op,
                                           SmallVectorImpl<Type> &types) {
  return inferDispatch(location, op, types);
}

LogicalResult
DispatchOp::reifyResultShapes(OpBuilder &builder,
                              ReifiedRankedShapedTypeDims &shapes) {
  auto size = [&](int64_t dim) -> OpFoldResult {
    if (dim == 1)
      return tensor::getMixedSize(builder, getLoc(), getX(), 1);
    // Without a static K, T·K would not be affine.
    if (getSlotToRow().getType().isDynamicDim(1))
      return tensor::getMixedSize(builder, getLoc(), getRowToSlot(), 0);
    return layer::reifySlots(
        builder, getLoc(), tensor::getMixedSize(builder, getLoc(), getX(), 0),
        builder.getIndexAttr(getSlotToRow().getType().getDimSize(1)));
  };
  shapes = {layer::reifyResult(builder, getRows(), size)};
  return success();
}

void DispatchOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                             MLIRContext *context) {
  patterns.add<layer::RefineShapes<DispatchOp>>(context);
}
