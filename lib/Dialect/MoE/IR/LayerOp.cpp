//===- LayerOp.cpp - What the ops of the layer share ----------------------===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "LayerOp.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"

using namespace mlir;
using namespace mlir::moe;

bool layer::areCompatible(TypeRange inferred, TypeRange declared) {
  return inferred.size() == declared.size() &&
         llvm::all_of(llvm::zip(inferred, declared), [](auto pair) {
           auto [a, b] = pair;
           return getElementTypeOrSelf(a) == getElementTypeOrSelf(b) &&
                  succeeded(verifyCompatibleShape(a, b));
         });
}

LogicalResult layer::verifyResults(Operation *op, TypeRange inferred,
                                   ArrayRef<StringRef> names) {
  for (auto [name, type, result] :
       llvm::zip_equal(names, inferred, op->getResultTypes()))
    if (!areCompatible(type, result))
      return op->emitOpError("expected ")
             << name << " to be " << type << ", but got " << result;
  return success();
}

SmallVector<OpFoldResult>
layer::reifyResult(OpBuilder &builder, Value result,
                   function_ref<OpFoldResult(int64_t)> size) {
  auto type = cast<RankedTensorType>(result.getType());
  SmallVector<OpFoldResult> sizes;
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    sizes.push_back(type.isDynamicDim(dim)
                        ? size(dim)
                        : builder.getIndexAttr(type.getDimSize(dim)));
  return sizes;
}

OpFoldResult layer::reifySlots(OpBuilder &builder, Location loc,
                               OpFoldResult tokens, OpFoldResult topK) {
  AffineExpr t = builder.getAffineSymbolExpr(0);
  AffineExpr k = builder.getAffineSymbolExpr(1);
  return affine::makeComposedFoldedAffineApply(builder, loc, t * k,
                                               {tokens, topK});
}

RankedTensorType layer::refine(Type declared, Type inferred) {
  auto from = cast<RankedTensorType>(declared);
  SmallVector<int64_t> shape(from.getShape());
  for (auto [size, other] :
       llvm::zip_equal(shape, cast<RankedTensorType>(inferred).getShape())) {
    if (ShapedType::isDynamic(other))
      continue;
    if (ShapedType::isStatic(size) && size != other)
      return {};
    size = other;
  }
  return from.clone(shape);
}
