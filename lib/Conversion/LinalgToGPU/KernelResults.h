//===- KernelResults.h - Kernels that are one op of ours --------*- C++ -*-===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// What route, plan, tiles and the checks of data share: each is the only op of
// its kernel, reads the kernel's inputs as they are, and may have results that
// nobody asked for. Also the one exchange between invocations they need.
//
//===----------------------------------------------------------------------===//

#ifndef MOE_CONVERSION_LINALGTOGPU_KERNELRESULTS_H
#define MOE_CONVERSION_LINALGTOGPU_KERNELRESULTS_H

#include "moe/Conversion/ProgramBuilder.h"

namespace mlir::moe {

/// Fails with an error unless the tensor operands of `op` are inputs of
/// `kernel`, and what the kernel yields are results of `op`, each at most once.
LogicalResult expectOnlyOp(KernelOp kernel, Operation *op);

/// The result of `kernel` that is `value` of its body, or null.
Value getYieldedResult(KernelOp kernel, Value value);

/// Binds the result of `kernel` that is `value` for writing; null when the
/// kernel does not yield it.
FailureOr<KernelBuffer *> writeIfYielded(DispatchBuilder &d, KernelOp kernel,
                                         Value value);

/// Values of a workgroup combined: those of the invocations before this one,
/// and all of them.
struct WorkgroupPrefix {
  Value before, all;
};

/// Combines one value of each invocation, in order. Every invocation of the
/// workgroup must get here. Serial over the workgroup, with one barrier: meant
/// for a kernel's one exchange, not for inner loops.
WorkgroupPrefix getWorkgroupPrefix(KernelBuilder &b, Value mine, Value identity,
                                   function_ref<Value(Value, Value)> combine);

/// The lowest of 0 … count - 1 for which `holds` is true, or `count`; where it
/// is true it stays true. Values are of type index.
Value findFirst(KernelBuilder &b, int64_t count,
                function_ref<Value(Value)> holds);

/// The codes of the status word, as the runtime knows them.
enum class FaultCode : int32_t {
  IndexOutOfRange = 1,
  NotAPrefix = 2,
  NotInverse = 3
};

/// Writes {code, site, slot, value} to `status` unless an earlier fault has.
/// To be emitted where one invocation of the dispatch gets.
void emitFault(KernelBuilder &b, KernelBuffer &status, FaultCode code,
               int32_t site, Value slot, Value value);

} // namespace mlir::moe

#endif // MOE_CONVERSION_LINALGTOGPU_KERNELRESULTS_H
