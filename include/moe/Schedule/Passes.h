//===- Passes.h - Passes that decide and apply schedules --------*- C++ -*-===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef MOE_SCHEDULE_PASSES_H
#define MOE_SCHEDULE_PASSES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"
#include "moe/Dialect/MoERT/IR/MoERT.h"
#include "moe/Support/TargetInfo.h"

namespace mlir::moe {
#define GEN_PASS_DECL
#include "moe/Schedule/Passes.h.inc"

/// The same passes for a target that is not a named one.
std::unique_ptr<Pass> createCheckLimitsPass(const TargetInfo &target);
std::unique_ptr<Pass> createCheckSchedulePass(const TargetInfo &target);
std::unique_ptr<Pass> createSelectSchedulePass(const TargetInfo &target);

#define GEN_PASS_REGISTRATION
#include "moe/Schedule/Passes.h.inc"
} // namespace mlir::moe

#endif // MOE_SCHEDULE_PASSES_H
