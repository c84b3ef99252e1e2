//===- UnifyDims.cpp - Which sizes must be equal
//---------------------------===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// The second half of SymbolicDims: walks the ops of a function and unifies the
// sizes that each op requires to be equal.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "moe/Conversion/SymbolicDims.h"
#include "moe/Dialect/MoE/IR/MoE.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::moe;

// "dim 0 of input 1", "2 * (dim 0 of input 0)".
static std::string describe(AffineExpr expr,
                            ArrayRef<SymbolicDims::Symbol> symbols) {
  if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
    SymbolicDims::Symbol symbol = symbols[dim.getPosition()];
    return llvm::formatv("dim {0} of input {1}", symbol.dim, symbol.input);
  }
  if (auto value = dyn_cast<AffineConstantExpr>(expr))
    return std::to_string(value.getValue());
  auto binary = cast<AffineBinaryOpExpr>(expr);
  StringRef sign;
  switch (expr.getKind()) {
  case AffineExprKind::Add:
    sign = "+";
    break;
  case AffineExprKind::Mul:
    sign = "*";
    break;
  case AffineExprKind::Mod:
    sign = "mod";
    break;
  case AffineExprKind::FloorDiv:
    sign = "floordiv";
    break;
  default:
    sign = "ceildiv";
    break;
  }
  return llvm::formatv("({0} {1} {2})", describe(binary.getLHS(), symbols),
                       sign, describe(binary.getRHS(), symbols));
}

LogicalResult SymbolicDims::require(Operation *op, AffineExpr left,
                                    AffineExpr right) {
  if (!left || !right)
    return op->emitOpError("has a size that cannot be expressed by the dynamic "
                           "dimensions of the function's arguments");
  left = resolve(left);
  right = resolve(right);
  if (left == right)
    return success();
  auto leftConstant = dyn_cast<AffineConstantExpr>(left);
  auto rightConstant = dyn_cast<AffineConstantExpr>(right);
  if (leftConstant && rightConstant)
    return op->emitOpError("expected equal sizes, but got ")
           << leftConstant.getValue() << " and " << rightConstant.getValue();

  // Bind the later symbol, so that expressions name the earlier arguments.
  auto leftDim = dyn_cast<AffineDimExpr>(left),
       rightDim = dyn_cast<AffineDimExpr>(right);
  if (rightDim &&
      (!leftDim || rightDim.getPosition() > leftDim.getPosition())) {
    std::swap(left, right);
    std::swap(leftDim, rightDim);
  }
  addCondition(left, moe_rt::Relation::Equal, right,
               describe(left) + " (" + describe(right) + ")");
  if (leftDim && !right.isFunctionOfDim(leftDim.getPosition()))
    bound[leftDim.getPosition()] = right;
  return success();
}

void SymbolicDims::addCondition(AffineExpr left, moe_rt::Relation relation,
                                AffineExpr right, std::string message) {
  for (const Condition &known : conditions)
    if (known.left == left && known.relation == relation &&
        known.right == right)
      return;
  conditions.push_back({left, relation, right, std::move(message)});
}

std::string SymbolicDims::describe(AffineExpr expr) {
  return ::describe(expr, symbols);
}

// Each loop of a structured op has one extent.
static LogicalResult
forEachEquality(linalg::LinalgOp op, SymbolicDims &dims,
                function_ref<LogicalResult(AffineExpr, AffineExpr)> require) {
  SmallVector<AffineExpr> extents(op.getNumLoops());
  for (OpOperand &operand : op->getOpOperands()) {
    auto type = dyn_cast<RankedTensorType>(operand.get().getType());
    if (!type)
      continue;
    AffineMap map = op.getMatchingIndexingMap(&operand);
    for (auto [dim, result] : llvm::enumerate(map.getResults())) {
      auto loop = dyn_cast<AffineDimExpr>(result);
      if (!loop)
        continue;
      AffineExpr size = dims.getDim(operand.get(), dim);
      AffineExpr &extent = extents[loop.getPosition()];
      if (!extent)
        extent = size;
      else if (failed(require(extent, size)))
        return failure();
    }
  }
  return success();
}

// The number of rows that the table of a grouped product's tiles covers; null
// where no kernel of the function makes the table.
static Value findTabledRows(scf::ForallOp tiles) {
  Value table;
  tiles.walk([&](tensor::ExtractOp extract) {
    if (extract->hasAttr("moe.expert"))
      table = extract.getTensor();
  });
  auto argument = dyn_cast_or_null<BlockArgument>(table);
  auto kernel = argument
                    ? dyn_cast<KernelOp>(argument.getOwner()->getParentOp())
                    : KernelOp();
  if (!kernel)
    return nullptr;
  auto maker =
      kernel.getInputs()[argument.getArgNumber()].getDefiningOp<KernelOp>();
  if (!maker)
    return nullptr;
  auto tables = maker.getBody().front().getOps<TilesOp>();
  return tables.empty() ? Value() : Value((*tables.begin()).getTotal());
}

LogicalResult SymbolicDims::unifyOp(Operation *op) {
  auto same = [&](Value a, unsigned dimA, Value b, unsigned dimB) {
    return require(op, getDim(a, dimA), getDim(b, dimB));
  };
  auto slots = [&](Value rows, Value slotToRow) {
    AffineExpr tokens = getDim(slotToRow, 0), choices = getDim(slotToRow, 1);
    if (!tokens || !choices)
      return require(op, nullptr, nullptr);
    return require(op, getDim(rows, 0), tokens * choices);
  };
  return TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](linalg::LinalgOp structured) {
        return forEachEquality(
            structured, *this,
            [&](AffineExpr a, AffineExpr b) { return require(op, a, b); });
      })
      .Case([&](DispatchOp dispatch) -> LogicalResult {
        if (failed(same(dispatch.getX(), 0, dispatch.getSlotToRow(), 0)) ||
            failed(slots(dispatch.getRowToSlot(), dispatch.getSlotToRow())))
          return failure();
        if (Value weights = dispatch.getWeights())
          return success(
              succeeded(same(weights, 0, dispatch.getSlotToRow(), 0)));
        return success();
      })
      .Case([&](CombineOp combine) -> LogicalResult {
        if (failed(slots(combine.getRowToSlot(), combine.getSlotToRow())) ||
            failed(slots(combine.getRows(), combine.getSlotToRow())))
          return failure();
        if (Value weights = combine.getWeights())
          return success(
              succeeded(same(weights, 0, combine.getSlotToRow(), 0)));
        return success();
      })
      .Case([&](GroupedOuterOp outer) {
        return same(outer.getLhs(), 0, outer.getRhs(), 0);
      })
      .Case([&](scf::ForallOp tiles) -> LogicalResult {
        Value total = findTabledRows(tiles);
        return total
                   ? require(op, getDim(tiles.getResult(0), 0), getIndex(total))
                   : success();
      })
      .Case([&](tensor::CastOp cast) {
        auto type = dyn_cast<RankedTensorType>(cast.getType());
        for (int64_t d = 0, e = type ? type.getRank() : 0; d < e; ++d)
          if (failed(same(cast.getSource(), d, cast, d)))
            return failure();
        return success();
      })
      .Case([&](tensor::ExpandShapeOp expand) {
        for (auto [source, group] :
             llvm::enumerate(expand.getReassociationIndices())) {
          AffineExpr product = constant(1);
          for (int64_t d : group)
            if (AffineExpr size = getDim(expand, d); size && product)
              product = product * size;
            else
              product = nullptr;
          if (failed(require(op, getDim(expand.getSrc(), source), product)))
            return failure();
        }
        return success();
      })
      .Case([&](tensor::InsertSliceOp insert) {
        llvm::SmallBitVector dropped = insert.getDroppedDims();
        unsigned source = 0;
        for (auto [d, size] : llvm::enumerate(insert.getMixedSizes()))
          if (!dropped.test(d) &&
              failed(require(op, getDim(insert.getSource(), source++),
                             getIndex(size))))
            return failure();
        return success();
      })
      .Case([&](cf::AssertOp assertion) -> LogicalResult {
        auto equal = assertion.getArg().getDefiningOp<arith::CmpIOp>();
        if (!equal || equal.getPredicate() != arith::CmpIPredicate::eq ||
            !equal.getLhs().getType().isIndex())
          return op->emitOpError(
              "expected two sizes to be compared for equality, but got another "
              "condition, which the host cannot check");
        return require(op, getIndex(equal.getLhs()), getIndex(equal.getRhs()));
      })
      .Case<linalg::SoftmaxOp>([&](linalg::SoftmaxOp softmax) {
        for (int64_t d = 0, e = softmax.getInputOperandRank(); d < e; ++d)
          if (failed(same(softmax.getInput(), d, softmax.getOutput(), d)))
            return failure();
        return success();
      })
      .Default([&](Operation *other) -> LogicalResult {
        if (!OpTrait::hasElementwiseMappableTraits(other))
          return success();
        Value first;
        for (Value operand : other->getOperands()) {
          auto type = dyn_cast<RankedTensorType>(operand.getType());
          if (!type)
            continue;
          for (int64_t d = 0; first && d < type.getRank(); ++d)
            if (failed(same(first, d, operand, d)))
              return failure();
          first = first ? first : operand;
        }
        return success();
      });
}

// Sizes are multiplied in 64 bits here and counted in 32 on the device.
static LogicalResult checkSizes(Operation *op, TypeRange types) {
  constexpr int64_t maxSize = std::numeric_limits<int32_t>::max();
  constexpr int64_t maxElements = int64_t(1) << 40;
  for (Type type : types) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor)
      continue;
    int64_t elements = 1;
    for (int64_t size : tensor.getShape()) {
      if (ShapedType::isDynamic(size))
        continue;
      if (size > maxSize || elements > maxElements / std::max<int64_t>(size, 1))
        return op->emitError("expected sizes below 2^31 and at most 2^40 "
                             "elements in all, but got ")
               << type;
      elements *= std::max<int64_t>(size, 1);
    }
  }
  return success();
}

LogicalResult SymbolicDims::unify() {
  SmallVector<Operation *> ops;
  func.walk([&](Operation *op) { ops.push_back(op); });
  if (failed(checkSizes(func, func.getArgumentTypes())))
    return failure();
  for (Operation *op : ops)
    if (failed(checkSizes(op, op->getResultTypes())))
      return failure();
  for (Operation *op : ops)
    if (failed(unifyOp(op)))
      return failure();
  // Bounds are often void once sizes are known to be equal.
  for (Operation *op : ops)
    if (failed(requirePositions(op)))
      return failure();
  return success();
}
