//===- VanishingProducts.cpp - Where 0 · ∞ may come up --------------------===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "VanishingProducts.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::moe;

// After as many steps a value is taken for anything.
static constexpr unsigned maxSteps = 512;

namespace {
/// Looks at what values follow from, also through the bodies of linalg ops.
class Search {
public:
  explicit Search(const Cotangents &cotangents) : cotangents(cotangents) {}

  /// Whether finite arguments may give an infinite value.
  bool mayBeInfinite(Value value);
  /// Whether a gradient may be 0 because something was not kept.
  bool mayBeMasked(Value gradient);

private:
  bool isPositive(Value value);
  bool isNonNegative(Value value);
  Value origin(Value value);
  /// Whether `holds` for any of what a result is computed from.
  bool anySource(OpResult result, bool (Search::*holds)(Value));
  /// False if it has been looked at before.
  bool visit(Value value) { return seen.insert(value).second; }
  bool isTooLong() { return ++steps > maxSteps; }

  const Cotangents &cotangents;
  llvm::SmallDenseSet<Value> seen;
  unsigned steps = 0;
};
} // namespace

// Outside of the body, a block argument's operand; null for an argument of the
// function.
Value Search::origin(Value value) {
  if (Value known = cotangents.originOf(value))
    return known;
  auto argument = dyn_cast<BlockArgument>(value);
  auto op = argument ? dyn_cast_or_null<linalg::LinalgOp>(
                           argument.getOwner()->getParentOp())
                     : linalg::LinalgOp();
  return op ? op.getMatchingOpOperand(argument)->get() : Value();
}

bool Search::anySource(OpResult result, bool (Search::*holds)(Value)) {
  Operation *op = result.getOwner();
  if (auto structured = dyn_cast<linalg::LinalgOp>(op)) {
    Operation *yield = structured.getBlock()->getTerminator();
    return (this->*holds)(yield->getOperand(result.getResultNumber()));
  }
  return llvm::any_of(op->getOperands(), [&](Value operand) {
    return isDifferentiable(operand.getType()) && (this->*holds)(operand);
  });
}

// The smallest and largest element of a constant of floats.
static std::optional<std::pair<double, double>> getRange(Value value) {
  Attribute attribute;
  if (!matchPattern(value, m_Constant(&attribute)))
    return std::nullopt;
  auto asDouble = [](const APFloat &number) {
    APFloat wide = number;
    bool lost;
    wide.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &lost);
    return wide.convertToDouble();
  };
  if (auto number = dyn_cast<FloatAttr>(attribute)) {
    double only = asDouble(number.getValue());
    return std::pair(only, only);
  }
  auto elements = dyn_cast<DenseFPElementsAttr>(attribute);
  if (!elements || elements.empty())
    return std::nullopt;
  if (elements.isSplat()) {
    double only = asDouble(elements.getSplatValue<APFloat>());
    return std::pair(only, only);
  }
  std::pair<double, double> range(HUGE_VAL, -HUGE_VAL);
  for (const APFloat &each : elements.getValues<APFloat>()) {
    double number = asDouble(each);
    range = {std::min(range.first, number), std::max(range.second, number)};
  }
  return range;
}

bool Search::isNonNegative(Value value) {
  if (isTooLong())
    return false;
  if (auto range = getRange(value))
    return range->first >= 0;
  if (isa<BlockArgument>(value)) {
    Value outer = origin(value);
    return outer && visit(value) && isNonNegative(outer);
  }
  Operation *op = value.getDefiningOp();
  if (isa<math::ExpOp, math::Exp2Op, math::AbsFOp, math::SqrtOp, math::ErfcOp,
          math::CoshOp>(op))
    return true;
  if (isa<arith::MulFOp>(op) && op->getOperand(0) == op->getOperand(1))
    return true;
  if (isa<arith::MaximumFOp, arith::MaxNumFOp>(op))
    return isNonNegative(op->getOperand(0)) || isNonNegative(op->getOperand(1));
  if (auto splat = dyn_cast<tensor::SplatOp>(op))
    return isNonNegative(splat.getInput());
  if (isa<arith::AddFOp, arith::MulFOp, arith::DivFOp>(op))
    return isNonNegative(op->getOperand(0)) && isNonNegative(op->getOperand(1));
  if (auto structured = dyn_cast<linalg::LinalgOp>(op))
    return visit(value) &&
           isNonNegative(structured.getBlock()->getTerminator()->getOperand(
               cast<OpResult>(value).getResultNumber()));
  return isPositive(value);
}

// Away from 0.
bool Search::isPositive(Value value) {
  if (isTooLong())
    return false;
  if (auto range = getRange(value))
    return range->first > 0;
  if (isa<BlockArgument>(value)) {
    Value outer = origin(value);
    return outer && isPositive(outer);
  }
  Operation *op = value.getDefiningOp();
  auto left = [&] { return op->getOperand(0); };
  auto right = [&] { return op->getOperand(1); };
  if (isa<math::CoshOp>(op))
    return true;
  if (isa<arith::AddFOp>(op))
    return (isPositive(left()) && isNonNegative(right())) ||
           (isNonNegative(left()) && isPositive(right()));
  if (isa<arith::MaximumFOp, arith::MaxNumFOp>(op))
    return isPositive(left()) || isPositive(right());
  if (isa<arith::MulFOp>(op))
    return isPositive(left()) && isPositive(right());
  if (isa<math::SqrtOp>(op))
    return isPositive(left());
  if (auto splat = dyn_cast<tensor::SplatOp>(op))
    return isPositive(splat.getInput());
  if (auto structured = dyn_cast<linalg::LinalgOp>(op))
    return structured.getNumReductionLoops() == 0 &&
           isPositive(structured.getBlock()->getTerminator()->getOperand(
               cast<OpResult>(value).getResultNumber()));
  return false;
}

bool Search::mayBeInfinite(Value value) {
  if (isTooLong())
    return true;
  if (auto range = getRange(value))
    return std::isinf(range->first) || std::isinf(range->second);
  if (!visit(value))
    return false;
  if (isa<BlockArgument>(value)) {
    Value outer = origin(value);
    return outer && mayBeInfinite(outer);
  }
  Operation *op = value.getDefiningOp();
  if (Value outer = origin(value)) // an element
    return mayBeInfinite(outer);
  if (isa<math::SinOp, math::CosOp, math::TanhOp, math::ErfOp, math::ErfcOp,
          math::AtanOp, math::Atan2Op, math::AsinOp, math::AcosOp>(op))
    return false;
  if (isa<math::ExpOp, math::Exp2Op, math::ExpM1Op, math::SinhOp, math::CoshOp,
          math::TanOp, math::AtanhOp, math::PowFOp, math::FPowIOp,
          math::Log1pOp>(op))
    return true;
  if (isa<math::LogOp, math::Log2Op, math::Log10Op, math::RsqrtOp>(op))
    return !isPositive(op->getOperand(0)) || mayBeInfinite(op->getOperand(0));
  if (isa<arith::DivFOp>(op))
    return !isPositive(op->getOperand(1)) || mayBeInfinite(op->getOperand(0));
  return anySource(cast<OpResult>(value), &Search::mayBeInfinite);
}

bool Search::mayBeMasked(Value gradient) {
  if (isTooLong())
    return true;
  if (!visit(gradient))
    return false;
  auto isZero = [](Value value) {
    std::optional<std::pair<double, double>> range = getRange(value);
    if (auto splat = value.getDefiningOp<tensor::SplatOp>())
      range = getRange(splat.getInput());
    return range && range->first == 0 && range->second == 0;
  };
  if (getRange(gradient))
    return false;
  if (isa<BlockArgument>(gradient)) {
    Value outer = origin(gradient);
    return outer && mayBeMasked(outer);
  }
  Operation *op = gradient.getDefiningOp();
  if (Value outer = origin(gradient))
    return mayBeMasked(outer);
  if (auto choice = dyn_cast<arith::SelectOp>(op))
    if (isZero(choice.getTrueValue()) || isZero(choice.getFalseValue()))
      return true;
  if (auto slice = dyn_cast<tensor::InsertSliceOp>(op))
    if (isZero(slice.getSource()) || isZero(slice.getDest()))
      return true;
  if (isa<tensor::InsertOp>(op))
    return true;
  if (isa<tensor::TensorDialect, arith::ArithDialect, math::MathDialect,
          linalg::LinalgDialect>(op->getDialect()))
    return anySource(cast<OpResult>(gradient), &Search::mayBeMasked);
  return true;
}

Value moe::multiplyGradient(RuleBuilder &b, Cotangents &cotangents, Value g,
                            Value factor) {
  return Search(cotangents).mayBeInfinite(factor) &&
                 Search(cotangents).mayBeMasked(g)
             ? b.scale(g, factor)
             : b.mul(g, factor);
}
