//===- ExprWriter.cpp - Sizes as postfix programs -------------------------===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "ExprWriter.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::moe;
namespace fb = ::moe::bundle;
using fb::ExprOp;

FailureOr<ExprWriter::ExprOffset> ExprWriter::write(Value size) {
  nodes.clear();
  if (failed(append(size)))
    return failure();
  return finish();
}

FailureOr<ExprWriter::ExprOffset> ExprWriter::writeSum(ArrayRef<Value> sizes) {
  if (sizes.empty())
    return writeConstant(0);
  nodes.clear();
  for (auto [number, size] : llvm::enumerate(sizes)) {
    if (failed(append(size)))
      return failure();
    if (number > 0)
      push(ExprOp::Add);
  }
  return finish();
}

ExprWriter::ExprOffset ExprWriter::writeConstant(int64_t value) {
  nodes.clear();
  push(ExprOp::Const, value);
  return finish();
}

ExprWriter::ExprOffset ExprWriter::finish() {
  return fb::CreateExpr(builder, builder.CreateVectorOfStructs(nodes));
}

std::vector<flatbuffers::Offset<fb::Symbol>> ExprWriter::writeSymbols() {
  std::vector<flatbuffers::Offset<fb::Symbol>> written;
  for (const auto &[place, name] : symbols)
    written.push_back(fb::CreateSymbol(builder, builder.CreateString(name),
                                       place.first, place.second));
  return written;
}

/// The operator of an arith op. Sizes are not negative, so it does not matter
/// whether the op is signed or which way a signed division rounds.
static std::optional<ExprOp> getOperator(Operation *op) {
  return llvm::TypeSwitch<Operation *, std::optional<ExprOp>>(op)
      .Case<arith::AddIOp>([](auto) { return ExprOp::Add; })
      .Case<arith::MulIOp>([](auto) { return ExprOp::Mul; })
      .Case<arith::DivUIOp, arith::DivSIOp, arith::FloorDivSIOp>(
          [](auto) { return ExprOp::FloorDiv; })
      .Case<arith::CeilDivUIOp, arith::CeilDivSIOp>(
          [](auto) { return ExprOp::CeilDiv; })
      .Case<arith::RemUIOp, arith::RemSIOp>([](auto) { return ExprOp::Mod; })
      .Case<arith::MinUIOp, arith::MinSIOp>([](auto) { return ExprOp::Min; })
      .Case<arith::MaxUIOp, arith::MaxSIOp>([](auto) { return ExprOp::Max; })
      .Default([](Operation *) { return std::nullopt; });
}

LogicalResult ExprWriter::append(Value size) {
  // A value is written at each of its uses.
  constexpr size_t maxNodes = 1 << 16;
  if (nodes.size() > maxNodes)
    return emitError(size.getLoc(), "expected a size of at most ")
           << maxNodes << " terms, but got more";
  APInt constant;
  if (matchPattern(size, m_ConstantInt(&constant))) {
    push(ExprOp::Const, constant.getSExtValue());
    return success();
  }
  Operation *op = size.getDefiningOp();
  if (auto dim = dyn_cast<moe_rt::DimOp>(op)) {
    auto place = std::pair<int64_t, int64_t>(dim.getInput(), dim.getDim());
    auto position = symbols.insert({place, dim.getName().str()}).first;
    push(ExprOp::Dim, position - symbols.begin());
    return success();
  }
  if (auto apply = dyn_cast<affine::AffineApplyOp>(op))
    return append(apply.getAffineMap(), apply.getMapOperands(), ExprOp::Add);
  if (auto min = dyn_cast<affine::AffineMinOp>(op))
    return append(min.getMap(), min.getMapOperands(), ExprOp::Min);
  if (auto max = dyn_cast<affine::AffineMaxOp>(op))
    return append(max.getMap(), max.getMapOperands(), ExprOp::Max);

  bool isDifference = isa<arith::SubIOp>(op);
  std::optional<ExprOp> join = isDifference ? ExprOp::Add : getOperator(op);
  if (!join)
    return op->emitOpError("expected size arithmetic of moe_rt, arith or "
                           "affine, but got this");
  if (failed(append(op->getOperand(0))))
    return failure();
  if (isDifference &&
      matchPattern(op->getOperand(1), m_ConstantInt(&constant)) &&
      !constant.isMinSignedValue())
    push(ExprOp::Const, -constant.getSExtValue());
  else if (failed(append(op->getOperand(1))))
    return failure();
  else if (isDifference) {
    push(ExprOp::Const, -1);
    push(ExprOp::Mul);
  }
  push(*join);
  return success();
}

LogicalResult ExprWriter::append(AffineMap map, ValueRange operands,
                                 ExprOp join) {
  for (auto [number, expr] : llvm::enumerate(map.getResults())) {
    if (failed(append(expr, map.getNumDims(), operands)))
      return failure();
    if (number > 0)
      push(join);
  }
  return success();
}

LogicalResult ExprWriter::append(AffineExpr expr, unsigned numDims,
                                 ValueRange operands) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr)) {
    push(ExprOp::Const, constant.getValue());
    return success();
  }
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return append(operands[dim.getPosition()]);
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return append(operands[numDims + symbol.getPosition()]);
  auto binary = cast<AffineBinaryOpExpr>(expr);
  if (failed(append(binary.getLHS(), numDims, operands)) ||
      failed(append(binary.getRHS(), numDims, operands)))
    return failure();
  switch (expr.getKind()) {
  case AffineExprKind::Add:
    push(ExprOp::Add);
    return success();
  case AffineExprKind::Mul:
    push(ExprOp::Mul);
    return success();
  case AffineExprKind::FloorDiv:
    push(ExprOp::FloorDiv);
    return success();
  case AffineExprKind::CeilDiv:
    push(ExprOp::CeilDiv);
    return success();
  case AffineExprKind::Mod:
    push(ExprOp::Mod);
    return success();
  default:
    llvm_unreachable("leaves are handled above");
  }
}
