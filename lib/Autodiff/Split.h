//===- Split.h - A derivative as one function or as two ---------*- C++ -*-===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef MOE_LIB_AUTODIFF_SPLIT_H
#define MOE_LIB_AUTODIFF_SPLIT_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "moe/Autodiff/Cotangents.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::moe {

/// A function that takes primal arguments and cotangents and gives primal
/// results and gradients.
struct JointDerivative {
  func::FuncOp function;
  unsigned numPrimalArguments = 0;
  unsigned numPrimalResults = 0;
  llvm::DenseSet<Operation *> primalOps; ///< what the primal function held

  /// Makes the function's type that of its block and terminator.
  void updateType();
  /// Erases what nothing uses and what is there twice, and makes sizes those of
  /// arguments.
  LogicalResult simplify();
  /// Adds @name_fwd and @name_bwd behind the function, which stays.
  void split(StringRef name, Save save);

private:
  func::FuncOp buildForward(StringRef name, ArrayRef<Value> residuals);
  func::FuncOp buildBackward(StringRef name, ArrayRef<Value> residuals,
                             const llvm::DenseSet<Operation *> &recomputed);
};

} // namespace mlir::moe

#endif // MOE_LIB_AUTODIFF_SPLIT_H
