//===- TensorReaderBody.cpp - Emits the bodies of linalg.generic ----------===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// A body is emitted for one element, or for `width` elements that follow each
// other along one loop. Values that are the same for all of them stay scalars;
// the others are vectors. Indices along that loop are kept as their first
// element for as long as they only get uniform offsets, so that reads through
// them stay reads of neighbours.
//
//===----------------------------------------------------------------------===//

#include "Positions.h"
#include "TensorReader.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace mlir::moe;

namespace {
/// A value of the body. With `neighbours`, `value` is the first of `width`
/// consecutive indices.
struct BodyValue {
  Value value;
  bool neighbours = false;

  bool isVector() const { return isa<VectorType>(value.getType()); }
  bool varies() const { return neighbours || isVector(); }
};

bool anyVaries(ArrayRef<BodyValue> values) {
  return llvm::any_of(values, [](const BodyValue &v) { return v.varies(); });
}

class BodyEmitter {
public:
  BodyEmitter(TensorReader &reader, KernelBuilder &kernel, linalg::GenericOp op,
              ArrayRef<Value> loops, int vectorLoop, int64_t width)
      : reader(reader), kernel(kernel), op(op), loops(loops),
        vectorLoop(vectorLoop), width(width) {}

  FailureOr<SmallVector<Value>> emit(ArrayRef<Value> outputs);
  FailureOr<SmallVector<Value>> emitValues(ValueRange wanted);

private:
  LogicalResult emitInput(OpOperand *operand);
  LogicalResult emitOp(Operation &inner);
  FailureOr<BodyValue> lookup(Value value);
  FailureOr<Value> gather(Value tensor, ArrayRef<BodyValue> at,
                          const llvm::SmallBitVector &unproven = {});
  FailureOr<Value> gatherEach(Value tensor, ArrayRef<BodyValue> at,
                              const llvm::SmallBitVector &unproven);
  BodyValue index(AffineExpr expr);
  Value apply(affine::AffineApplyOp apply, ArrayRef<BodyValue> operands);
  Value expand(const BodyValue &value);
  ValueRange elementwise(Operation &inner, ArrayRef<BodyValue> operands);

  TensorReader &reader;
  KernelBuilder &kernel;
  linalg::GenericOp op;
  ArrayRef<Value> loops;
  int vectorLoop;
  int64_t width;
  DenseMap<Value, BodyValue> values;
};
} // namespace

// A kernel computes indices in 32 bits: a constant that is wider is an error at
// the op that reads it, and never cut. Constants have often lost their own
// locations.
static LogicalResult checkIndexOperands(Operation &op) {
  for (Value operand : op.getOperands()) {
    APInt constant;
    if (operand.getType().isIndex() &&
        matchPattern(operand, m_ConstantInt(&constant)) &&
        !constant.isSignedIntN(32))
      return op.emitOpError("expected its indices in a kernel to fit 32 bits, "
                            "but got ")
             << constant.getSExtValue();
  }
  return success();
}

// An affine expression of loop indices, as device code.
static Value emitAffine(KernelBuilder &kernel, AffineExpr expr,
                        ArrayRef<Value> dims) {
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return dims[dim.getPosition()];
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return kernel.idx(constant.getValue());
  auto binary = cast<AffineBinaryOpExpr>(expr);
  Value left = emitAffine(kernel, binary.getLHS(), dims);
  Value right = emitAffine(kernel, binary.getRHS(), dims);
  switch (expr.getKind()) {
  case AffineExprKind::Add:
    return kernel.add(left, right);
  case AffineExprKind::Mul:
    return kernel.mul(left, right);
  case AffineExprKind::Mod:
    return kernel.rem(left, right);
  case AffineExprKind::FloorDiv:
    return kernel.div(left, right);
  default:
    return kernel.div(kernel.sub(kernel.add(left, right), 1), right);
  }
}

// affine.apply; its symbols follow its dims among the operands.
static Value emitApply(KernelBuilder &kernel, affine::AffineApplyOp apply,
                       ArrayRef<Value> operands) {
  AffineMap map = apply.getAffineMap();
  MLIRContext *context = apply.getContext();
  AffineExpr expr = map.getResult(0);
  for (unsigned symbol = 0; symbol < map.getNumSymbols(); ++symbol)
    expr = expr.replace(getAffineSymbolExpr(symbol, context),
                        getAffineDimExpr(map.getNumDims() + symbol, context));
  return emitAffine(kernel, expr, operands);
}

static Value fromElements(KernelBuilder &kernel, ArrayRef<Value> elements) {
  auto type = VectorType::get({static_cast<int64_t>(elements.size())},
                              elements.front().getType());
  return vector::FromElementsOp::create(kernel, type, elements);
}

FailureOr<BodyValue> BodyEmitter::lookup(Value value) {
  auto found = values.find(value);
  if (found != values.end())
    return found->second;
  FailureOr<Value> captured = reader.scalar(value);
  if (failed(captured))
    return failure();
  return BodyValue{*captured};
}

// The value with all its elements.
Value BodyEmitter::expand(const BodyValue &value) {
  if (!value.neighbours)
    return value.value;
  SmallVector<Value> elements;
  for (int64_t i = 0; i < width; ++i)
    elements.push_back(kernel.add(value.value, i));
  return fromElements(kernel, elements);
}

// An index expression of an operand's map.
BodyValue BodyEmitter::index(AffineExpr expr) {
  if (vectorLoop < 0 || !expr.isFunctionOfDim(vectorLoop))
    return {emitAffine(kernel, expr, loops)};
  if (isa<AffineDimExpr>(expr))
    return {loops[vectorLoop], /*neighbours=*/true};
  SmallVector<Value> elements, shifted(loops);
  for (int64_t i = 0; i < width; ++i) {
    shifted[vectorLoop] = kernel.add(loops[vectorLoop], i);
    elements.push_back(emitAffine(kernel, expr, shifted));
  }
  return {fromElements(kernel, elements)};
}

// An index expression in the body: once, or for each element.
Value BodyEmitter::apply(affine::AffineApplyOp apply,
                         ArrayRef<BodyValue> operands) {
  SmallVector<Value> expanded, elements;
  for (const BodyValue &operand : operands)
    expanded.push_back(expand(operand));
  for (int64_t i = 0, e = anyVaries(operands) ? width : 1; i < e; ++i) {
    SmallVector<Value> plain;
    for (Value operand : expanded)
      plain.push_back(isa<VectorType>(operand.getType())
                          ? Value(vector::ExtractOp::create(kernel, operand, i))
                          : operand);
    elements.push_back(emitApply(kernel, apply, plain));
  }
  return elements.size() == 1 ? elements.front()
                              : fromElements(kernel, elements);
}

// Elements of `tensor`: one, neighbours, or any. Positions in `unproven` may be
// out of range.
FailureOr<Value> BodyEmitter::gather(Value tensor, ArrayRef<BodyValue> at,
                                     const llvm::SmallBitVector &unproven) {
  SmallVector<Value> indices;
  for (const BodyValue &index : at)
    indices.push_back(index.value);
  if (!anyVaries(at))
    return unproven.any() ? reader.readClamped(tensor, indices, unproven)
                          : reader.read(tensor, indices, 1);
  if (at.back().neighbours && !anyVaries(at.drop_back()) &&
      !(unproven.any() && unproven.test(at.size() - 1)))
    return unproven.any() ? reader.readClamped(tensor, indices, unproven, width)
                          : reader.read(tensor, indices, width);
  return gatherEach(tensor, at, unproven);
}

FailureOr<Value> BodyEmitter::gatherEach(Value tensor, ArrayRef<BodyValue> at,
                                         const llvm::SmallBitVector &unproven) {
  SmallVector<Value> elements, expanded;
  for (const BodyValue &index : at)
    expanded.push_back(expand(index));
  for (int64_t i = 0; i < width; ++i) {
    SmallVector<Value> indices;
    for (Value index : expanded)
      indices.push_back(isa<VectorType>(index.getType())
                            ? Value(vector::ExtractOp::create(kernel, index, i))
                            : index);
    FailureOr<Value> element =
        unproven.any() ? reader.readClamped(tensor, indices, unproven)
                       : reader.read(tensor, indices, 1);
    if (failed(element))
      return failure();
    elements.push_back(*element);
  }
  return fromElements(kernel, elements);
}

LogicalResult BodyEmitter::emitInput(OpOperand *operand) {
  BlockArgument argument = op.getMatchingBlockArgument(operand);
  if (argument.use_empty())
    return success();
  if (!isa<RankedTensorType>(operand->get().getType())) {
    FailureOr<Value> value = reader.scalar(operand->get());
    if (succeeded(value))
      values[argument] = {*value};
    return success(succeeded(value));
  }
  SmallVector<BodyValue> at;
  for (AffineExpr expr : op.getMatchingIndexingMap(operand).getResults())
    at.push_back(index(expr));
  FailureOr<Value> value = gather(operand->get(), at);
  if (succeeded(value))
    values[argument] = {*value};
  return success(succeeded(value));
}

// A scalar op for all elements at once: on vectors when an operand is one.
ValueRange BodyEmitter::elementwise(Operation &inner,
                                    ArrayRef<BodyValue> operands) {
  bool vectors = anyVaries(operands);
  OperationState state(inner.getLoc(), inner.getName());
  for (const BodyValue &operand : operands)
    state.addOperands(vectors ? reader.broadcast(expand(operand), width)
                              : operand.value);
  for (Type type : inner.getResultTypes())
    state.addTypes(vectors ? Type(VectorType::get({width}, type)) : type);
  state.addAttributes(inner.getAttrs());
  if (Attribute properties = inner.getPropertiesAsAttribute())
    state.propertiesAttr = properties;
  return kernel.create(state)->getResults();
}

// What a kernel computes with, as a value or four of them in a vector.
static bool isScalar(Type type) { return type.isIntOrIndexOrFloat(); }

LogicalResult BodyEmitter::emitOp(Operation &inner) {
  for (Type type : inner.getResultTypes())
    if (!isScalar(type))
      return inner.emitOpError("expected integers, indices or floats in the "
                               "body of a kernel, but got ")
             << type;
  if (failed(checkIndexOperands(inner)))
    return failure();
  if (auto index = dyn_cast<linalg::IndexOp>(inner)) {
    bool neighbours = static_cast<int>(index.getDim()) == vectorLoop;
    values[index] = {loops[index.getDim()], neighbours};
    return success();
  }
  SmallVector<BodyValue> operands;
  for (Value operand : inner.getOperands()) {
    if (isa<RankedTensorType>(operand.getType())) {
      operands.push_back({operand});
      continue;
    }
    FailureOr<BodyValue> value = lookup(operand);
    if (failed(value))
      return failure();
    operands.push_back(*value);
  }
  if (auto extract = dyn_cast<tensor::ExtractOp>(inner)) {
    FailureOr<Value> value =
        extract.getIndices().empty()
            ? reader.read(extract.getTensor(), {}, 1)
            : gather(extract.getTensor(), ArrayRef(operands).drop_front(),
                     getClamped(reader.dims(), extract));
    if (succeeded(value))
      values[extract] = {*value};
    return success(succeeded(value));
  }
  if (auto op = dyn_cast<affine::AffineApplyOp>(inner)) {
    values[op] = {apply(op, operands)};
    return success();
  }
  // A uniform offset leaves neighbours neighbours.
  if (isa<arith::AddIOp>(inner) &&
      operands[0].neighbours != operands[1].neighbours &&
      !operands[0].isVector() && !operands[1].isVector()) {
    values[inner.getResult(0)] = {
        kernel.add(operands[0].value, operands[1].value), true};
    return success();
  }
  bool constant = inner.hasTrait<OpTrait::ConstantLike>();
  if (!constant && !OpTrait::hasElementwiseMappableTraits(&inner))
    return inner.emitOpError("is not supported in the body of a kernel");
  for (auto [result, value] :
       llvm::zip_equal(inner.getResults(), elementwise(inner, operands)))
    values[result] = {value};
  return success();
}

FailureOr<SmallVector<Value>> BodyEmitter::emit(ArrayRef<Value> outputs) {
  for (OpOperand *operand : op.getDpsInputOperands())
    if (failed(emitInput(operand)))
      return failure();
  for (auto [argument, value] : llvm::zip(op.getRegionOutputArgs(), outputs))
    if (value)
      values[argument] = {value};
  for (Operation &inner : op.getBody()->without_terminator())
    if (failed(emitOp(inner)))
      return failure();
  SmallVector<Value> results;
  for (Value value : op.getBody()->getTerminator()->getOperands()) {
    FailureOr<BodyValue> result = lookup(value);
    if (failed(result))
      return failure();
    results.push_back(expand(*result));
  }
  return results;
}

// What `wanted` follows from, in the order of the body.
FailureOr<SmallVector<Value>> BodyEmitter::emitValues(ValueRange wanted) {
  llvm::SmallPtrSet<Operation *, 8> needed;
  llvm::SmallPtrSet<Value, 4> arguments;
  SmallVector<Value> pending(wanted);
  while (!pending.empty()) {
    Value value = pending.pop_back_val();
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      if (argument.getOwner() == op.getBody())
        arguments.insert(argument);
      continue;
    }
    Operation *producer = value.getDefiningOp();
    if (producer->getBlock() == op.getBody() && needed.insert(producer).second)
      llvm::append_range(pending, producer->getOperands());
  }
  for (OpOperand &operand : op->getOpOperands()) {
    if (!arguments.contains(op.getMatchingBlockArgument(&operand)))
      continue;
    if (op.isDpsInit(&operand) && op.getNumReductionLoops())
      return op.emitOpError("expected positions that do not follow from the "
                            "sum so far, but got one that does");
    if (failed(emitInput(&operand)))
      return failure();
  }
  for (Operation &inner : op.getBody()->without_terminator())
    if (needed.contains(&inner) && failed(emitOp(inner)))
      return failure();
  SmallVector<Value> results;
  for (Value value : wanted) {
    FailureOr<BodyValue> result = lookup(value);
    if (failed(result))
      return failure();
    results.push_back(result->value);
  }
  return results;
}

FailureOr<SmallVector<Value>>
TensorReader::emitBodyValues(linalg::GenericOp op, ArrayRef<Value> loops,
                             ValueRange wanted) {
  return BodyEmitter(*this, kernel, op, loops, -1, 1).emitValues(wanted);
}

FailureOr<SmallVector<Value>>
TensorReader::emitBody(linalg::GenericOp op, ArrayRef<Value> loops,
                       int vectorLoop, int64_t width, ArrayRef<Value> outputs) {
  return BodyEmitter(*this, kernel, op, loops, vectorLoop, width).emit(outputs);
}

FailureOr<Value> TensorReader::scalar(Value value) {
  Computed computed;
  return scalar(value, computed);
}

// Each value once, however many of the others follow from it.
FailureOr<Value> TensorReader::scalar(Value value, Computed &computed) {
  if (Value known = computed.lookup(value))
    return known;
  if (Value known = mapping.lookup(value))
    return known;
  if (value.getType().isIndex())
    if (AffineExpr size = dispatch.program().dims().getIndex(value))
      return dispatch.push(size);
  Operation *op = value.getDefiningOp();
  if (!op)
    return emitError(value.getLoc(),
                     "expected a tensor or a size as kernel input, but got ")
           << value.getType();
  if (op->hasTrait<OpTrait::ConstantLike>() && isScalar(value.getType()))
    return kernel.clone(*op)->getResult(0);
  if (failed(checkIndexOperands(*op)))
    return failure();
  constexpr unsigned maxScalars = 2000;
  if (scalarDepth == maxScalars)
    return op->emitOpError("expected at most ")
           << maxScalars
           << " scalars in a kernel, each of the last one, but got more";
  llvm::SaveAndRestore deeper(scalarDepth, scalarDepth + 1);
  SmallVector<Value> operands;
  for (Value operand : op->getOperands()) {
    FailureOr<Value> mapped = isa<RankedTensorType>(operand.getType())
                                  ? FailureOr<Value>(operand)
                                  : scalar(operand, computed);
    if (failed(mapped))
      return failure();
    operands.push_back(*mapped);
  }
  if (auto extract = dyn_cast<tensor::ExtractOp>(op)) {
    auto at = ArrayRef(operands).drop_front();
    llvm::SmallBitVector unproven = getClamped(dims(), extract);
    FailureOr<Value> element =
        unproven.any() ? readClamped(extract.getTensor(), at, unproven)
                       : read(extract.getTensor(), at, 1);
    if (succeeded(element))
      computed[value] = *element;
    return element;
  }
  if (auto apply = dyn_cast<affine::AffineApplyOp>(op))
    return computed[value] = emitApply(kernel, apply, operands);
  if (!isScalar(value.getType()) || !OpTrait::hasElementwiseMappableTraits(op))
    return op->emitOpError("is not supported in a kernel");
  IRMapping map;
  map.map(op->getOperands(), operands);
  unsigned number = cast<OpResult>(value).getResultNumber();
  return computed[value] = kernel.clone(*op, map)->getResult(number);
}
