//===- Elementwise.cpp - Kernels with one independent value per element ---===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// Each invocation computes `vector` neighbouring elements of every result of
// one shape, pulling producers through TensorReader, and strides over the
// grid, so that 65535 workgroups (the guaranteed limit) serve any size.
//
//===----------------------------------------------------------------------===//

#include "Families.h"
#include "TensorReader.h"

using namespace mlir;
using namespace mlir::moe;

static constexpr int64_t maxWorkgroups = 65535;

LogicalResult moe::lowerElementwise(KernelOp kernel, ProgramBuilder &program) {
  ScheduleAttr schedule = *kernel.getSchedule();
  SymbolicDims &dims = program.dims();
  DispatchBuilder d(program, kernel.getLoc(), kernel.getName(),
                    schedule.getWorkgroup());
  KernelBuilder &b = d.kernel();
  TensorReader reader(d);
  if (failed(reader.bind(kernel)))
    return failure();

  Operation *yield = kernel.getBody().front().getTerminator();
  int64_t vector = schedule.getVector();
  int64_t workgroup = schedule.getWorkgroup();
  Value first = yield->getOperand(0);
  AffineExpr numElements = dims.getNumElements(first);
  AffineExpr bytes = dims.constant(0);
  SmallVector<KernelBuffer *> outputs;
  bool hasState = false;
  for (Value result : kernel.getResults()) {
    if (dims.getNumElements(result) != numElements)
      return kernel.emitOpError(
                 "expected elementwise results of one size, but got ")
             << first.getType() << " and " << result.getType();
    auto type = cast<RankedTensorType>(result.getType());
    if (vector > 1 &&
        (type.getRank() == 0 || type.isDynamicDim(type.getRank() - 1) ||
         type.getShape().back() % vector != 0))
      return kernel.emitOpError("expected rows of whole vectors of ")
             << vector << " elements, as its schedule says, but got " << type;
    bool isState = bool(kernel.getUpdatedInput(cast<OpResult>(result)));
    hasState |= isState;
    FailureOr<KernelBuffer *> buffer =
        isState ? d.update(result) : d.write(result);
    if (failed(buffer))
      return failure();
    outputs.push_back(*buffer);
    bytes = bytes + dims.getBytes(result);
  }
  for (BlockArgument argument : kernel.getBody().getArguments())
    if (isa<RankedTensorType>(argument.getType()))
      if (AffineExpr size = dims.getBytes(argument))
        bytes = bytes + size;

  // Of at most 2^31 elements, an index being 32 bits.
  int64_t turns =
      llvm::divideCeil(int64_t(1) << 31, vector * workgroup * maxWorkgroups);
  Value count = d.push(numElements.ceilDiv(vector));
  Value stride = b.mul(b.workgroupCount(), workgroup);
  bool bad = false;
  b.forLoop(
      b.globalId(), count, stride,
      [&](Value position) {
        SmallVector<Value> indices;
        SmallVector<AffineExpr> shape;
        // All elements are read before any is written: a result may take the
        // memory of an input.
        SmallVector<Value> elements;
        for (Value value : yield->getOperands()) {
          // Results of one size may differ in shape.
          if (SmallVector<AffineExpr> own = dims.getShape(value);
              indices.empty() || own != shape) {
            shape = own;
            indices = reader.delinearize(value, b.mul(position, vector));
            // A row holds whole vectors, so the last index counts in vectors
            // too.
            if (vector > 1)
              indices.back() = b.mul(b.div(indices.back(), vector), vector);
          }
          FailureOr<Value> element = reader.read(value, indices, vector);
          bad |= failed(element);
          if (failed(element))
            return;
          elements.push_back(reader.broadcast(*element, vector));
        }
        for (auto [element, output] : llvm::zip(elements, outputs))
          b.store(element, vector > 1 ? output->vectors : output->scalars,
                  position);
      },
      dims.constant(turns));
  if (bad)
    return failure();
  if (hasState && program.canFault())
    d.skipAfterFaults();
  d.setLabel(kernel.getName());
  d.setWork(nullptr, bytes);
  return d.dispatch({{numElements.ceilDiv(vector * workgroup),
                      dims.constant(maxWorkgroups)}});
}
