//===- Passes.h - Passes on host programs -----------------------*- C++ -*-===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// The order is: plan-memory, insert-barriers, check-hazards. Barriers come
// after the plan because buffers that share memory must be kept apart too.
//
//===----------------------------------------------------------------------===//

#ifndef MOE_DIALECT_MOERT_TRANSFORMS_PASSES_H
#define MOE_DIALECT_MOERT_TRANSFORMS_PASSES_H

#include "moe/Dialect/MoERT/IR/MoERT.h"

#include "mlir/Pass/Pass.h"

namespace mlir::moe_rt {

#define GEN_PASS_DECL
#include "moe/Dialect/MoERT/Transforms/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "moe/Dialect/MoERT/Transforms/Passes.h.inc"

} // namespace mlir::moe_rt

#endif // MOE_DIALECT_MOERT_TRANSFORMS_PASSES_H
