//===- ElementwiseCopy.h - A copy that a kernel can make --------*- C++ -*-===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef MOE_DIALECT_MOE_TRANSFORMS_ELEMENTWISECOPY_H
#define MOE_DIALECT_MOE_TRANSFORMS_ELEMENTWISECOPY_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::moe {

/// The elements of `source` in place of those of `init`, which has its shape.
inline Value createCopy(ImplicitLocOpBuilder &b, Value source, Value init) {
  int64_t rank = cast<RankedTensorType>(init.getType()).getRank();
  AffineMap identity = b.getMultiDimIdentityMap(rank);
  SmallVector<utils::IteratorType> loops(rank, utils::IteratorType::parallel);
  auto copy = linalg::GenericOp::create(
      b, init.getType(), source, init, ArrayRef{identity, identity}, loops,
      [](OpBuilder &nested, Location loc, ValueRange args) {
        linalg::YieldOp::create(nested, loc, args[0]);
      });
  return copy.getResult(0);
}

} // namespace mlir::moe

#endif // MOE_DIALECT_MOE_TRANSFORMS_ELEMENTWISECOPY_H
