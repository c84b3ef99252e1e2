//===- Positions.cpp - Who checks the positions an op computes ------------===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// In the body of a structured op, an index that is affine in loops and sizes
// has a lowest and a highest value, which are expressions of sizes. Where both
// are in range whatever the sizes are, nothing need be checked. Loops are
// symbols of these expressions, sizes are dims.
//
//===----------------------------------------------------------------------===//

#include "Positions.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "moe/Conversion/GenericBuilder.h"

using namespace mlir;
using namespace mlir::moe;

bool moe::isTrusted(tensor::ExtractOp op) {
  // Tiles are made by the lowering of a product, from a table.
  return op->hasAttr(inRangeAttrName) || op->hasAttr(inRangeOrEmptyAttrName) ||
         op->getParentOfType<scf::ForallOp>();
}

llvm::SmallBitVector moe::getClamped(SymbolicDims &dims, tensor::ExtractOp op) {
  if (!op->hasAttr(inRangeOrEmptyAttrName))
    return getUnproven(dims, op);
  llvm::SmallBitVector clamped(op.getIndices().size());
  for (unsigned dim = 0; dim < clamped.size(); ++dim) {
    auto size =
        dyn_cast_or_null<AffineConstantExpr>(dims.getDim(op.getTensor(), dim));
    clamped[dim] = !size || size.getValue() == 0;
  }
  return clamped;
}

SmallVector<AffineExpr> moe::getLoopSizes(SymbolicDims &dims,
                                          linalg::GenericOp op) {
  SmallVector<AffineExpr> sizes(op.getNumLoops());
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<RankedTensorType>(operand.get().getType()))
      continue;
    AffineMap map = op.getMatchingIndexingMap(&operand);
    for (auto [dim, expr] : llvm::enumerate(map.getResults()))
      if (auto loop = dyn_cast<AffineDimExpr>(expr))
        if (AffineExpr &size = sizes[loop.getPosition()]; !size)
          size = dims.getDim(operand.get(), dim);
  }
  return sizes;
}

// `index` by loops and sizes, or null.
static AffineExpr getExpr(SymbolicDims &dims, Value index, Block *body) {
  MLIRContext *context = dims.getContext();
  Operation *op = index.getDefiningOp();
  if (!op || op->getBlock() != body)
    return dims.getIndex(index);
  if (auto loop = dyn_cast<linalg::IndexOp>(op))
    return getAffineSymbolExpr(loop.getDim(), context);
  auto both = [&](auto combine) -> AffineExpr {
    AffineExpr left = getExpr(dims, op->getOperand(0), body),
               right = getExpr(dims, op->getOperand(1), body);
    return left && right ? combine(left, right) : nullptr;
  };
  if (isa<arith::AddIOp>(op))
    return both([](AffineExpr a, AffineExpr b) { return a + b; });
  if (isa<arith::SubIOp>(op))
    return both([](AffineExpr a, AffineExpr b) { return a - b; });
  if (isa<arith::MulIOp>(op))
    return both([](AffineExpr a, AffineExpr b) {
      return isa<AffineConstantExpr>(a) || isa<AffineConstantExpr>(b)
                 ? a * b
                 : AffineExpr();
    });
  if (auto apply = dyn_cast<affine::AffineApplyOp>(op)) {
    SmallVector<AffineExpr> operands;
    for (Value operand : apply.getMapOperands()) {
      operands.push_back(getExpr(dims, operand, body));
      if (!operands.back())
        return nullptr;
    }
    AffineMap map = apply.getAffineMap();
    ArrayRef<AffineExpr> all(operands);
    return map.getResult(0).replaceDimsAndSymbols(
        all.take_front(map.getNumDims()), all.drop_front(map.getNumDims()));
  }
  return dims.getIndex(index); // a constant
}

// The lowest or highest value of `expr` over the loops; null if unknown.
static AffineExpr getBound(AffineExpr expr, bool highest,
                           ArrayRef<AffineExpr> loops) {
  MLIRContext *context = expr.getContext();
  if (auto loop = dyn_cast<AffineSymbolExpr>(expr)) {
    AffineExpr size = loops[loop.getPosition()];
    if (!highest || !size)
      return highest ? AffineExpr() : getAffineConstantExpr(0, context);
    return size - 1;
  }
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return expr;
  AffineExpr left = binary.getLHS(), right = binary.getRHS();
  if (expr.getKind() == AffineExprKind::Add) {
    left = getBound(left, highest, loops);
    right = getBound(right, highest, loops);
    return left && right ? left + right : AffineExpr();
  }
  auto factor = dyn_cast<AffineConstantExpr>(right);
  if (!factor) { // of sizes alone, or nothing that is known
    bool hasLoop = false;
    expr.walk([&](AffineExpr part) { hasLoop |= isa<AffineSymbolExpr>(part); });
    return hasLoop ? AffineExpr() : expr;
  }
  int64_t value = factor.getValue();
  if (expr.getKind() == AffineExprKind::Mul) {
    left = getBound(left, value >= 0 ? highest : !highest, loops);
    return left ? left * value : AffineExpr();
  }
  if (value <= 0)
    return nullptr;
  // What is divided must not be negative: the device divides unsigned numbers.
  AffineExpr low = getBound(left, false, loops);
  auto lowest = dyn_cast_or_null<AffineConstantExpr>(low);
  if (!lowest || lowest.getValue() < 0)
    return nullptr;
  if (expr.getKind() == AffineExprKind::Mod)
    return getAffineConstantExpr(highest ? value - 1 : 0, context);
  left = getBound(left, highest, loops);
  if (!left)
    return nullptr;
  return expr.getKind() == AffineExprKind::FloorDiv ? left.floorDiv(value)
                                                    : left.ceilDiv(value);
}

llvm::SmallBitVector moe::getUnproven(SymbolicDims &dims,
                                      tensor::ExtractOp op) {
  llvm::SmallBitVector unproven(op.getIndices().size());
  if (isTrusted(op))
    return unproven;
  auto generic = dyn_cast<linalg::GenericOp>(op->getParentOp());
  SmallVector<AffineExpr> loops;
  if (generic)
    loops = getLoopSizes(dims, generic);
  for (auto [dim, index] : llvm::enumerate(op.getIndices())) {
    AffineExpr size = dims.getDim(op.getTensor(), dim);
    if (!generic) { // asserted on the host where it follows from sizes
      unproven[dim] = !size || !dims.getIndex(index);
      continue;
    }
    unproven.set(dim);
    AffineExpr expr = getExpr(dims, index, op->getBlock());
    if (!expr || !size)
      continue;
    expr = simplifyAffineExpr(expr, dims.getSymbols().size(), loops.size());
    AffineExpr low = getBound(expr, false, loops),
               high = getBound(expr, true, loops);
    if (!low || !high)
      continue;
    auto isZeroOrMore = [&](AffineExpr value) {
      return dims.isNonNegative(
          simplifyAffineExpr(value, dims.getSymbols().size(), 0));
    };
    if (isZeroOrMore(low) && isZeroOrMore(size - 1 - high))
      unproven.reset(dim);
  }
  return unproven;
}
