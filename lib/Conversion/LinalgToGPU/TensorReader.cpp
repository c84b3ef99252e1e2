//===- TensorReader.cpp - Reads elements of tensors in a kernel -----------===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "TensorReader.h"

#include "Positions.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace mlir::moe;

// What a kernel may be in size, far above what layers need: code that grows
// with each view of a view must end somewhere.
static constexpr unsigned maxDepth = 512;
static constexpr unsigned maxReads = 1 << 16;

bool moe::isMultipleOf4(Value index) {
  APInt value;
  if (matchPattern(index, m_ConstantInt(&value)))
    return value.getSExtValue() % 4 == 0;
  if (auto argument = dyn_cast<BlockArgument>(index)) {
    auto loop =
        dyn_cast_or_null<scf::ForOp>(argument.getOwner()->getParentOp());
    return loop && loop.getInductionVar() == index &&
           isMultipleOf4(loop.getLowerBound()) && isMultipleOf4(loop.getStep());
  }
  if (auto product = index.getDefiningOp<arith::MulIOp>())
    return isMultipleOf4(product.getLhs()) || isMultipleOf4(product.getRhs());
  if (auto sum = index.getDefiningOp<arith::AddIOp>())
    return isMultipleOf4(sum.getLhs()) && isMultipleOf4(sum.getRhs());
  if (auto least = index.getDefiningOp<arith::MinSIOp>())
    return isMultipleOf4(least.getLhs()) && isMultipleOf4(least.getRhs());
  return false;
}

LogicalResult TensorReader::bind(KernelOp kernelOp, bool readOnly) {
  for (BlockArgument argument : kernelOp.getBody().getArguments()) {
    if (!isa<RankedTensorType>(argument.getType()))
      continue;
    FailureOr<KernelBuffer *> buffer =
        kernelOp.isUpdated(argument.getArgNumber()) && !readOnly
            ? dispatch.update(argument)
            : dispatch.read(argument);
    if (failed(buffer))
      return failure();
    inputs[argument] = *buffer;
  }
  return success();
}

Value TensorReader::dim(Value tensor, unsigned dim) {
  AffineExpr size = dispatch.program().dims().getDim(tensor, dim);
  return size ? dispatch.push(size) : Value();
}

// The size of the last dimension; 1 when it is not known.
int64_t TensorReader::lastSize(Value tensor) {
  int64_t rank = cast<RankedTensorType>(tensor.getType()).getRank();
  if (rank == 0)
    return 1;
  auto size = dyn_cast_or_null<AffineConstantExpr>(
      dispatch.program().dims().getDim(tensor, rank - 1));
  return size ? size.getValue() : 1;
}

Value TensorReader::linearize(Value tensor, ArrayRef<Value> indices) {
  if (indices.empty())
    return kernel.idx(0);
  Value position = indices.front();
  for (unsigned d = 1; d < indices.size(); ++d)
    position = kernel.add(kernel.mul(position, dim(tensor, d)), indices[d]);
  return position;
}

SmallVector<Value> TensorReader::delinearize(Value tensor, Value position) {
  int64_t rank = cast<RankedTensorType>(tensor.getType()).getRank();
  SmallVector<Value> indices(rank);
  for (int64_t d = rank - 1; d > 0; --d) {
    Value size = dim(tensor, d);
    indices[d] = kernel.rem(position, size);
    position = kernel.div(position, size);
  }
  if (rank)
    indices[0] = position;
  return indices;
}

Value TensorReader::broadcast(Value value, int64_t width) {
  if (width == 1 || isa<VectorType>(value.getType()))
    return value;
  return vector::BroadcastOp::create(
      kernel, VectorType::get({width}, value.getType()), value);
}

FailureOr<Value> TensorReader::offset(OpFoldResult value, bool fits) {
  auto dynamic = dyn_cast<Value>(value);
  if (!dynamic)
    return kernel.idx(cast<IntegerAttr>(cast<Attribute>(value)).getInt());
  Computed computed;
  return offset(dynamic, fits, computed);
}

FailureOr<Value> TensorReader::offset(Value value, bool fits,
                                      Computed &computed) {
  if (fits && !mapping.contains(value))
    if (AffineExpr size = dims().getIndex(value))
      return dispatch.push(size);
  FailureOr<Value> result = scalar(value, computed);
  if (succeeded(result) && fits)
    return kernel.toNarrow(*result);
  return result;
}

// Elements that are not contiguous in memory, or not aligned: one by one.
FailureOr<Value> TensorReader::readElements(Value tensor,
                                            ArrayRef<Value> indices,
                                            int64_t width) {
  SmallVector<Value> elements, position(indices);
  for (int64_t i = 0; i < width; ++i) {
    position.back() = kernel.add(indices.back(), i);
    FailureOr<Value> element = read(tensor, position, 1);
    if (failed(element))
      return failure();
    elements.push_back(*element);
  }
  auto type = VectorType::get({width}, elements.front().getType());
  return Value(vector::FromElementsOp::create(kernel, type, elements));
}

FailureOr<Value> TensorReader::readInput(BlockArgument input,
                                         ArrayRef<Value> indices,
                                         int64_t width) {
  KernelBuffer *buffer = inputs.lookup(input);
  SmallVector<Value> position(indices);
  if (Value base = bases.lookup(input))
    position[0] = kernel.sub(position[0], base);
  if (width == 1)
    return kernel.load(buffer->scalars, linearize(input, position));
  int64_t last = lastSize(input);
  if (last % 4 != 0 || !isMultipleOf4(indices.back()))
    return readElements(input, indices, width);
  // Count in vectors, so that no division by 4 is left in the address.
  Value rows = kernel.idx(0);
  if (position.size() > 1) {
    ArrayRef<Value> outer = ArrayRef<Value>(position).drop_back();
    rows = outer.front();
    for (unsigned d = 1; d < outer.size(); ++d)
      rows = kernel.add(kernel.mul(rows, dim(input, d)), outer[d]);
    rows = kernel.mul(rows, last / 4);
  }
  return kernel.load(buffer->vectors,
                     kernel.add(rows, kernel.div(position.back(), 4)));
}

FailureOr<Value> TensorReader::readSlice(tensor::ExtractSliceOp op,
                                         ArrayRef<Value> indices,
                                         int64_t width) {
  llvm::SmallBitVector dropped = op.getDroppedDims();
  SmallVector<Value> source;
  unsigned next = 0;
  bool contiguous = true;
  llvm::SmallBitVector unproven(op.getSourceType().getRank());
  for (unsigned d = 0, rank = op.getSourceType().getRank(); d < rank; ++d) {
    unproven[d] = isCheckedOnDevice(dims(), op, op.getSource(), d);
    FailureOr<Value> start = offset(op.getMixedOffsets()[d], !unproven[d]);
    FailureOr<Value> stride = offset(op.getMixedStrides()[d], !unproven[d]);
    if (failed(start) || failed(stride))
      return failure();
    if (dropped.test(d)) {
      source.push_back(*start);
      contiguous &= d + 1 != rank; // consecutive elements lie elsewhere
      continue;
    }
    contiguous &= d + 1 != rank || matchPattern(*stride, m_One());
    Value index = indices[next++];
    kernel.matchWidths({&*start, &*stride, &index});
    source.push_back(kernel.add(*start, kernel.mul(index, *stride)));
  }
  if (width > 1 && (!contiguous || unproven.any()))
    return readElements(op.getResult(), indices, width);
  if (unproven.any())
    return readClamped(op.getSource(), source, unproven);
  return read(op.getSource(), source, width);
}

Value TensorReader::likeOthers(Value tensor, Value element) {
  return getElementTypeOrSelf(tensor.getType()).isIndex() &&
                 !fits32(indexRanges.get(tensor))
             ? kernel.toWide(element)
             : element;
}

FailureOr<Value> TensorReader::readClamped(Value tensor,
                                           ArrayRef<Value> indices,
                                           const llvm::SmallBitVector &unproven,
                                           int64_t width) {
  SmallVector<Value> safe(indices);
  Value some; // whether there is an element to read
  for (unsigned d : unproven.set_bits()) {
    Value size = dim(tensor, d);
    if (!size)
      return emitError(tensor.getLoc(), "expected a size that follows from the "
                                        "function's arguments along dim ")
             << d << ", where positions are computed, but got "
             << tensor.getType();
    Value end = size;
    kernel.matchWidths({&safe[d], &end});
    safe[d] = kernel.toNarrow(kernel.max(
        kernel.min(safe[d], kernel.sub(end, 1)), kernel.constantLike(end, 0)));
    if (matchPattern(size, m_Constant()) && !matchPattern(size, m_Zero()))
      continue;
    Value more = kernel.lt(kernel.idx(0), size);
    some = some ? kernel.logicalAnd(some, more) : more;
  }
  if (!some)
    return read(tensor, safe, width);
  bool bad = false;
  Type element = getElementTypeOrSelf(tensor.getType());
  auto zero = [&] {
    Value value =
        arith::ConstantOp::create(kernel, kernel.getZeroAttr(element));
    return broadcast(likeOthers(tensor, value), width);
  };
  Value result = kernel.ifElse(
      some,
      [&] {
        FailureOr<Value> value = read(tensor, safe, width);
        bad |= failed(value);
        if (bad)
          return SmallVector<Value>{zero()};
        return SmallVector<Value>{broadcast(likeOthers(tensor, *value), width)};
      },
      [&] { return SmallVector<Value>{zero()}; })[0];
  if (bad)
    return failure();
  return result;
}

// The inserted piece inside its box, the destination elsewhere.
FailureOr<Value> TensorReader::readInsert(tensor::InsertSliceOp op,
                                          ArrayRef<Value> indices,
                                          int64_t width) {
  if (width > 1)
    return readElements(op.getResult(), indices, width);
  llvm::SmallBitVector dropped = op.getDroppedDims();
  Value inside = kernel.boolean(true);
  SmallVector<Value> piece;
  for (unsigned d = 0, rank = op.getDestType().getRank(); d < rank; ++d) {
    bool fits = !isCheckedOnDevice(dims(), op, op.getDest(), d);
    FailureOr<Value> start = offset(op.getMixedOffsets()[d], fits);
    FailureOr<Value> size = offset(op.getMixedSizes()[d], /*fits=*/true);
    FailureOr<Value> stride = offset(op.getMixedStrides()[d], fits);
    if (failed(start) || failed(size) || failed(stride))
      return failure();
    // Steps are counted from the start on, in whichever direction.
    Value index = indices[d];
    kernel.matchWidths({&*start, &*size, &*stride, &index});
    Value zero = kernel.constantLike(index, 0);
    Value up = kernel.sub(index, *start), down = kernel.sub(*start, index);
    Value isUp = kernel.ge(*stride, zero);
    Value relative = kernel.select(isUp, up, down);
    inside = kernel.logicalAnd(inside, kernel.ge(relative, zero));
    Value position = relative;
    if (!matchPattern(*stride, m_One())) {
      // With stride 0 there is one element, which is the start.
      Value step =
          kernel.max(kernel.select(isUp, *stride, kernel.sub(zero, *stride)),
                     kernel.constantLike(index, 1));
      position = kernel.div(relative, step);
      Value rest = kernel.rem(relative, step);
      inside = kernel.logicalAnd(inside, kernel.eq(rest, zero));
    }
    inside = kernel.logicalAnd(inside, kernel.lt(position, *size));
    if (!dropped.test(d))
      piece.push_back(kernel.toNarrow(position));
  }
  bool failedBranch = false;
  auto branch = [&](Value tensor, ArrayRef<Value> at) {
    FailureOr<Value> value = read(tensor, at, 1);
    failedBranch |= failed(value);
    Value element =
        failed(value)
            ? Value(arith::ConstantOp::create(
                  kernel, kernel.getZeroAttr(op.getType().getElementType())))
            : *value;
    return SmallVector<Value>{likeOthers(op.getResult(), element)};
  };
  Value result = kernel.ifElse(
      inside, [&] { return branch(op.getSource(), piece); },
      [&] { return branch(op.getDest(), indices); })[0];
  if (failedBranch)
    return failure();
  return result;
}

// Reshapes keep the linear position.
FailureOr<Value> TensorReader::readReshaped(Value source, Value result,
                                            ArrayRef<Value> indices,
                                            int64_t width) {
  // Four aligned elements stay neighbours when both last dimensions hold
  // whole groups of four.
  if (width > 1 && (lastSize(source) % 4 != 0 || lastSize(result) % 4 != 0))
    return readElements(result, indices, width);
  for (Value tensor : {source, result})
    if (llvm::is_contained(dims().getShape(tensor), AffineExpr()))
      return emitError(result.getLoc(),
                       "expected a reshape of sizes that follow from the "
                       "function's arguments, but got ")
             << tensor.getType();
  SmallVector<Value> at = delinearize(source, linearize(result, indices));
  if (width > 1 && !at.empty()) // keep the alignment visible
    at.back() = kernel.mul(kernel.div(at.back(), 4), 4);
  return read(source, at, width);
}

FailureOr<Value> TensorReader::read(Value tensor, ArrayRef<Value> indices,
                                    int64_t width) {
  if (width > 1 && indices.empty())
    width = 1;
  if (auto provider = providers.find(tensor); provider != providers.end())
    return provider->second(indices, width);
  if (auto argument = dyn_cast<BlockArgument>(tensor)) {
    if (inputs.count(argument))
      return readInput(argument, indices, width);
    return emitError(tensor.getLoc(),
                     "expected a kernel input, but got another block argument");
  }
  // Each read of a view repeats those of its source.
  if (depth >= maxDepth || ++numReads > maxReads)
    return tensor.getDefiningOp()->emitOpError("expected at most ")
           << (depth >= maxDepth ? maxDepth : maxReads)
           << (depth >= maxDepth ? " views, each of the last one,"
                                 : " reads of views")
           << " in a kernel, but got more";
  llvm::SaveAndRestore deeper(depth, depth + 1);
  return readProduced(tensor, indices, width);
}

FailureOr<Value> TensorReader::readProduced(Value tensor,
                                            ArrayRef<Value> indices,
                                            int64_t width) {
  Operation *op = tensor.getDefiningOp();
  Type element = getElementTypeOrSelf(tensor.getType());
  if (!isa<RankedTensorType>(tensor.getType()) ||
      !element.isIntOrIndexOrFloat())
    return op->emitOpError("expected a ranked tensor of numbers in a kernel, "
                           "but got ")
           << tensor.getType();
  DenseElementsAttr splat;
  if (matchPattern(tensor, m_Constant(&splat)) && splat.isSplat()) {
    auto value = splat.getSplatValue<TypedAttr>();
    if (element.isIndex() && !fits32(indexRanges.get(tensor)))
      value = kernel.getI64IntegerAttr(cast<IntegerAttr>(value).getInt());
    return broadcast(arith::ConstantOp::create(kernel, value), width);
  }
  return TypeSwitch<Operation *, FailureOr<Value>>(op)
      .Case([&](linalg::GenericOp generic) {
        return readGeneric(generic, cast<OpResult>(tensor), indices, width);
      })
      .Case([&](linalg::FillOp fill) -> FailureOr<Value> {
        FailureOr<Value> value = scalar(fill.getInputs()[0]);
        if (failed(value))
          return failure();
        return broadcast(*value, width);
      })
      .Case([&](tensor::SplatOp op) -> FailureOr<Value> {
        FailureOr<Value> value = scalar(op.getInput());
        if (failed(value))
          return failure();
        return broadcast(*value, width);
      })
      .Case([&](tensor::EmptyOp) -> FailureOr<Value> {
        return broadcast(
            arith::ConstantOp::create(kernel, kernel.getZeroAttr(element)),
            width);
      })
      .Case([&](tensor::CastOp op) {
        return read(op.getSource(), indices, width);
      })
      .Case([&](tensor::ExtractSliceOp op) {
        return readSlice(op, indices, width);
      })
      .Case([&](tensor::InsertSliceOp op) {
        return readInsert(op, indices, width);
      })
      .Case([&](tensor::ExpandShapeOp op) {
        return readReshaped(op.getSrc(), tensor, indices, width);
      })
      .Case([&](tensor::CollapseShapeOp op) {
        return readReshaped(op.getSrc(), tensor, indices, width);
      })
      .Default([&](Operation *op) -> FailureOr<Value> {
        return op->emitOpError("cannot be computed inside another kernel");
      });
}

FailureOr<Value> TensorReader::readGeneric(linalg::GenericOp op,
                                           OpResult result,
                                           ArrayRef<Value> indices,
                                           int64_t width) {
  AffineMap map = op.getIndexingMapMatchingResult(result);
  if (op.getNumParallelLoops() != op.getNumLoops() || !map.isPermutation())
    return op.emitOpError(
        "cannot be computed inside another kernel: it is not elementwise");
  SmallVector<Value> loops(op.getNumLoops());
  for (auto [dim, expr] : llvm::enumerate(map.getResults()))
    loops[cast<AffineDimExpr>(expr).getPosition()] = indices[dim];
  int vectorLoop =
      width > 1 ? cast<AffineDimExpr>(map.getResults().back()).getPosition()
                : -1;
  SmallVector<Value> outputs;
  for (OpOperand &init : op.getDpsInitsMutable()) {
    BlockArgument argument = op.getMatchingBlockArgument(&init);
    if (argument.use_empty()) {
      outputs.push_back(nullptr);
      continue;
    }
    AffineMap initMap = op.getMatchingIndexingMap(&init);
    if (initMap != map)
      return op.emitOpError("cannot be computed inside another kernel: its "
                            "inits differ in layout");
    FailureOr<Value> value = read(init.get(), indices, width);
    if (failed(value))
      return failure();
    outputs.push_back(*value);
  }
  FailureOr<SmallVector<Value>> values =
      emitBody(op, loops, vectorLoop, width, outputs);
  if (failed(values))
    return failure();
  return broadcast((*values)[result.getResultNumber()], width);
}
