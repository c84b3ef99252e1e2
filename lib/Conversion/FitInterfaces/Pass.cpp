//===- Pass.cpp - Kernels within a device's bindings and push constants ---===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "KernelInterface.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVDialect.h"
#include "moe/Conversion/Passes.h"
#include "moe/Dialect/MoERT/IR/MoERT.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::moe {
#define GEN_PASS_DEF_FITINTERFACESPASS
#include "moe/Conversion/Passes.h.inc"
} // namespace mlir::moe

using namespace mlir;
using namespace mlir::moe;

static LogicalResult fit(gpu::GPUFuncOp func, ArrayRef<Operation *> dispatches,
                         const InterfaceLimits &limits) {
  FailureOr<KernelInterface> kernel = KernelInterface::read(func, dispatches);
  if (failed(kernel))
    return failure();
  unsigned numPushes = kernel->pushes.size();
  bool moveSizes = numPushes > limits.pushConstants;
  std::optional<SharedBuffer> shared;
  auto planShared = [&]() -> LogicalResult {
    unsigned total = kernel->bindings.size();
    // A buffer of sizes is one more, unless it is a part of the shared one.
    if (total + moveSizes <= limits.bindings)
      return success();
    // How many sizes move depends on the parts, each of which may add one.
    int64_t reserved = moveSizes ? 4 * int64_t(numPushes + total) : 0;
    FailureOr<SharedBuffer> planned =
        SharedBuffer::plan(*kernel, limits.bindings, reserved);
    if (failed(planned))
      return failure();
    shared = std::move(*planned);
    return success();
  };
  if (failed(planShared()))
    return failure();
  if (shared && !moveSizes &&
      numPushes + shared->countPushConstants() > limits.pushConstants) {
    moveSizes = true;
    if (failed(planShared()))
      return failure();
  }
  std::optional<unsigned> binding;
  if (shared)
    binding = shared->apply(*kernel);
  if (moveSizes)
    moveSizesToBuffer(*kernel, limits.pushConstants, binding, limits);
  kernel->write();
  return success();
}

namespace {
struct FitInterfacesPass : moe::impl::FitInterfacesPassBase<FitInterfacesPass> {
  using Base::Base;

  void runOnOperation() override {
    InterfaceLimits limits{maxStorageBuffers, maxPushConstants / 4};
    if (limits.bindings < 1 || limits.pushConstants < 1) {
      getOperation().emitError("expected limits of at least one storage buffer "
                               "and 4 bytes of push constants, but got ")
          << limits.bindings << " and " << maxPushConstants.getValue();
      return signalPassFailure();
    }
    llvm::StringMap<gpu::GPUFuncOp> kernels;
    getOperation().walk(
        [&](gpu::GPUFuncOp func) { kernels[func.getName()] = func; });
    llvm::MapVector<StringRef, SmallVector<Operation *>> dispatches;
    getOperation().walk([&](Operation *op) {
      if (isa<moe_rt::DispatchOp, moe_rt::DispatchIndirectOp>(op))
        dispatches[op->getAttrOfType<FlatSymbolRefAttr>("kernel").getValue()]
            .push_back(op);
    });
    for (auto &[name, own] : dispatches) {
      gpu::GPUFuncOp func = kernels.lookup(name);
      bool fits = llvm::all_of(own, [&](Operation *dispatch) {
        return countBindings(dispatch) <= limits.bindings &&
               countPushConstants(dispatch) <= limits.pushConstants;
      });
      if (func && !fits && failed(fit(func, own, limits)))
        return signalPassFailure();
    }
  }
};
} // namespace
