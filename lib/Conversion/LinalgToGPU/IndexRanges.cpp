//===- IndexRanges.cpp - What the integers of a kernel can be -------------===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "IndexRanges.h"

#include "AffineIndices.h"
#include "Positions.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/Utils/InferIntRangeCommon.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace mlir::moe;

static constexpr unsigned indexBits = IndexType::kInternalStorageBitWidth;

static ConstantIntRanges fromTo(int64_t low, int64_t high) {
  return ConstantIntRanges::fromSigned(APInt(indexBits, low, true),
                                       APInt(indexBits, high, true));
}
// All that `type` holds.
static ConstantIntRanges anyOf(Type type) {
  return ConstantIntRanges::maxRange(
      ConstantIntRanges::getStorageBitwidth(getElementTypeOrSelf(type)));
}

bool moe::fits32(const ConstantIntRanges &range) {
  return range.smin().isSignedIntN(32) && range.smax().isSignedIntN(32);
}

// A divisor is positive: an affine expression means nothing otherwise.
static ConstantIntRanges positive(const ConstantIntRanges &range) {
  APInt one(indexBits, 1);
  return ConstantIntRanges::fromSigned(llvm::APIntOps::smax(range.smin(), one),
                                       llvm::APIntOps::smax(range.smax(), one));
}

ConstantIntRanges moe::getRange(AffineExpr expr,
                                ArrayRef<ConstantIntRanges> dims) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return fromTo(constant.getValue(), constant.getValue());
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return dims[dim.getPosition()];
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary) // a symbol
    return ConstantIntRanges::maxRange(indexBits);
  SmallVector<ConstantIntRanges, 2> sides{getRange(binary.getLHS(), dims),
                                          getRange(binary.getRHS(), dims)};
  if (expr.getKind() == AffineExprKind::Add)
    return intrange::inferAdd(sides);
  if (expr.getKind() == AffineExprKind::Mul)
    return intrange::inferMul(sides);
  sides[1] = positive(sides[1]);
  if (expr.getKind() == AffineExprKind::FloorDiv)
    return intrange::inferFloorDivS(sides);
  if (expr.getKind() == AffineExprKind::CeilDiv)
    return intrange::inferCeilDivS(sides);
  if (!sides[0].smin().isNegative())
    return intrange::inferRemU(sides);
  return ConstantIntRanges::fromSigned(APInt::getZero(indexBits),
                                       sides[1].smax() - 1);
}

ConstantIntRanges IndexRanges::get(AffineExpr size) {
  SmallVector<ConstantIntRanges> sizes;
  for (unsigned symbol = 0; symbol < dims.getSymbols().size(); ++symbol)
    sizes.push_back(size.isFunctionOfDim(symbol)
                        ? fromTo(0, dims.getLargestSize(symbol))
                        : fromTo(0, 0));
  return getRange(size, sizes);
}

ConstantIntRanges IndexRanges::getLoop(linalg::GenericOp op, unsigned loop) {
  int64_t last = std::numeric_limits<int32_t>::max();
  if (AffineExpr size = getLoopSizes(dims, op)[loop]) {
    APInt most = get(size).smax() - 1;
    if (most.slt(last))
      last = most.getSExtValue();
  }
  return fromTo(0, std::max<int64_t>(last, 0));
}

// Of the elements of a tensor of index, which no buffer holds.
ConstantIntRanges IndexRanges::computeElements(Value tensor) {
  Operation *op = tensor.getDefiningOp();
  ConstantIntRanges any = anyOf(tensor.getType());
  DenseElementsAttr splat;
  if (!op)
    return any;
  if (matchPattern(tensor, m_Constant(&splat)))
    return splat.isSplat()
               ? ConstantIntRanges::constant(splat.getSplatValue<APInt>())
               : any;
  return llvm::TypeSwitch<Operation *, ConstantIntRanges>(op)
      .Case([&](linalg::GenericOp generic) {
        return get(generic.getBody()->getTerminator()->getOperand(
            cast<OpResult>(tensor).getResultNumber()));
      })
      .Case([&](linalg::FillOp fill) { return get(fill.getInputs()[0]); })
      .Case([&](tensor::SplatOp op) { return get(op.getInput()); })
      .Case([&](tensor::EmptyOp) { return fromTo(0, 0); }) // read as zeros
      .Case([&](tensor::InsertSliceOp insert) {
        return get(insert.getSource()).rangeUnion(get(insert.getDest()));
      })
      .Case<tensor::CastOp, tensor::ExtractSliceOp, tensor::ExpandShapeOp,
            tensor::CollapseShapeOp>(
          [&](Operation *view) { return get(view->getOperand(0)); })
      .Default([&](Operation *) { return any; });
}

ConstantIntRanges IndexRanges::computeArgument(BlockArgument argument) {
  auto op = dyn_cast<linalg::GenericOp>(argument.getOwner()->getParentOp());
  if (!op || (op.getNumReductionLoops() &&
              argument.getArgNumber() >= op.getNumDpsInputs()))
    return anyOf(argument.getType());
  return get(op.getMatchingOpOperand(argument)->get());
}

// What a division bounds even where its divisor can be anything.
static ConstantIntRanges boundByDividend(Operation *op,
                                         ArrayRef<ConstantIntRanges> operands,
                                         const ConstantIntRanges &range) {
  if (!isa<arith::DivSIOp, arith::CeilDivSIOp, arith::FloorDivSIOp,
           arith::RemSIOp>(op) ||
      operands[0].smin().isMinSignedValue())
    return range;
  const APInt &low = operands[0].smin(), &high = operands[0].smax();
  APInt zero = APInt::getZero(low.getBitWidth());
  APInt most = llvm::APIntOps::smax(low.abs(), high.abs());
  auto bound =
      isa<arith::RemSIOp>(op)
          ? ConstantIntRanges::fromSigned(llvm::APIntOps::smin(low, zero),
                                          llvm::APIntOps::smax(high, zero))
          : ConstantIntRanges::fromSigned(-most, most);
  return range.intersection(bound);
}

ConstantIntRanges IndexRanges::compute(Value value) {
  if (isa<RankedTensorType>(value.getType()))
    return getElementTypeOrSelf(value.getType()).isIndex()
               ? computeElements(value)
               : anyOf(value.getType());
  if (value.getType().isIndex())
    if (AffineExpr size = dims.getIndex(value))
      return get(size);
  if (auto argument = dyn_cast<BlockArgument>(value))
    return computeArgument(argument);
  Operation *op = value.getDefiningOp();
  if (auto index = dyn_cast<linalg::IndexOp>(op))
    return getLoop(cast<linalg::GenericOp>(op->getParentOp()), index.getDim());
  SmallVector<ConstantIntRanges> operands;
  for (Value operand : op->getOperands())
    operands.push_back(isa<TensorType>(operand.getType())
                           ? ConstantIntRanges::maxRange(0)
                           : get(operand));
  if (auto apply = dyn_cast<affine::AffineApplyOp>(op))
    return getRange(getFlatExpr(apply), operands);
  ConstantIntRanges range = anyOf(value.getType());
  if (auto inferable = dyn_cast<InferIntRangeInterface>(op))
    if (op->getDialect()->getNamespace() == "arith")
      inferable.inferResultRanges(
          operands, [&](Value result, const ConstantIntRanges &found) {
            if (result == value)
              range = found;
          });
  return boundByDividend(op, operands, range);
}

ConstantIntRanges IndexRanges::get(Value value) {
  if (auto found = known.find(value); found != known.end())
    return found->second;
  // What is further away may be anything.
  constexpr unsigned maxDepth = 500;
  llvm::SaveAndRestore deeper(depth, depth + 1);
  ConstantIntRanges range =
      depth > maxDepth ? anyOf(value.getType()) : compute(value);
  known.insert({value, range});
  return range;
}

bool IndexRanges::fits(Operation *op) {
  // Tiles are made by the lowering of a product, for what buffers hold.
  if (op->getParentOfType<scf::ForallOp>())
    return true;
  auto isIndex = [](Value value) { return value.getType().isIndex(); };
  auto isTooWide = [&](Value value) {
    return isIndex(value) && !fits32(get(value));
  };
  if (llvm::any_of(op->getOperands(), isTooWide) ||
      llvm::any_of(op->getResults(), isTooWide))
    return false;
  if (auto apply = dyn_cast<affine::AffineApplyOp>(op)) {
    SmallVector<ConstantIntRanges> operands;
    for (Value operand : op->getOperands())
      operands.push_back(get(operand));
    return !AffineEmitter::needsWide(getFlatExpr(apply), operands,
                                     /*isPosition=*/false);
  }
  // Numbers without a sign differ in the upper half where one is negative.
  if (isa<arith::DivUIOp, arith::CeilDivUIOp, arith::RemUIOp, arith::ShRUIOp>(
          op) ||
      (isa<arith::IndexCastUIOp>(op) &&
       op->getResult(0).getType().isInteger(64)))
    for (Value operand : op->getOperands())
      if (isIndex(operand) && get(operand).smin().isNegative())
        return false;
  // What is shifted out of 32 bits is still in 64.
  if (isa<arith::ShLIOp, arith::ShRSIOp, arith::ShRUIOp>(op) &&
      isIndex(op->getOperand(0)))
    return get(op->getOperand(1)).umax().ult(32);
  return true;
}
