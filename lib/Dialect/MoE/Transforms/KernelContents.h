//===- KernelContents.h - What goes into a kernel ---------------*- C++ -*-===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef MOE_DIALECT_MOE_TRANSFORMS_KERNELCONTENTS_H
#define MOE_DIALECT_MOE_TRANSFORMS_KERNELCONTENTS_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::moe {

/// Ops that cost nothing inside the kernel that reads them.
bool isKernelView(Operation *op);

/// Ops that compute tensors; every one becomes a kernel of its own.
bool isKernelRoot(Operation *op);

/// What a buffer can hold.
bool isStorable(Type type);

/// Elementwise results that no buffer can hold, such as comparisons.
bool isPredicate(Operation *op);

/// Ops that read buffers as they are.
bool readsBuffers(Operation *op);

/// Whether `producer` moves into the kernel of `consumer`.
bool movesIntoKernel(Operation *producer, Operation *consumer,
                     bool fuseDispatch);

/// The ops of a kernel and what it reads from outside.
struct KernelContents {
  llvm::SetVector<Operation *> ops; ///< in an order that dominates
  llvm::SetVector<Value> inputs;

  /// Adds `op` after everything it needs.
  void add(Operation *op, bool fuseDispatch);
};

} // namespace mlir::moe

#endif // MOE_DIALECT_MOE_TRANSFORMS_KERNELCONTENTS_H
