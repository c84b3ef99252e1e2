//===- TilesOp.cpp - The tiles of a grouped matmul ------------------------===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "LayerOp.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "moe/Dialect/MoE/IR/ShapeInference.h"

using namespace mlir;
using namespace mlir::moe;

bool TilesOp::isCompatibleReturnTypes(TypeRange inferred, TypeRange declared) {
  return layer::areCompatible(inferred, declared);
}

LogicalResult TilesOp::verify() {
  SmallVector<Type> types;
  if (failed(inferTiles(getLoc(), *this, types)))
    return failure();
  return layer::verifyResults(*this, types, {"table", "count", "grid"});
}

LogicalResult TilesOp::inferReturnTypes(MLIRContext *context,
                                        std::optional<Location> location,
                                        Adaptor op,
                                        SmallVectorImpl<Type> &types) {
  return inferTiles(location, op, types);
}

LogicalResult TilesOp::reifyResultShapes(OpBuilder &builder,
                                         ReifiedRankedShapedTypeDims &shapes) {
  auto tableSize = [&](int64_t dim) -> OpFoldResult {
    if (dim == 1)
      return builder.getIndexAttr(3);
    AffineExpr total = builder.getAffineSymbolExpr(0);
    AffineExpr length = builder.getAffineSymbolExpr(1); // E + 1
    return affine::makeComposedFoldedAffineApply(
        builder, getLoc(),
        total.ceilDiv(static_cast<int64_t>(getRows())) + length - 1,
        {getAsOpFoldResult(getTotal()),
         tensor::getMixedSize(builder, getLoc(), getOffsets(), 0)});
  };
  auto constant = [&](int64_t size) {
    return [&builder, size](int64_t) -> OpFoldResult {
      return builder.getIndexAttr(size);
    };
  };
  shapes = {layer::reifyResult(builder, getTable(), tableSize),
            layer::reifyResult(builder, getCount(), constant(1)),
            layer::reifyResult(builder, getGrid(), constant(3))};
  return success();
}

void TilesOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                          MLIRContext *context) {
  patterns.add<layer::RefineShapes<TilesOp>>(context);
}
