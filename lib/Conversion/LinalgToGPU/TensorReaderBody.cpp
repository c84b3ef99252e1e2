//===- TensorReaderBody.cpp - Emits the bodies of linalg.generic ----------===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "TensorReader.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Affine/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::moe;

namespace {
/// A value of the body. `lanes` marks the bare index of the vector loop: its
/// elements are value, value + 1, …, and it becomes a vector only when needed.
struct BodyValue {
  Value value;
  bool lanes = false;
};
} // namespace

// An affine expression of loop indices, as device code.
static Value emitAffine(KernelBuilder &kernel, AffineExpr expr, ArrayRef<Value> dims) {
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return dims[dim.getPosition()];
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return kernel.idx(constant.getValue());
  auto binary = cast<AffineBinaryOpExpr>(expr);
  Value left = emitAffine(kernel, binary.getLHS(), dims);
  Value right = emitAffine(kernel, binary.getRHS(), dims);
  switch (expr.getKind()) {
  case AffineExprKind::Add: return kernel.add(left, right);
  case AffineExprKind::Mul: return kernel.mul(left, right);
  case AffineExprKind::Mod: return kernel.rem(left, right);
  case AffineExprKind::FloorDiv: return kernel.div(left, right);
  default: return kernel.div(kernel.sub(kernel.add(left, right), 1), right);
  }
}

FailureOr<SmallVector<Value>>
TensorReader::emitBody(linalg::GenericOp op, ArrayRef<Value> loops, int vectorLoop,
                       int64_t width, ArrayRef<Value> outputs) {
  DenseMap<Value, BodyValue> local;
  auto lookup = [&](Value value) -> FailureOr<BodyValue> {
    auto found = local.find(value);
    if (found != local.end())
      return found->second;
    FailureOr<Value> outer = scalar(value); // captured from outside
    if (failed(outer))
      return failure();
    return BodyValue{*outer, false};
  };
  // A bare lane index as a real vector of indices.
  auto expand = [&](BodyValue value) -> Value {
    if (!value.lanes)
      return value.value;
    SmallVector<Value> lanes;
    for (int64_t i = 0; i < width; ++i)
      lanes.push_back(kernel.add(value.value, i));
    return vector::FromElementsOp::create(kernel, VectorType::get({width}, kernel.getIndexType()), lanes);
  };
  // Elements of `tensor` at indices of which some may differ by lane.
  auto gather = [&](Value tensor, ArrayRef<BodyValue> at) -> FailureOr<Value> {
    SmallVector<Value> indices;
    for (BodyValue index : at)
      indices.push_back(index.value);
    auto varies = [](BodyValue v) { return v.lanes || isa<VectorType>(v.value.getType()); };
    if (llvm::none_of(at, varies))
      return read(tensor, indices, 1);
    if (at.back().lanes && llvm::none_of(at.drop_back(), varies))
      return read(tensor, indices, width);
    SmallVector<Value> elements, expanded;
    for (BodyValue index : at)
      expanded.push_back(expand(index));
    for (int64_t i = 0; i < width; ++i) {
      for (auto [index, all] : llvm::zip(indices, expanded))
        index = isa<VectorType>(all.getType())
                    ? Value(vector::ExtractOp::create(kernel, all, i))
                    : all;
      FailureOr<Value> element = read(tensor, indices, 1);
      if (failed(element))
        return failure();
      elements.push_back(*element);
    }
    return Value(vector::FromElementsOp::create(
        kernel, VectorType::get({width}, elements.front().getType()), elements));
  };

  // Inputs.
  for (OpOperand *operand : op.getDpsInputOperands()) {
    BlockArgument argument = op.getMatchingBlockArgument(operand);
    if (argument.use_empty())
      continue;
    if (!isa<RankedTensorType>(operand->get().getType())) {
      FailureOr<Value> value = scalar(operand->get());
      if (failed(value))
        return failure();
      local[argument] = {*value, false};
      continue;
    }
    SmallVector<BodyValue> at;
    for (AffineExpr expr : op.getMatchingIndexingMap(operand).getResults()) {
      bool bare = isa<AffineDimExpr>(expr) && vectorLoop >= 0 &&
                  static_cast<int>(cast<AffineDimExpr>(expr).getPosition()) == vectorLoop;
      if (!bare && vectorLoop >= 0 && expr.isFunctionOfDim(vectorLoop)) {
        SmallVector<Value> lanes, shifted(loops);
        for (int64_t i = 0; i < width; ++i) {
          shifted[vectorLoop] = kernel.add(loops[vectorLoop], i);
          lanes.push_back(emitAffine(kernel, expr, shifted));
        }
        at.push_back({vector::FromElementsOp::create(
                          kernel, VectorType::get({width}, kernel.getIndexType()), lanes),
                      false});
        continue;
      }
      at.push_back({emitAffine(kernel, expr, loops), bare});
    }
    FailureOr<Value> value = gather(operand->get(), at);
    if (failed(value))
      return failure();
    local[argument] = {*value, false};
  }
  for (auto [argument, value] : llvm::zip(op.getRegionOutputArgs(), outputs))
    if (value)
      local[argument] = {value, false};

  // The body itself.
  for (Operation &inner : op.getBody()->without_terminator()) {
    if (auto index = dyn_cast<linalg::IndexOp>(inner)) {
      local[index] = {loops[index.getDim()], static_cast<int>(index.getDim()) == vectorLoop};
      continue;
    }
    SmallVector<BodyValue> operands;
    for (Value operand : inner.getOperands()) {
      if (isa<RankedTensorType>(operand.getType())) {
        operands.push_back({operand, false});
        continue;
      }
      FailureOr<BodyValue> value = lookup(operand);
      if (failed(value))
        return failure();
      operands.push_back(*value);
    }
    if (auto extract = dyn_cast<tensor::ExtractOp>(inner)) {
      FailureOr<Value> value = gather(extract.getTensor(), ArrayRef(operands).drop_front());
      if (failed(value))
        return failure();
      local[extract] = {*value, false};
      continue;
    }
    // A uniform offset leaves neighbouring elements neighbours.
    if (isa<arith::AddIOp>(inner) && operands[0].lanes != operands[1].lanes &&
        llvm::none_of(operands, [](BodyValue v) { return isa<VectorType>(v.value.getType()); })) {
      local[inner.getResult(0)] = {kernel.add(operands[0].value, operands[1].value), true};
      continue;
    }
    if (auto apply = dyn_cast<affine::AffineApplyOp>(inner)) {
      SmallVector<Value> plain;
      for (BodyValue v : operands)
        plain.push_back(v.value);
      if (llvm::any_of(operands, [](BodyValue v) { return v.lanes || isa<VectorType>(v.value.getType()); }))
        return inner.emitOpError("cannot be computed for several elements at once");
      AffineMap map = apply.getAffineMap();
      AffineExpr expr = map.getResult(0);
      for (unsigned s = 0; s < map.getNumSymbols(); ++s) // symbols follow the dims
        expr = expr.replace(getAffineSymbolExpr(s, op.getContext()),
                            getAffineDimExpr(map.getNumDims() + s, op.getContext()));
      local[apply] = {emitAffine(kernel, expr, plain), false};
      continue;
    }
    if (!OpTrait::hasElementwiseMappableTraits(&inner) && inner.getNumOperands() != 0)
      return inner.emitOpError("is not supported in the body of a kernel");
    bool vectors = llvm::any_of(
        operands, [](BodyValue v) { return v.lanes || isa<VectorType>(v.value.getType()); });
    OperationState state(inner.getLoc(), inner.getName());
    for (BodyValue operand : operands)
      state.addOperands(vectors ? broadcast(expand(operand), width) : operand.value);
    for (Type type : inner.getResultTypes())
      state.addTypes(vectors ? Type(VectorType::get({width}, type)) : type);
    state.addAttributes(inner.getAttrs());
    if (auto properties = inner.getPropertiesAsAttribute())
      state.propertiesAttr = properties;
    Operation *copy = kernel.create(state);
    for (auto [from, to] : llvm::zip(inner.getResults(), copy->getResults()))
      local[from] = {to, false};
  }

  SmallVector<Value> results;
  for (Value value : op.getBody()->getTerminator()->getOperands()) {
    FailureOr<BodyValue> result = lookup(value);
    if (failed(result))
      return failure();
    results.push_back(expand(*result));
  }
  return results;
}

FailureOr<Value> TensorReader::scalar(Value value) {
  if (Value known = mapping.lookup(value))
    return known;
  if (value.getType().isIndex())
    if (AffineExpr size = dispatch.program().dims().getIndex(value))
      return dispatch.push(size);
  Operation *op = value.getDefiningOp();
  if (!op)
    return emitError(value.getLoc(), "expected a value computed in the kernel, but got a block argument");
  if (op->hasTrait<OpTrait::ConstantLike>()) {
    Operation *copy = kernel.clone(*op);
    return copy->getResult(0);
  }
  SmallVector<Value> operands;
  for (Value operand : op->getOperands()) {
    if (isa<RankedTensorType>(operand.getType())) {
      operands.push_back(operand);
      continue;
    }
    FailureOr<Value> mapped = scalar(operand);
    if (failed(mapped))
      return failure();
    operands.push_back(*mapped);
  }
  FailureOr<Value> result = failure();
  if (auto extract = dyn_cast<tensor::ExtractOp>(op)) {
    result = read(extract.getTensor(), ArrayRef(operands).drop_front(), 1);
  } else if (auto apply = dyn_cast<affine::AffineApplyOp>(op)) {
    AffineMap map = apply.getAffineMap();
    AffineExpr expr = map.getResult(0);
    for (unsigned s = 0; s < map.getNumSymbols(); ++s)
      expr = expr.replace(getAffineSymbolExpr(s, op->getContext()),
                          getAffineDimExpr(map.getNumDims() + s, op->getContext()));
    result = emitAffine(kernel, expr, operands);
  } else if (OpTrait::hasElementwiseMappableTraits(op)) {
    IRMapping map;
    map.map(op->getOperands(), operands);
    result = kernel.clone(*op, map)->getResult(0);
  } else {
    return op->emitOpError("is not supported in a kernel");
  }
  return result;
}
