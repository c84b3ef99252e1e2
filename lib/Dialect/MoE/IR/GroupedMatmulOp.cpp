//===- GroupedMatmulOp.cpp - The product per expert -----------------------===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "LayerOp.h"

#include "moe/Dialect/MoE/IR/ShapeInference.h"

using namespace mlir;
using namespace mlir::moe;

// The inferred type, or the same with elements of f32.
bool GroupedMatmulOp::isCompatibleReturnTypes(TypeRange inferred,
                                              TypeRange declared) {
  if (inferred.size() != 1 || declared.size() != 1)
    return false;
  auto type = cast<RankedTensorType>(inferred[0]);
  Type widened = type.clone(Float32Type::get(type.getContext()));
  return layer::areCompatible(type, declared) ||
         layer::areCompatible(widened, declared);
}

LogicalResult GroupedMatmulOp::verify() {
  SmallVector<Type, 1> types;
  if (failed(inferGroupedMatmul(getLoc(), *this, types)))
    return failure();
  // grouped_matmul_c6
  Type from = getLhs().getType().getElementType();
  Type to = getType().getElementType();
  if (to != from && !to.isF32())
    return emitOpError("expected the result to have elements of ")
           << from << " or 'f32', but got " << to;
  auto type = cast<RankedTensorType>(types[0]).clone(to);
  return layer::verifyResults(*this, Type(type), {"result"});
}

LogicalResult
GroupedMatmulOp::inferReturnTypes(MLIRContext *context,
                                  std::optional<Location> location, Adaptor op,
                                  SmallVectorImpl<Type> &types) {
  return inferGroupedMatmul(location, op, types);
}

LogicalResult
GroupedMatmulOp::reifyResultShapes(OpBuilder &builder,
                                   ReifiedRankedShapedTypeDims &shapes) {
  auto size = [&](int64_t dim) -> OpFoldResult {
    return dim == 0 ? tensor::getMixedSize(builder, getLoc(), getLhs(), 0)
                    : builder.getIndexAttr(getOutputFeatures());
  };
  shapes = {layer::reifyResult(builder, getResult(), size)};
  return success();
}

void GroupedMatmulOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                                  MLIRContext *context) {
  patterns.add<layer::RefineShapes<GroupedMatmulOp>>(context);
}
