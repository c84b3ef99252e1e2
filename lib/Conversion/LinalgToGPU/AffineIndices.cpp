//===- AffineIndices.cpp - Affine expressions as device code --------------===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "AffineIndices.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::moe;

AffineExpr moe::getFlatExpr(affine::AffineApplyOp apply) {
  AffineMap map = apply.getAffineMap();
  MLIRContext *context = apply.getContext();
  AffineExpr expr = map.getResult(0);
  for (unsigned symbol = 0; symbol < map.getNumSymbols(); ++symbol)
    expr = expr.replace(getAffineSymbolExpr(symbol, context),
                        getAffineDimExpr(map.getNumDims() + symbol, context));
  return expr;
}

static bool isSum(AffineExpr expr) {
  return expr.getKind() == AffineExprKind::Add ||
         expr.getKind() == AffineExprKind::Mul;
}

// Whether a node and what it follows from fit 32 bits.
static bool fitsNode(AffineBinaryOpExpr expr,
                     ArrayRef<ConstantIntRanges> ranges) {
  return fits32(getRange(expr.getLHS(), ranges)) &&
         fits32(getRange(expr.getRHS(), ranges)) &&
         fits32(getRange(expr, ranges));
}

bool AffineEmitter::needsWide(AffineExpr expr,
                              ArrayRef<ConstantIntRanges> ranges,
                              bool isPosition) {
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return !isPosition && !fits32(getRange(expr, ranges));
  bool mayWrap = isPosition && isSum(expr);
  return (!mayWrap && !fitsNode(binary, ranges)) ||
         needsWide(binary.getLHS(), ranges, mayWrap) ||
         needsWide(binary.getRHS(), ranges, mayWrap);
}

// Numbers without a sign divide faster, so they do where none is negative.
Value AffineEmitter::divide(AffineBinaryOpExpr expr, Value left, Value right) {
  ConstantIntRanges dividend = getRange(expr.getLHS(), ranges),
                    divisor = getRange(expr.getRHS(), ranges);
  bool natural = !dividend.smin().isNegative() && !divisor.smin().isNegative();
  switch (expr.getKind()) {
  case AffineExprKind::Mod: {
    if (natural)
      return kernel.rem(left, right);
    Value rest = kernel.createOrFold<arith::RemSIOp>(left, right);
    Value zero = arith::ConstantOp::create(
        kernel, kernel.getIntegerAttr(rest.getType(), 0));
    return kernel.select(kernel.lt(rest, zero), kernel.add(rest, right), rest);
  }
  case AffineExprKind::FloorDiv:
    return natural ? kernel.div(left, right)
                   : kernel.createOrFold<arith::FloorDivSIOp>(left, right);
  default:
    bool overflow = false;
    APInt most = dividend.smax().sadd_ov(divisor.smax(), overflow);
    if (natural && !overflow &&
        (most.isSignedIntN(32) || left.getType().isInteger(64)))
      return kernel.div(kernel.sub(kernel.add(left, right), 1), right);
    return kernel.createOrFold<arith::CeilDivSIOp>(left, right);
  }
}

Value AffineEmitter::emit(AffineExpr expr, bool exact) {
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return dims[dim.getPosition()];
  if (auto constant = dyn_cast<AffineConstantExpr>(expr)) {
    int64_t value = constant.getValue();
    return llvm::isInt<32>(value) ? kernel.idx(value)
                                  : arith::ConstantOp::create(
                                        kernel, kernel.getI64IntegerAttr(value))
                                        .getResult();
  }
  auto binary = cast<AffineBinaryOpExpr>(expr);
  bool mayWrap = !exact && isSum(expr);
  Value left = emit(binary.getLHS(), !mayWrap),
        right = emit(binary.getRHS(), !mayWrap);
  bool wide = !mayWrap && !fitsNode(binary, ranges);
  left = wide ? kernel.toWide(left) : kernel.toNarrow(left);
  right = wide ? kernel.toWide(right) : kernel.toNarrow(right);
  Value value = expr.getKind() == AffineExprKind::Add ? kernel.add(left, right)
                : expr.getKind() == AffineExprKind::Mul
                    ? kernel.mul(left, right)
                    : divide(binary, left, right);
  return wide && fits32(getRange(expr, ranges)) ? kernel.toNarrow(value)
                                                : value;
}
