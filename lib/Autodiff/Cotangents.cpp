//===- Cotangents.cpp - Gradients on their way backward -------------------===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "moe/Autodiff/Cotangents.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/RegionUtils.h"
#include "moe/Autodiff/DerivativeInterface.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::moe;

bool moe::isDifferentiable(Type type) {
  return isa<FloatType>(getElementTypeOrSelf(type)) &&
         (isa<FloatType>(type) || isa<RankedTensorType>(type));
}

Value moe::constantLike(OpBuilder &builder, Location loc, Value like,
                        double number) {
  Type element = getElementTypeOrSelf(like.getType());
  TypedAttr attr = isa<FloatType>(element)
                       ? TypedAttr(builder.getFloatAttr(element, number))
                       : builder.getIntegerAttr(element, number);
  auto type = dyn_cast<RankedTensorType>(like.getType());
  if (!type)
    return arith::ConstantOp::create(builder, loc, attr);
  if (type.hasStaticShape())
    return arith::ConstantOp::create(builder, loc,
                                     DenseElementsAttr::get(type, attr));
  Value scalar = arith::ConstantOp::create(builder, loc, attr);
  SmallVector<Value> sizes;
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    if (type.isDynamicDim(dim))
      sizes.push_back(tensor::DimOp::create(builder, loc, like, dim));
  return tensor::SplatOp::create(builder, loc, scalar, type, sizes);
}

Value moe::castElements(OpBuilder &builder, Location loc, Value value,
                        Type element) {
  Type from = getElementTypeOrSelf(value.getType());
  if (from == element)
    return value;
  auto withElement = [&](Type e) {
    auto tensor = dyn_cast<RankedTensorType>(value.getType());
    return tensor ? Type(tensor.clone(e)) : e;
  };
  unsigned have = from.getIntOrFloatBitWidth();
  unsigned want = element.getIntOrFloatBitWidth();
  if (have < want)
    return arith::ExtFOp::create(builder, loc, withElement(element), value);
  if (have == want) // f16 and bf16
    value = arith::ExtFOp::create(builder, loc,
                                  withElement(builder.getF32Type()), value);
  return arith::TruncFOp::create(builder, loc, withElement(element), value);
}

void Cotangents::add(Value primal, Value gradient) {
  if (!gradient || !wants(primal))
    return;
  if (auto type = dyn_cast<RankedTensorType>(primal.getType())) {
    Type element = getElementTypeOrSelf(gradient.getType());
    if (type.clone(element) != gradient.getType())
      gradient = tensor::CastOp::create(builder, gradient.getLoc(),
                                        type.clone(element), gradient);
  }
  parts[primal].push_back(gradient);
}

Value Cotangents::sum(Value value) {
  auto found = parts.find(value);
  if (found == parts.end())
    return nullptr;
  SmallVector<Value, 1> &gradients = found->second;
  if (gradients.size() == 1)
    return gradients.front();

  // Added up in the widest type there is, at least f32; kept that wide if one
  // of the gradients was.
  Type own = getElementTypeOrSelf(value.getType());
  auto wider = [](Type a, Type b) {
    return a.getIntOrFloatBitWidth() >= b.getIntOrFloatBitWidth() ? a : b;
  };
  Type kept = own;
  for (Value gradient : gradients)
    kept = wider(kept, getElementTypeOrSelf(gradient.getType()));
  Type summed = wider(kept, builder.getF32Type());
  Value total;
  for (Value gradient : gradients) {
    Location loc = gradient.getLoc();
    Value term = castElements(builder, loc, gradient, summed);
    total =
        total ? Value(arith::AddFOp::create(builder, loc, total, term)) : term;
  }
  gradients.assign(1, castElements(builder, total.getLoc(), total, kept));
  return gradients.front();
}

Value Cotangents::of(Value result) {
  Value total = sum(result);
  if (!total)
    return nullptr;
  return castElements(builder, total.getLoc(), total,
                      getElementTypeOrSelf(result.getType()));
}

Value Cotangents::ofOrZero(Value result) {
  if (Value total = of(result))
    return total;
  return constantLike(builder, result.getLoc(), result, 0.0);
}

// The operands of an op and what its regions read from above.
static llvm::SetVector<Value> inputsOf(Operation *op) {
  llvm::SetVector<Value> inputs(op->operand_begin(), op->operand_end());
  getUsedValuesDefinedAbove(op->getRegions(), inputs);
  return inputs;
}

void Cotangents::propagate(Operation *op) {
  SmallVector<Value> inputs =
      llvm::filter_to_vector(inputsOf(op), [&](Value v) { return wants(v); });
  if (inputs.empty())
    return;
  // Bits of a float may become one again, or a number, by which it is an op
  // without a rule; comparisons and positions are steps.
  bool bits = isa<arith::BitcastOp, tensor::BitcastOp>(op) ||
              llvm::any_of(inputs, [](Value v) {
                return !isDifferentiable(v.getType());
              });
  auto holdsBits = [](Type type) {
    auto integer = dyn_cast<IntegerType>(getElementTypeOrSelf(type));
    return integer && integer.getWidth() > 1;
  };
  for (Value result : op->getResults())
    if (isDifferentiable(result.getType()) ||
        (bits && holdsBits(result.getType())))
      activate(result);
}

LogicalResult Cotangents::visit(Operation *op) {
  bool reached = llvm::any_of(op->getResults(),
                              [&](Value v) { return parts.contains(v); });
  if (!reached ||
      llvm::none_of(inputsOf(op), [&](Value v) { return wants(v); }))
    return success();
  if (auto rule = dyn_cast<DifferentiableOpInterface>(op))
    return rule.buildVJP(builder, *this);
  if (op->getNumRegions())
    return op->emitOpError("is not differentiable yet: expected an op with a "
                           "derivative rule, but got control flow: write a "
                           "choice as arith.select, a loop as ops on tensors "
                           "or a reduction of linalg");
  InFlightDiagnostic error =
      op->emitOpError("expected an op with a derivative rule "
                      "(DifferentiableOpInterface), but got one without");
  error.attachNote() << "a rule is added by implementing the interface, or by "
                        "attaching an external model to '"
                     << op->getName()
                     << "' as the functions of moe/Autodiff/Rules.h do";
  return error;
}

LogicalResult Cotangents::through(
    Operation *op,
    function_ref<FailureOr<SmallVector<Value>>(OpBuilder &)> decompose) {
  Block *block = builder.getInsertionBlock();
  Block::iterator end = builder.getInsertionPoint();
  Operation *before = end == block->begin() ? nullptr : &*std::prev(end);
  FailureOr<SmallVector<Value>> values = decompose(builder);
  if (failed(values))
    return failure();
  SmallVector<Operation *> ops;
  for (auto it = before ? std::next(before->getIterator()) : block->begin();
       it != end; ++it)
    ops.push_back(&*it);

  Cotangents inner(builder, save);
  llvm::SetVector<Value> inputs = inputsOf(op);
  for (Value input : inputs)
    if (wants(input))
      inner.activate(input);
  for (Operation *part : ops)
    inner.propagate(part);
  for (auto [result, value] : llvm::zip_equal(op->getResults(), *values))
    inner.add(value, of(result));
  for (Operation *part : llvm::reverse(ops))
    if (failed(inner.visit(part)))
      return failure();
  for (Value input : inputs)
    add(input, inner.sum(input));
  return success();
}
