//===- Updates.cpp - Results that take the memory of arguments ------------===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// What --moe-update-in-place has decided is obeyed here: the result of a kernel
// that updates an argument has the argument's buffer, and moe_rt.alias tells
// the runtime that the argument is state.
//
//===----------------------------------------------------------------------===//

#include "Families.h"

using namespace mlir;
using namespace mlir::moe;

// The number of the result that an argument aliases, or -1.
static int64_t getAliasedResult(func::FuncOp func, unsigned argument) {
  auto result = func.getArgAttrOfType<IntegerAttr>(
      argument, MoEDialect::getAliasesResultAttrName());
  return result ? result.getInt() : -1;
}

static LogicalResult checkUpdate(KernelOp kernel, OpResult result) {
  auto func = kernel->getParentOfType<func::FuncOp>();
  auto argument = dyn_cast<BlockArgument>(kernel.getUpdatedInput(result));
  Operation *terminator = func.getBody().front().getTerminator();
  int64_t aliased =
      argument ? getAliasedResult(func, argument.getArgNumber()) : -1;
  if (aliased < 0 || terminator->getOperand(aliased) != result)
    return kernel.emitOpError("expected the input that result ")
           << result.getResultNumber()
           << " updates to be an argument of the function that aliases it";
  for (Operation *user : argument.getUsers())
    if (kernel->isBeforeInBlock(func.getBody().findAncestorOpInRegion(*user)))
      return user->emitOpError("expected to read argument ")
             << argument.getArgNumber() << " before it is updated";
  for (Operation *later = kernel; (later = later->getNextNode());)
    if (isa<KernelOp>(later) && !isMemoryEffectFree(later))
      return later->emitOpError("expected to find faults in data before "
                                "argument ")
             << argument.getArgNumber() << " is updated";
  return success();
}

LogicalResult moe::checkUpdates(func::FuncOp func) {
  for (auto kernel : func.getBody().getOps<KernelOp>())
    for (OpResult result : kernel->getResults())
      if (kernel.getUpdatedInput(result) && failed(checkUpdate(kernel, result)))
        return failure();
  Operation *terminator = func.getBody().front().getTerminator();
  for (BlockArgument argument : func.getArguments()) {
    int64_t aliased = getAliasedResult(func, argument.getArgNumber());
    if (aliased < 0)
      continue;
    auto result = cast<OpResult>(terminator->getOperand(aliased));
    if (cast<KernelOp>(result.getOwner()).getUpdatedInput(result) != argument)
      return func.emitError("expected result ")
             << aliased << " to be computed in the memory of argument "
             << argument.getArgNumber()
             << ", which aliases it: run --moe-update-in-place first";
  }
  return success();
}

FailureOr<Value> ProgramBuilder::getUpdatedBuffer(OpResult result,
                                                  Value argument) {
  FailureOr<Value> buffer = getBuffer(argument);
  if (failed(buffer) || !buffers.try_emplace(result, *buffer).second)
    return buffer;
  unsigned input = cast<BlockArgument>(argument).getArgNumber();
  int64_t output = getAliasedResult(func, input);
  declareTensor(result, *buffer, moe_rt::BufferKind::Output, output);
  moe_rt::AliasOp::create(commands, result.getLoc(), input, output);
  return buffer;
}
