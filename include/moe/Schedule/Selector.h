//===- Selector.h - Chooses the schedule of a kernel -------------*- C++
//-*-===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef MOE_SCHEDULE_SELECTOR_H
#define MOE_SCHEDULE_SELECTOR_H

#include "moe/Dialect/MoE/IR/MoE.h"
#include "moe/Support/TargetInfo.h"

namespace mlir::moe {

/// The schedule of `kernel` on `target`. Emits an error at the kernel when the
/// target cannot run it.
FailureOr<ScheduleAttr> selectSchedule(KernelOp kernel,
                                       const TargetInfo &target);

/// Checks the limits of `target` for a kernel that has a schedule.
LogicalResult checkSchedule(KernelOp kernel, const TargetInfo &target);

} // namespace mlir::moe

#endif // MOE_SCHEDULE_SELECTOR_H
