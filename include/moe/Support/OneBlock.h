//===- OneBlock.h - Functions without branches ------------------*- C++ -*-===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef MOE_SUPPORT_ONEBLOCK_H
#define MOE_SUPPORT_ONEBLOCK_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::moe {

/// Emits an error and fails unless `func` has one block that ends in a return.
/// Passes that read a function from its first op to its last one ask for it.
inline LogicalResult expectOneBlock(func::FuncOp func) {
  if (!func.getBody().hasOneBlock())
    return func.emitError("expected a function of one block, but got ")
           << func.getBody().getBlocks().size();
  Operation *terminator = func.getBody().front().getTerminator();
  if (!isa<func::ReturnOp>(terminator))
    return terminator->emitOpError(
        "expected the function to end with 'func.return', but got this");
  return success();
}

} // namespace mlir::moe

#endif // MOE_SUPPORT_ONEBLOCK_H
