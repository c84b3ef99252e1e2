//===- CheckSupported.cpp - Rejects what cannot be compiled
//----------------===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "moe/Dialect/MoE/IR/MoE.h"
#include "moe/Dialect/MoE/Transforms/Passes.h"
#include "moe/Support/OneBlock.h"

namespace mlir::moe {
#define GEN_PASS_DEF_CHECKSUPPORTEDPASS
#include "moe/Dialect/MoE/Transforms/Passes.h.inc"
} // namespace mlir::moe

using namespace mlir;
using namespace mlir::moe;

// What a buffer can hold.
static bool isStorable(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && !tensor.getEncoding() &&
         (tensor.getElementType().isF32() ||
          tensor.getElementType().isSignlessInteger(32));
}

// i1 and index tensors live only between ops that are fused; whether one would
// have to be stored is seen when kernels are formed.
static bool isSupported(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return isStorable(type) || !isa<TensorType>(type) ||
         (tensor && !tensor.getEncoding() &&
          (tensor.getElementType().isSignlessInteger(1) ||
           tensor.getElementType().isIndex()));
}

// What to do about a type without a lowering, where there is something.
static StringRef getWayAround(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (tensor && tensor.getEncoding())
    return ": convert it to a tensor without an encoding before";
  return getElementTypeOrSelf(type).isIntOrFloat() && isa<TensorType>(type)
             ? " (others have no lowering to the device yet): convert it before"
             : "";
}

static LogicalResult check(Operation *op, TypeRange types, StringRef what,
                           bool (*holds)(Type)) {
  for (auto [number, type] : llvm::enumerate(types))
    if (!holds(type))
      return op->emitError("expected ")
             << what << ' ' << number
             << " to be a ranked tensor of f32 or i32, but got " << type
             << getWayAround(type);
  return success();
}

// Calls that the inliner has left.
static LogicalResult checkCall(CallOpInterface call) {
  if (!isa<SymbolRefAttr>(call.getCallableForCallee()))
    return call->emitOpError("expected a call of a function by its name, but "
                             "got an indirect one, which cannot be inlined");
  auto callee = dyn_cast_or_null<CallableOpInterface>(call.resolveCallable());
  if (!callee || !callee.getCallableRegion())
    return call->emitOpError("expected a call of a function with a body in the "
                             "same module, but got an external one, which "
                             "cannot be inlined");
  return call->emitOpError("expected a call that can be inlined, but got one "
                           "of a function that calls itself, or that has "
                           "several blocks");
}

namespace {
struct CheckSupportedPass
    : moe::impl::CheckSupportedPassBase<CheckSupportedPass> {
  void runOnOperation() override {
    func::FuncOp func = getOperation();
    if (func.isExternal())
      return;
    // A function as an argument is there for its call.
    WalkResult calls = func.walk(
        [](CallOpInterface call) { return WalkResult(checkCall(call)); });
    if (calls.wasInterrupted() || failed(expectOneBlock(func)) ||
        failed(check(func, func.getArgumentTypes(), "argument", isStorable)) ||
        failed(check(func, func.getResultTypes(), "result", isStorable)))
      return signalPassFailure();
    WalkResult result = func.walk([&](Operation *op) {
      if (failed(check(op, op->getOperandTypes(), "operand", isSupported)) ||
          failed(check(op, op->getResultTypes(), "result", isSupported)))
        return WalkResult::interrupt();
      if (op->getParentOp() == func && op->getDialect() &&
          op->getDialect()->getNamespace() == "scf") {
        op->emitError(
            "control flow between tensors has no lowering to the device yet");
        return WalkResult::interrupt();
      }
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace
