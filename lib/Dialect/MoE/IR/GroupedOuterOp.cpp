//===- GroupedOuterOp.cpp - The gradient of the experts' matrices ---------===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "LayerOp.h"

#include "moe/Dialect/MoE/IR/ShapeInference.h"

using namespace mlir;
using namespace mlir::moe;

// The inferred type, or, without an init, the same with elements of lhs.
bool GroupedOuterOp::isCompatibleReturnTypes(TypeRange inferred,
                                             TypeRange declared) {
  if (inferred.size() != 1 || declared.size() != 1)
    return false;
  auto type = cast<RankedTensorType>(inferred[0]);
  Type other = type.clone(getElementTypeOrSelf(declared[0]));
  return layer::areCompatible(other, declared);
}

LogicalResult GroupedOuterOp::verify() {
  SmallVector<Type, 1> types;
  if (failed(inferGroupedOuter(getLoc(), *this, types)))
    return failure();
  // grouped_outer_c6
  Type from = getLhs().getType().getElementType();
  Type to = getType().getElementType();
  if (to != from && !to.isF32())
    return emitOpError("expected the result to have elements of ")
           << from << " or 'f32', but got " << to;
  // grouped_outer_c5
  if (getInit() && getInit().getType().getElementType() != to)
    return emitOpError("expected init to have elements of ")
           << to << ", as the result has, but got "
           << getInit().getType().getElementType();
  auto type = cast<RankedTensorType>(types[0]).clone(to);
  return layer::verifyResults(*this, Type(type), {"result"});
}

LogicalResult GroupedOuterOp::inferReturnTypes(MLIRContext *context,
                                               std::optional<Location> location,
                                               Adaptor op,
                                               SmallVectorImpl<Type> &types) {
  return inferGroupedOuter(location, op, types);
}

LogicalResult
GroupedOuterOp::reifyResultShapes(OpBuilder &builder,
                                  ReifiedRankedShapedTypeDims &shapes) {
  auto size = [&](int64_t dim) -> OpFoldResult {
    if (dim == 0)
      return builder.getIndexAttr(getExperts());
    return tensor::getMixedSize(builder, getLoc(),
                                dim == 1 ? getLhs() : getRhs(), 1);
  };
  shapes = {layer::reifyResult(builder, getResult(), size)};
  return success();
}

void GroupedOuterOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                                 MLIRContext *context) {
  patterns.add<layer::RefineShapes<GroupedOuterOp>>(context);
}
