//===- CheckLimits.cpp - Dispatches against the target's limits
//------------===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "ResolveTarget.h"
#include "mlir/IR/Matchers.h"
#include "moe/Dialect/MoERT/IR/MoERT.h"
#include "moe/Schedule/Passes.h"

namespace mlir::moe {
#define GEN_PASS_DEF_CHECKLIMITSPASS
#include "moe/Schedule/Passes.h.inc"
} // namespace mlir::moe

using namespace mlir;
using namespace mlir::moe;

// The bytes of a buffer or slice, where they do not depend on dynamic sizes.
static std::optional<uint64_t> knownBytes(Value range) {
  Operation *op = range.getDefiningOp();
  Value bytes;
  if (auto buffer = dyn_cast<moe_rt::BufferOp>(op))
    bytes = buffer.getBytes();
  else if (auto slice = dyn_cast<moe_rt::SliceOp>(op))
    bytes = slice.getBytes();
  APInt value;
  if (!bytes || !matchPattern(bytes, m_ConstantInt(&value)))
    return std::nullopt;
  return value.getZExtValue();
}

template <typename DispatchOp>
static LogicalResult checkDispatch(DispatchOp op, const TargetInfo &target) {
  SmallVector<Value> bound(op.getReads());
  llvm::append_range(bound, op.getWrites());
  llvm::append_range(bound, op.getUpdates());
  if (bound.size() > target.maxStorageBuffers)
    return op.emitOpError("expected kernel '")
           << op.getKernel() << "' to bind at most " << target.maxStorageBuffers
           << " storage buffers on target '" << target.name << "', but got "
           << bound.size();
  if (op.getPush().size() * 4 > target.maxPushConstants)
    return op.emitOpError("expected kernel '")
           << op.getKernel() << "' to take at most " << target.maxPushConstants
           << " bytes of push constants on target '" << target.name
           << "', but got " << op.getPush().size() * 4;
  for (Value range : bound)
    if (std::optional<uint64_t> bytes = knownBytes(range);
        bytes > target.maxStorageRange)
      return op.emitOpError("expected kernel '")
             << op.getKernel() << "' to bind at most " << target.maxStorageRange
             << " bytes of '" << moe_rt::getUnderlyingBuffer(range).getName()
             << "' on target '" << target.name << "', but got " << *bytes;
  return success();
}

namespace {
struct CheckLimitsPass : moe::impl::CheckLimitsPassBase<CheckLimitsPass> {
  using Base::Base;
  explicit CheckLimitsPass(const TargetInfo &target) : given(target) {}

  void runOnOperation() override {
    FailureOr<TargetInfo> info = resolveTarget(getOperation(), given, target);
    if (failed(info))
      return signalPassFailure();
    for (Operation &op : getOperation().getBody().front()) {
      LogicalResult result = success();
      if (auto dispatch = dyn_cast<moe_rt::DispatchOp>(op))
        result = checkDispatch(dispatch, *info);
      else if (auto indirect = dyn_cast<moe_rt::DispatchIndirectOp>(op))
        result = checkDispatch(indirect, *info);
      if (failed(result))
        return signalPassFailure();
    }
  }

  std::optional<TargetInfo> given;
};
} // namespace

std::unique_ptr<Pass> moe::createCheckLimitsPass(const TargetInfo &target) {
  return std::make_unique<CheckLimitsPass>(target);
}
