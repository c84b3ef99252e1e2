//===- ScalarOps.cpp - Scalar ops of tensor code as device code -----------===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "ScalarOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::moe;

static std::string describe(const ConstantIntRanges &range) {
  return "[" + std::to_string(range.smin().getSExtValue()) + ", " +
         std::to_string(range.smax().getSExtValue()) + "]";
}

LogicalResult moe::checkWidth(Operation *op, IndexRanges &ranges,
                              bool hasInt64) {
  if (hasInt64)
    return success();
  SmallVector<Value> values(op->getResults());
  llvm::append_range(values, op->getOperands());
  for (Value value : values)
    if (auto type =
            dyn_cast<IntegerType>(getElementTypeOrSelf(value.getType()));
        type && type.getWidth() > 32)
      return op->emitOpError("expected integers of at most 32 bits on a target "
                             "without shaderInt64, but got ")
             << type;
  if (ranges.fits(op))
    return success();
  for (Value value : values)
    if (value.getType().isIndex() && !fits32(ranges.get(value)))
      return op->emitOpError("expected indices of 32 bits on a target without "
                             "shaderInt64, but got one in ")
             << describe(ranges.get(value));
  return op->emitOpError("expected the same result in 32 bits as in 64 on a "
                         "target without shaderInt64, but got another");
}

// `type`, or vectors of it.
static Type repeat(Type type, int64_t width) {
  return width ? Type(VectorType::get({width}, type)) : type;
}

// A cast between an integer and an index. To fewer than 32 bits it goes by an
// i32: upstream takes an index that comes back from there for what it was. Null
// where it stays as it is.
static Value emitIndexCast(KernelBuilder &kernel, Operation &op, Value operand,
                           int64_t width, bool wide) {
  Type from = op.getOperand(0).getType(), to = op.getResult(0).getType();
  if (!to.isIndex() && to.getIntOrFloatBitWidth() < 32 && !wide)
    operand = kernel.createOrFold<arith::IndexCastOp>(
        repeat(kernel.getI32Type(), width), operand);
  else if (!wide)
    return nullptr;
  else if ((to.isIndex() ? from : to).isInteger(64))
    return kernel.toWide(operand);
  Type type = repeat(to.isIndex() ? kernel.getI64Type() : to, width);
  if (!to.isIndex())
    return arith::TruncIOp::create(kernel, type, kernel.toWide(operand));
  if (isa<arith::IndexCastUIOp>(op))
    return arith::ExtUIOp::create(kernel, type, operand);
  return arith::ExtSIOp::create(kernel, type, operand);
}

static SmallVector<Value> emit(KernelBuilder &kernel, Operation &op,
                               ArrayRef<Value> operands, int64_t width,
                               bool wide) {
  if (auto constant = dyn_cast<arith::ConstantOp>(op); constant && wide) {
    int64_t value = cast<IntegerAttr>(constant.getValue()).getInt();
    return {arith::ConstantOp::create(kernel, kernel.getI64IntegerAttr(value))};
  }
  OperationState state(op.getLoc(), op.getName());
  for (Value operand : operands)
    state.addOperands(wide ? kernel.toWide(operand) : operand);
  for (Type type : op.getResultTypes())
    state.addTypes(
        repeat(wide && type.isIndex() ? kernel.getI64Type() : type, width));
  state.addAttributes(op.getAttrs());
  if (Attribute properties = op.getPropertiesAsAttribute())
    state.propertiesAttr = properties;
  return llvm::to_vector_of<Value>(kernel.create(state)->getResults());
}

SmallVector<Value> moe::emitScalarOp(KernelBuilder &kernel, IndexRanges &ranges,
                                     Operation &op, ArrayRef<Value> operands,
                                     int64_t width) {
  bool wide = !ranges.fits(&op);
  Value cast;
  if (isa<arith::IndexCastOp, arith::IndexCastUIOp>(op))
    cast = emitIndexCast(kernel, op, operands.front(), width, wide);
  SmallVector<Value> values =
      cast ? SmallVector<Value>{cast} : emit(kernel, op, operands, width, wide);
  for (auto [value, result] : llvm::zip_equal(values, op.getResults()))
    if (result.getType().isIndex() && fits32(ranges.get(result)))
      value = kernel.toNarrow(value);
  return values;
}
