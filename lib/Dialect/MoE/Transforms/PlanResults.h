//===- PlanResults.h - What provably comes from a plan ----------*- C++ -*-===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef MOE_LIB_DIALECT_MOE_TRANSFORMS_PLANRESULTS_H
#define MOE_LIB_DIALECT_MOE_TRANSFORMS_PLANRESULTS_H

#include "moe/Dialect/MoE/IR/MoE.h"

namespace mlir::moe {

/// Whether `tensor` provably has one row for each slot of `plan`.
bool hasRowsOf(PlanOp plan, Value tensor);

/// Whether the two maps provably are each other's inverse: those of one plan,
/// or of one check.
bool areMapsOfOneOp(Value slotToRow, Value rowToSlot);

} // namespace mlir::moe

#endif // MOE_LIB_DIALECT_MOE_TRANSFORMS_PLANRESULTS_H
