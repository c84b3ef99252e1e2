//===- MoERTOps.cpp - Operations of the moe_rt dialect --------------------===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "moe/Dialect/MoERT/IR/MoERT.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::moe_rt;

#define GET_OP_CLASSES
#include "moe/Dialect/MoERT/IR/MoERT.cpp.inc"

LogicalResult ProgramOp::verifyRegions() {
  // program_c1
  for (Operation &op : getBody().front())
    for (OpOperand &operand : op.getOpOperands()) {
      if (!isa<BufferType>(operand.get().getType()))
        continue;
      Operation *maker = operand.get().getDefiningOp();
      if (!isa_and_nonnull<BufferOp, SliceOp>(maker))
        return op.emitOpError("expected operand ")
               << operand.getOperandNumber()
               << " to be a buffer or a slice of one, but got the result of '"
               << (maker ? maker->getName().getStringRef() : "a block") << "'";
    }
  return success();
}

LogicalResult BufferOp::verify() {
  // buffer_c1
  if (getData() && getKind() != BufferKind::Constant)
    return emitOpError("expected a buffer with data to be of kind constant, "
                       "but got ")
           << stringifyBufferKind(getKind());
  // buffer_c2
  if (getOffset() && getKind() != BufferKind::Transient)
    return emitOpError("expected a buffer with an offset to be of kind "
                       "transient, but got ")
           << stringifyBufferKind(getKind());
  return success();
}

LogicalResult AliasOp::verify() {
  // alias_c1
  auto getBuffer = [&](BufferKind kind, int64_t position) -> Value {
    for (auto tensor : (*this)->getBlock()->getOps<TensorOp>())
      if (tensor.getKind() == kind &&
          tensor.getPosition() == uint64_t(position) &&
          tensor->isBeforeInBlock(*this))
        return tensor.getBuffer();
    return Value();
  };
  Value input = getBuffer(BufferKind::Input, getInput());
  Value output = getBuffer(BufferKind::Output, getOutput());
  if (!input || input != output)
    return emitOpError("expected input ")
           << getInput() << " and output " << getOutput()
           << " to be declared before, on one buffer, but got "
           << (!input || !output ? "no such declaration" : "two buffers");
  return success();
}

// Of the bindings that both kinds of dispatch have.
template <typename DispatchTy>
static void addBindings(DispatchTy op,
                        SmallVectorImpl<BufferAccess> &accesses) {
  for (Value buffer : op.getReads())
    accesses.push_back({buffer, /*reads=*/true, /*writes=*/false});
  for (Value buffer : op.getWrites())
    accesses.push_back({buffer, /*reads=*/false, /*writes=*/true});
  for (Value buffer : op.getUpdates())
    accesses.push_back({buffer, /*reads=*/true, /*writes=*/true});
}

SmallVector<BufferAccess> moe_rt::getBufferAccesses(Operation *op) {
  SmallVector<BufferAccess> accesses;
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](DispatchOp dispatch) { addBindings(dispatch, accesses); })
      .Case([&](DispatchIndirectOp dispatch) {
        accesses.push_back(
            {dispatch.getGrid(), /*reads=*/true, /*writes=*/false});
        addBindings(dispatch, accesses);
      })
      .Case([&](FillOp fill) {
        accesses.push_back(
            {fill.getBuffer(), /*reads=*/false, /*writes=*/true});
      })
      .Case([&](CopyOp copy) {
        accesses.push_back(
            {copy.getSource(), /*reads=*/true, /*writes=*/false});
        accesses.push_back(
            {copy.getDestination(), /*reads=*/false, /*writes=*/true});
      });
  return accesses;
}

BufferOp moe_rt::getUnderlyingBuffer(Value value) {
  while (auto slice = value.getDefiningOp<SliceOp>())
    value = slice.getBuffer();
  return value.getDefiningOp<BufferOp>();
}
