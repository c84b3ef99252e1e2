//===- KernelResults.cpp - Kernels that are one op of ours ----------------===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "KernelResults.h"

using namespace mlir;
using namespace mlir::moe;

LogicalResult moe::expectOnlyOp(KernelOp kernel, Operation *op) {
  Block &body = kernel.getBody().front();
  for (OpOperand &operand : op->getOpOperands()) {
    auto argument = dyn_cast<BlockArgument>(operand.get());
    if (isa<RankedTensorType>(operand.get().getType()) &&
        (!argument || argument.getOwner() != &body))
      return op->emitOpError("expected operand ")
             << operand.getOperandNumber()
             << " to be an input of its kernel, but got a computed value";
  }
  llvm::SmallDenseSet<Value> seen;
  for (Value yielded : body.getTerminator()->getOperands())
    if (yielded.getDefiningOp() != op || !seen.insert(yielded).second)
      return kernel.emitOpError("expected to yield results of '")
             << op->getName() << "', each at most once, but got another value";
  return success();
}

Value moe::getYieldedResult(KernelOp kernel, Value value) {
  Operation *yield = kernel.getBody().front().getTerminator();
  for (OpOperand &operand : yield->getOpOperands())
    if (operand.get() == value)
      return kernel.getResult(operand.getOperandNumber());
  return nullptr;
}

FailureOr<KernelBuffer *> moe::writeIfYielded(DispatchBuilder &d,
                                              KernelOp kernel, Value value) {
  if (Value result = getYieldedResult(kernel, value))
    return d.write(result);
  return static_cast<KernelBuffer *>(nullptr);
}

WorkgroupPrefix
moe::getWorkgroupPrefix(KernelBuilder &b, Value mine, Value identity,
                        function_ref<Value(Value, Value)> combine) {
  int64_t width = b.getWorkgroupSize();
  if (width == 1)
    return {identity, mine};
  Value values = b.shared(mine.getType(), width);
  Value thread = b.threadId();
  b.store(mine, values, thread);
  b.barrier();
  SmallVector<Value> sums =
      b.forLoop(b.idx(0), b.idx(width), b.idx(1), {identity, identity},
                [&](Value iv, ValueRange args) -> SmallVector<Value> {
                  Value value = b.load(values, iv);
                  Value before = b.select(b.lt(iv, thread),
                                          combine(args[0], value), args[0]);
                  return {before, combine(args[1], value)};
                });
  return {sums[0], sums[1]};
}

Value moe::findFirst(KernelBuilder &b, int64_t count,
                     function_ref<Value(Value)> holds) {
  // `low` candidates are known to fail.
  Value low = b.idx(0);
  for (int64_t step = llvm::PowerOf2Ceil(count + 1) / 2; step >= 1; step /= 2) {
    Value next = b.add(low, step);
    Value tested = b.min(b.sub(next, 1), b.idx(count - 1));
    Value fails = b.logicalAnd(b.ge(b.idx(count), next),
                               b.eq(holds(tested), b.boolean(false)));
    low = b.select(fails, next, low);
  }
  return low;
}

void moe::emitFault(KernelBuilder &b, KernelBuffer &status, FaultCode code,
                    int32_t site, Value slot, Value value) {
  Value free = b.eq(b.load(status.scalars, b.idx(0)), b.i32(0));
  b.ifThen(free, [&] {
    Value words[] = {b.i32(static_cast<int32_t>(code)), b.i32(site), slot,
                     value};
    for (auto [position, word] : llvm::enumerate(words))
      b.store(word, status.scalars, b.idx(position));
  });
}
