//===- ScalarOps.h - Scalar ops of tensor code as device code ---*- C++ -*-===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// The same op, on scalars or vectors, with indices of 64 bits where its ranges
// do not fit 32 (IndexRanges.h).
//
//===----------------------------------------------------------------------===//

#ifndef MOE_LIB_CONVERSION_LINALGTOGPU_SCALAROPS_H
#define MOE_LIB_CONVERSION_LINALGTOGPU_SCALAROPS_H

#include "IndexRanges.h"
#include "moe/Conversion/KernelBuilder.h"

namespace mlir::moe {

/// Emits an error at `op` where it needs 64 bits and the target has 32.
LogicalResult checkWidth(Operation *op, IndexRanges &ranges, bool hasInt64);

/// Emits `op`, an elementwise op or a constant, with `operands` of the device
/// code: scalars, or vectors of `width` elements if not 0. Returns its results.
SmallVector<Value> emitScalarOp(KernelBuilder &kernel, IndexRanges &ranges,
                                Operation &op, ArrayRef<Value> operands,
                                int64_t width = 0);

} // namespace mlir::moe

#endif // MOE_LIB_CONVERSION_LINALGTOGPU_SCALAROPS_H
