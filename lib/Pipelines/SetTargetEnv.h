//===- SetTargetEnv.h - Attaches the target to a module ---------*- C++ -*-===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef MOE_LIB_PIPELINES_SETTARGETENV_H
#define MOE_LIB_PIPELINES_SETTARGETENV_H

#include "mlir/Pass/Pass.h"
#include "moe/Support/TargetInfo.h"

namespace mlir::moe {
/// A pass that sets `spirv.target_env` of a module that has none.
std::unique_ptr<Pass> createSetTargetEnvPass(const TargetInfo &target);
} // namespace mlir::moe

#endif // MOE_LIB_PIPELINES_SETTARGETENV_H
