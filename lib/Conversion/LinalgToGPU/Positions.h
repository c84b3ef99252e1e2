//===- Positions.h - Who checks the positions an op computes ----*- C++ -*-===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// A position of an element or a slice is right by construction, follows from
// sizes alone, so that it is proven or asserted on the host
// (PositionConditions.cpp), or is checked on the device before the kernel that
// computes it (PositionChecks.cpp). That kernel then clamps it, so that no
// address leaves its buffer in a run that ends with a fault.
//
//===----------------------------------------------------------------------===//

#ifndef MOE_LIB_CONVERSION_LINALGTOGPU_POSITIONS_H
#define MOE_LIB_CONVERSION_LINALGTOGPU_POSITIONS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "moe/Conversion/ProgramBuilder.h"
#include "moe/Conversion/SymbolicDims.h"
#include "llvm/ADT/SmallBitVector.h"

namespace mlir::moe {

/// Whether the indices of a tensor.extract are in range by construction.
bool isTrusted(tensor::ExtractOp op);

/// A slice along one dimension, by sizes.
struct SlicePosition {
  AffineExpr start, size, stride, total;
};
/// Dimension `dim` of a slice of `tensor`; nothing where it does not follow
/// from sizes, so that the device checks it.
std::optional<SlicePosition>
getSlicePosition(SymbolicDims &dims, OffsetSizeAndStrideOpInterface slice,
                 Value tensor, unsigned dim);

inline bool isCheckedOnDevice(SymbolicDims &dims,
                              OffsetSizeAndStrideOpInterface slice,
                              Value tensor, unsigned dim) {
  return isa<KernelOp>(slice->getParentOp()) &&
         !getSlicePosition(dims, slice, tensor, dim);
}

/// The dimensions along which an element's position is checked on the device.
llvm::SmallBitVector getUnproven(SymbolicDims &dims, tensor::ExtractOp op);

/// The dimensions along which it is clamped when it is read: those, and where
/// the tensor may be empty.
llvm::SmallBitVector getClamped(SymbolicDims &dims, tensor::ExtractOp op);

/// The number of iterations of each loop; null where it does not follow.
SmallVector<AffineExpr> getLoopSizes(SymbolicDims &dims, linalg::GenericOp op);

/// Emits the dispatches that check, on the device, the positions that `kernel`
/// computes from data.
LogicalResult checkPositions(KernelOp kernel, ProgramBuilder &program);

} // namespace mlir::moe

#endif // MOE_LIB_CONVERSION_LINALGTOGPU_POSITIONS_H
