//===- IndexRanges.h - What the integers of a kernel can be -----*- C++ -*-===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// An index has 64 bits in what a program means, and 32 on the device, where
// 64 are slow or missing. Intervals of loops, sizes and constants prove for
// nearly all indices that 32 bits hold the same value. The others are i64 on
// the device: a value of the kernel's tensor code with an index type is an
// index of the device code if, and only if, its interval fits 32 bits.
//
//===----------------------------------------------------------------------===//

#ifndef MOE_LIB_CONVERSION_LINALGTOGPU_INDEXRANGES_H
#define MOE_LIB_CONVERSION_LINALGTOGPU_INDEXRANGES_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Interfaces/InferIntRangeInterface.h"
#include "moe/Conversion/SymbolicDims.h"

namespace mlir::moe {

/// Whether 32 bits hold every value of `range`, as signed numbers.
bool fits32(const ConstantIntRanges &range);

class IndexRanges {
public:
  explicit IndexRanges(SymbolicDims &dims) : dims(dims) {}

  /// The values of a scalar of a kernel, or of the elements of a tensor.
  ConstantIntRanges get(Value value);
  /// The values of an expression of sizes.
  ConstantIntRanges get(AffineExpr size);
  /// The positions that a loop of `op` runs over. All loops of the device
  /// count in 31 bits.
  ConstantIntRanges getLoop(linalg::GenericOp op, unsigned loop);

  /// Whether `op` gives the same in 32 bits: its indices fit, and so does
  /// whatever else a 64-bit number has that a 32-bit one lacks.
  bool fits(Operation *op);

private:
  ConstantIntRanges compute(Value value);
  ConstantIntRanges computeElements(Value tensor);
  ConstantIntRanges computeArgument(BlockArgument argument);

  SymbolicDims &dims;
  DenseMap<Value, ConstantIntRanges> known;
  unsigned depth = 0; ///< of the value whose range is being computed
};

/// The values of an affine expression whose dims have these.
ConstantIntRanges getRange(AffineExpr expr, ArrayRef<ConstantIntRanges> dims);

} // namespace mlir::moe

#endif // MOE_LIB_CONVERSION_LINALGTOGPU_INDEXRANGES_H
