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

#include "AffineIndices.h"
#include "Positions.h"
#include "ScalarOps.h"
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
        vectorLoop(vectorLoop), width(width) {
    for (unsigned loop = 0; loop < loops.size(); ++loop)
      ranges.push_back(reader.ranges().getLoop(op, loop));
  }

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
  SmallVector<Value> elementwise(Operation &inner,
                                 ArrayRef<BodyValue> operands);
  FailureOr<Value> extract(tensor::ExtractOp extract,
                           ArrayRef<BodyValue> operands);

  TensorReader &reader;
  KernelBuilder &kernel;
  linalg::GenericOp op;
  ArrayRef<Value> loops;
  int vectorLoop;
  int64_t width;
  SmallVector<ConstantIntRanges> ranges; ///< of the loops
  DenseMap<Value, BodyValue> values;
};
} // namespace

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

// An index expression of an operand's map, which is in range.
BodyValue BodyEmitter::index(AffineExpr expr) {
  if (vectorLoop < 0 || !expr.isFunctionOfDim(vectorLoop))
    return {AffineEmitter(kernel, loops, ranges).emitPosition(expr)};
  if (isa<AffineDimExpr>(expr))
    return {loops[vectorLoop], /*neighbours=*/true};
  SmallVector<Value> elements, shifted(loops);
  for (int64_t i = 0; i < width; ++i) {
    shifted[vectorLoop] = kernel.add(loops[vectorLoop], i);
    elements.push_back(
        AffineEmitter(kernel, shifted, ranges).emitPosition(expr));
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
    elements.push_back(reader.applyAffine(apply, plain));
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
SmallVector<Value> BodyEmitter::elementwise(Operation &inner,
                                            ArrayRef<BodyValue> operands) {
  bool vectors = anyVaries(operands);
  SmallVector<Value> values;
  for (const BodyValue &operand : operands)
    values.push_back(vectors ? reader.broadcast(expand(operand), width)
                             : operand.value);
  return emitScalarOp(kernel, reader.ranges(), inner, values,
                      vectors ? width : 0);
}

FailureOr<Value> BodyEmitter::extract(tensor::ExtractOp extract,
                                      ArrayRef<BodyValue> operands) {
  if (extract.getIndices().empty())
    return reader.read(extract.getTensor(), {}, 1);
  llvm::SmallBitVector clamped = getClamped(reader.dims(), extract);
  SmallVector<BodyValue> at(operands.drop_front());
  for (auto [dim, index] : llvm::enumerate(at))
    if (!clamped.test(dim))
      index.value = kernel.toNarrow(index.value);
  return gather(extract.getTensor(), at, clamped);
}

// What a kernel computes with, as a value or four of them in a vector.
static bool isScalar(Type type) { return type.isIntOrIndexOrFloat(); }

LogicalResult BodyEmitter::emitOp(Operation &inner) {
  for (Type type : inner.getResultTypes())
    if (!isScalar(type))
      return inner.emitOpError("expected integers, indices or floats in the "
                               "body of a kernel, but got ")
             << type;
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
  // Constants have often lost their own locations: their readers are checked.
  bool constant = inner.hasTrait<OpTrait::ConstantLike>();
  if (!constant && failed(reader.checkWidth(&inner)))
    return failure();
  if (auto op = dyn_cast<tensor::ExtractOp>(inner)) {
    FailureOr<Value> value = extract(op, operands);
    if (succeeded(value))
      values[op] = {*value};
    return success(succeeded(value));
  }
  if (auto op = dyn_cast<affine::AffineApplyOp>(inner)) {
    values[op] = {apply(op, operands)};
    return success();
  }
  // A uniform offset leaves neighbours neighbours.
  if (isa<arith::AddIOp>(inner) && reader.ranges().fits(&inner) &&
      operands[0].neighbours != operands[1].neighbours &&
      !operands[0].isVector() && !operands[1].isVector()) {
    values[inner.getResult(0)] = {
        kernel.add(operands[0].value, operands[1].value), true};
    return success();
  }
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

LogicalResult TensorReader::checkWidth(Operation *op) {
  return moe::checkWidth(op, indexRanges, dispatch.program().hasInt64());
}

Value TensorReader::applyAffine(affine::AffineApplyOp apply,
                                ArrayRef<Value> operands) {
  // In a tile everything fits, and nothing is negative.
  SmallVector<ConstantIntRanges> ranges(
      operands.size(), ConstantIntRanges::constant(APInt(64, 0)));
  if (!apply->getParentOfType<scf::ForallOp>())
    for (auto [range, operand] : llvm::zip(ranges, apply.getMapOperands()))
      range = indexRanges.get(operand);
  return AffineEmitter(kernel, operands, ranges).emit(getFlatExpr(apply));
}

// An index that follows from sizes.
FailureOr<Value> TensorReader::size(Value value, AffineExpr size) {
  if (fits32(indexRanges.get(size)))
    return dispatch.push(size);
  while (auto argument = dyn_cast<BlockArgument>(value))
    value = cast<KernelOp>(argument.getOwner()->getParentOp())
                .getInputs()[argument.getArgNumber()];
  // Constants have often lost their own locations: their readers are checked.
  if (!isa<AffineConstantExpr>(size) &&
      failed(checkWidth(value.getDefiningOp())))
    return failure();
  return dispatch.pushWide(size);
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
    if (AffineExpr size = dims().getIndex(value))
      return this->size(value, size);
  Operation *op = value.getDefiningOp();
  if (!op)
    return emitError(value.getLoc(),
                     "expected a tensor or a size as kernel input, but got ")
           << value.getType();
  constexpr unsigned maxScalars = 2000;
  if (scalarDepth == maxScalars)
    return op->emitOpError("expected at most ")
           << maxScalars
           << " scalars in a kernel, each of the last one, but got more";
  llvm::SaveAndRestore deeper(scalarDepth, scalarDepth + 1);
  if (auto extract = dyn_cast<tensor::ExtractOp>(op)) {
    llvm::SmallBitVector clamped = getClamped(dims(), extract);
    SmallVector<Value> at;
    for (auto [dim, index] : llvm::enumerate(extract.getIndices())) {
      FailureOr<Value> position = offset(index, !clamped.test(dim), computed);
      if (failed(position))
        return failure();
      at.push_back(*position);
    }
    FailureOr<Value> element =
        clamped.any() ? readClamped(extract.getTensor(), at, clamped)
                      : read(extract.getTensor(), at, 1);
    if (succeeded(element))
      computed[value] = *element;
    return element;
  }
  SmallVector<Value> operands;
  for (Value operand : op->getOperands()) {
    FailureOr<Value> mapped = isa<RankedTensorType>(operand.getType())
                                  ? FailureOr<Value>(operand)
                                  : scalar(operand, computed);
    if (failed(mapped))
      return failure();
    operands.push_back(*mapped);
  }
  bool constant = op->hasTrait<OpTrait::ConstantLike>();
  if (!constant && failed(checkWidth(op)))
    return failure();
  if (auto apply = dyn_cast<affine::AffineApplyOp>(op))
    return computed[value] = applyAffine(apply, operands);
  if (!isScalar(value.getType()) ||
      (!constant && !OpTrait::hasElementwiseMappableTraits(op)))
    return op->emitOpError("is not supported in a kernel");
  unsigned number = cast<OpResult>(value).getResultNumber();
  return computed[value] =
             emitScalarOp(kernel, indexRanges, *op, operands)[number];
}
