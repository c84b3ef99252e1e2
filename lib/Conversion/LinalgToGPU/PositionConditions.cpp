//===- PositionConditions.cpp - Positions that the host can check ---------===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// The third part of SymbolicDims: what a slice or an element needs to lie
// within its tensor, as far as its position follows from sizes. Along each
// dimension of n elements, a slice of s > 0 elements has its first at `start`
// and its last at start + (s - 1) * stride; both are in [0, n). One of no
// elements has none of them, but starts in [0, n] all the same.
//
// What is known when the program is compiled is an error there or nothing; the
// rest becomes conditions. Positions that do not follow from sizes are those of
// PositionChecks.cpp.
//
//===----------------------------------------------------------------------===//

#include "Positions.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::moe;

bool SymbolicDims::isNonNegative(AffineExpr expr) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return constant.getValue() >= 0;
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return true; // a size
  return isNonNegative(binary.getLHS()) && isNonNegative(binary.getRHS());
}

LogicalResult SymbolicDims::requireAtLeastZero(Operation *op,
                                               AffineExpr position,
                                               const Twine &what) {
  position = resolve(position);
  if (isNonNegative(position))
    return success();
  std::string name =
      (what + " of '" + op->getName().getStringRef() + "'").str();
  if (auto known = dyn_cast<AffineConstantExpr>(position))
    return op->emitOpError("expected ")
           << what.str() << " to be at least 0, but got " << known.getValue();
  addCondition(position, moe_rt::Relation::AtLeast, constant(0),
               describe(position) + ", " + name + ",");
  return success();
}

LogicalResult SymbolicDims::requireAtMost(Operation *op, AffineExpr position,
                                          AffineExpr limit, const Twine &what) {
  position = resolve(position);
  limit = resolve(limit);
  AffineExpr room = resolve(limit - position);
  if (isNonNegative(room))
    return success();
  std::string name =
      (what + " of '" + op->getName().getStringRef() + "'").str();
  if (isa<AffineConstantExpr>(room)) {
    auto got = dyn_cast<AffineConstantExpr>(position);
    return op->emitOpError("expected ")
           << what.str() << " to be at most " << describe(limit) << ", but got "
           << (got ? describe(got) : describe(position));
  }
  std::string origin =
      isa<AffineConstantExpr>(limit) ? "" : " (" + describe(limit) + ")";
  addCondition(position, moe_rt::Relation::AtMost, limit,
               describe(position) + ", " + name + "," + origin);
  return success();
}

std::optional<SlicePosition>
moe::getSlicePosition(SymbolicDims &dims, OffsetSizeAndStrideOpInterface slice,
                      Value tensor, unsigned dim) {
  AffineExpr start = dims.getIndex(slice.getMixedOffsets()[dim]),
             size = dims.getIndex(slice.getMixedSizes()[dim]),
             stride = dims.getIndex(slice.getMixedStrides()[dim]),
             total = dims.getDim(tensor, dim);
  // Their product would not be affine.
  if (!start || !size || !total || !stride ||
      !(isa<AffineConstantExpr>(stride) || isa<AffineConstantExpr>(size)))
    return std::nullopt;
  return SlicePosition{start, size, stride, total};
}

LogicalResult SymbolicDims::requireWithin(OffsetSizeAndStrideOpInterface slice,
                                          Value tensor) {
  for (unsigned dim = 0, e = slice.getMixedOffsets().size(); dim < e; ++dim) {
    std::string of = "dim " + std::to_string(dim);
    AffineExpr length = getIndex(slice.getMixedSizes()[dim]);
    if (length &&
        failed(requireAtLeastZero(slice, length, "the size of " + of)))
      return failure();
    std::optional<SlicePosition> position =
        getSlicePosition(*this, slice, tensor, dim);
    if (!position)
      continue;
    auto [start, size, stride, total] = *position;
    std::string first = "the start of " + of, end = "the end of " + of;
    if (failed(requireAtLeastZero(slice, start, first)))
      return failure();
    auto step = dyn_cast<AffineConstantExpr>(stride);
    auto count = dyn_cast<AffineConstantExpr>(size);
    AffineExpr last = start + (size - 1) * stride;
    // What is put in several times over in one place has no value there.
    if (isa<tensor::InsertSliceOp>(slice) && step && step.getValue() == 0 &&
        !(count && count.getValue() <= 1) &&
        failed(requireAtMost(slice, size, constant(1),
                             "the size of " + of + " with stride 0")))
      return failure();
    if (count && count.getValue() == 0) {
      if (failed(requireAtMost(slice, start, total, first)))
        return failure();
      continue;
    }
    if (step && step.getValue() > 0) {
      // With no elements, the start alone is bound.
      if (step.getValue() > 1 && !count &&
          failed(requireAtMost(slice, start, total, first)))
        return failure();
      if (failed(requireAtMost(slice, last + 1, total, end)))
        return failure();
      continue;
    }
    // Downwards, or either way. One more than the start, unless there are no
    // elements; their last position is then one step above the start.
    AffineExpr some = count ? constant(1) : size.ceilDiv(int64_t(1) << 31);
    if (failed(requireAtMost(slice, start + some, total, "the end of " + of)) ||
        failed(requireAtLeastZero(slice, last, "the last position of " + of)))
      return failure();
    if (!step && failed(requireAtMost(slice, last + 1, total, end)))
      return failure();
  }
  return success();
}

LogicalResult SymbolicDims::requireWithin(tensor::ExtractOp op) {
  if (isTrusted(op))
    return success();
  for (auto [dim, index] : llvm::enumerate(op.getIndices())) {
    AffineExpr position = getIndex(index), total = getDim(op.getTensor(), dim);
    std::string what = "index " + std::to_string(dim);
    if (position && total &&
        (failed(requireAtLeastZero(op, position, what)) ||
         failed(requireAtMost(op, position, total - 1, what))))
      return failure();
  }
  return success();
}

LogicalResult SymbolicDims::requirePositions(Operation *op) {
  // In the body of a structured op its loops decide; in a tile, its lowering.
  if (!isa<KernelOp, func::FuncOp>(op->getParentOp()))
    return success();
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](tensor::ExtractSliceOp slice) {
        return requireWithin(slice, slice.getSource());
      })
      .Case([&](tensor::InsertSliceOp slice) {
        return requireWithin(slice, slice.getDest());
      })
      .Case([&](tensor::ExtractOp extract) { return requireWithin(extract); })
      .Default(success());
}
