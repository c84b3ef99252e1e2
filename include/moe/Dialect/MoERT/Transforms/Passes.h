//===- Passes.h - Passes on host programs -----------------------*- C++ -*-===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// The order is: insert-barriers, plan-memory, check-hazards. Barriers follow
// from the flow of data alone; the memory plan then lets buffers share memory
// across barriers only, so that sharing never costs another one.
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
