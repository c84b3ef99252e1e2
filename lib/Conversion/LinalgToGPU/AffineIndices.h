//===- AffineIndices.h - Affine expressions as device code ------*- C++ -*-===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef MOE_LIB_CONVERSION_LINALGTOGPU_AFFINEINDICES_H
#define MOE_LIB_CONVERSION_LINALGTOGPU_AFFINEINDICES_H

#include "IndexRanges.h"
#include "moe/Conversion/KernelBuilder.h"

namespace mlir::affine {
class AffineApplyOp;
}

namespace mlir::moe {

/// The expression of an affine.apply, of which all operands are dims.
AffineExpr getFlatExpr(affine::AffineApplyOp apply);

/// Emits affine expressions whose dims are `dims`, indices or i64. What does
/// not fit 32 bits by the dims' `ranges` is computed in 64.
class AffineEmitter {
public:
  AffineEmitter(KernelBuilder &kernel, ArrayRef<Value> dims,
                ArrayRef<ConstantIntRanges> ranges)
      : kernel(kernel), dims(dims), ranges(ranges) {}

  /// An i64 where the range of the expression does not fit 32 bits.
  Value emit(AffineExpr expr) { return emit(expr, /*exact=*/true); }
  /// A position, which fits 32 bits whatever its range is: sums and products
  /// on the way to it may wrap, what is divided may not.
  Value emitPosition(AffineExpr expr) {
    return kernel.toNarrow(emit(expr, /*exact=*/false));
  }

  /// Whether a part of the expression needs 64 bits.
  static bool needsWide(AffineExpr expr, ArrayRef<ConstantIntRanges> ranges,
                        bool isPosition);

private:
  Value emit(AffineExpr expr, bool exact);
  Value divide(AffineBinaryOpExpr expr, Value left, Value right);

  KernelBuilder &kernel;
  ArrayRef<Value> dims;
  ArrayRef<ConstantIntRanges> ranges;
};

} // namespace mlir::moe

#endif // MOE_LIB_CONVERSION_LINALGTOGPU_AFFINEINDICES_H
