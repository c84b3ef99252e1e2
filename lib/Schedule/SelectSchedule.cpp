//===- SelectSchedule.cpp - The passes around the selector
//-----------------===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "ResolveTarget.h"
#include "moe/Schedule/Passes.h"
#include "moe/Schedule/Selector.h"

namespace mlir::moe {
#define GEN_PASS_DEF_CHECKSCHEDULEPASS
#define GEN_PASS_DEF_SELECTSCHEDULEPASS
#include "moe/Schedule/Passes.h.inc"
} // namespace mlir::moe

using namespace mlir;
using namespace mlir::moe;

namespace {
struct SelectSchedulePass
    : moe::impl::SelectSchedulePassBase<SelectSchedulePass> {
  using Base::Base;
  explicit SelectSchedulePass(const TargetInfo &target) : given(target) {}

  void runOnOperation() override {
    FailureOr<TargetInfo> info = resolveTarget(getOperation(), given, target);
    if (failed(info))
      return signalPassFailure();
    WalkResult result = getOperation().walk([&](KernelOp kernel) {
      if (kernel.getSchedule())
        return WalkResult::advance();
      FailureOr<ScheduleAttr> schedule = selectSchedule(kernel, *info);
      if (failed(schedule))
        return WalkResult::interrupt();
      kernel.setScheduleAttr(*schedule);
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }

  std::optional<TargetInfo> given;
};

struct CheckSchedulePass : moe::impl::CheckSchedulePassBase<CheckSchedulePass> {
  using Base::Base;
  explicit CheckSchedulePass(const TargetInfo &target) : given(target) {}

  void runOnOperation() override {
    FailureOr<TargetInfo> info = resolveTarget(getOperation(), given, target);
    if (failed(info))
      return signalPassFailure();
    WalkResult result = getOperation().walk([&](KernelOp kernel) {
      return failed(checkSchedule(kernel, *info)) ? WalkResult::interrupt()
                                                  : WalkResult::advance();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }

  std::optional<TargetInfo> given;
};
} // namespace

std::unique_ptr<Pass> moe::createSelectSchedulePass(const TargetInfo &target) {
  return std::make_unique<SelectSchedulePass>(target);
}

std::unique_ptr<Pass> moe::createCheckSchedulePass(const TargetInfo &target) {
  return std::make_unique<CheckSchedulePass>(target);
}
