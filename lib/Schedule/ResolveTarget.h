//===- ResolveTarget.h - The target a pass works for ------------*- C++ -*-===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef MOE_LIB_SCHEDULE_RESOLVETARGET_H
#define MOE_LIB_SCHEDULE_RESOLVETARGET_H

#include "mlir/IR/Operation.h"
#include "moe/Support/TargetInfo.h"

namespace mlir::moe {
/// `given` if there is one, else the target that a pass's option names; emits
/// an error at `op` when there is no such target.
FailureOr<TargetInfo> resolveTarget(Operation *op,
                                    const std::optional<TargetInfo> &given,
                                    StringRef name);
} // namespace mlir::moe

#endif // MOE_LIB_SCHEDULE_RESOLVETARGET_H
