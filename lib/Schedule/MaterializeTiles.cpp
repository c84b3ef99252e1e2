//===- MaterializeTiles.cpp - Tile tables for grouped products
//-------------===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "moe/Dialect/MoE/IR/MoE.h"
#include "moe/Schedule/Passes.h"

namespace mlir::moe {
#define GEN_PASS_DEF_MATERIALIZETILESPASS
#include "moe/Schedule/Passes.h.inc"
} // namespace mlir::moe

using namespace mlir;
using namespace mlir::moe;

// The value outside that a kernel's argument stands for.
static Value outside(KernelOp kernel, Value inside) {
  auto argument = dyn_cast<BlockArgument>(inside);
  return argument ? kernel.getInputs()[argument.getArgNumber()] : Value();
}

// The plan, in a kernel of its own, that made `offsets`; null for others.
static PlanOp findPlan(Value offsets) {
  auto maker = offsets ? offsets.getDefiningOp<KernelOp>() : KernelOp();
  if (!maker)
    return nullptr;
  auto plans = maker.getBody().front().getOps<PlanOp>();
  return plans.empty() ? PlanOp() : *plans.begin();
}

// T·K of the plan that made the offsets, so that products of one plan agree on
// it.
static OpFoldResult plannedRows(ImplicitLocOpBuilder &b, PlanOp plan) {
  auto maker = plan->getParentOfType<KernelOp>();
  OpFoldResult tokens =
      tensor::getMixedSize(b, b.getLoc(), outside(maker, plan.getIndices()), 0);
  int64_t choices = plan.getIndices().getType().getDimSize(1);
  return affine::makeComposedFoldedAffineApply(
      b, b.getLoc(), AffineMap::get(1, 0, b.getAffineDimExpr(0) * choices),
      tokens);
}

// A copy, outside of its kernel, of a value that views compute; null for
// others.
static Value copyOutside(ImplicitLocOpBuilder &b, KernelOp kernel,
                         Value inside) {
  Operation *op = inside.getDefiningOp();
  if (!op)
    return outside(kernel, inside);
  if (op->getNumRegions() != 0)
    return nullptr;
  IRMapping map;
  for (Value operand : op->getOperands()) {
    Value copy = copyOutside(b, kernel, operand);
    if (!copy)
      return nullptr;
    map.map(operand, copy);
  }
  return b.clone(*op, map)->getResult(cast<OpResult>(inside).getResultNumber());
}

// The number of rows of a tensor in a kernel, as a size outside of it.
static FailureOr<OpFoldResult> ownRows(ImplicitLocOpBuilder &b, KernelOp kernel,
                                       Value rows) {
  if (auto type = cast<RankedTensorType>(rows.getType()); !type.isDynamicDim(0))
    return OpFoldResult(b.getIndexAttr(type.getDimSize(0)));
  if (auto dispatch = rows.getDefiningOp<DispatchOp>())
    return ownRows(b, kernel, dispatch.getRowToSlot());
  if (auto op = rows.getDefiningOp<DestinationStyleOpInterface>())
    return ownRows(b, kernel, op.getTiedOpOperand(cast<OpResult>(rows))->get());
  Value copy = copyOutside(b, kernel, rows);
  if (!copy)
    return kernel.emitOpError(
        "expected the rows of its product to be an input or a view of one");
  return tensor::getMixedSize(b, b.getLoc(), copy, 0);
}

static Value buildTable(ImplicitLocOpBuilder &b, Value offsets,
                        OpFoldResult total, int64_t rows) {
  Value size = getValueOrCreateConstantIndexOp(b, b.getLoc(), total);
  int64_t experts = cast<RankedTensorType>(offsets.getType()).getDimSize(0) - 1;
  int64_t entries = ShapedType::kDynamic;
  if (std::optional<int64_t> known = getConstantIntValue(total))
    entries = llvm::divideCeil(*known, rows) + experts;
  Type i32 = b.getI32Type();
  SmallVector<Type> types{RankedTensorType::get({entries, 3}, i32),
                          RankedTensorType::get({1}, i32),
                          RankedTensorType::get({3}, i32)};
  auto kernel =
      KernelOp::create(b, types.front(), "tiles", ValueRange{offsets, size});
  Block &body = kernel.getBody().emplaceBlock();
  body.addArguments({offsets.getType(), size.getType()},
                    {b.getLoc(), b.getLoc()});
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&body);
  auto tiles = TilesOp::create(b, types, body.getArgument(0),
                               body.getArgument(1), b.getI64IntegerAttr(rows));
  YieldOp::create(b, tiles.getTable());
  kernel.setScheduleAttr(
      ScheduleAttr::get(b.getContext(), Family::Tiles, /*workgroup=*/64,
                        /*lanes=*/1, rows, /*columns=*/1, /*vector=*/1,
                        /*chunks=*/0, /*slice=*/0));
  return kernel.getResult(0);
}

// Whether two sizes are known to be equal.
static bool isSameSize(OpFoldResult a, OpFoldResult b) {
  if (isEqualConstantIntOrValue(a, b))
    return true;
  auto dim = [](OpFoldResult size) {
    auto value = dyn_cast<Value>(size);
    return value ? value.getDefiningOp<tensor::DimOp>() : tensor::DimOp();
  };
  tensor::DimOp first = dim(a), second = dim(b);
  return first && second && first.getSource() == second.getSource() &&
         first.getConstantIndex() &&
         first.getConstantIndex() == second.getConstantIndex();
}

namespace {
struct MaterializeTilesPass
    : moe::impl::MaterializeTilesPassBase<MaterializeTilesPass> {
  void runOnOperation() override {
    struct Known {
      Value offsets;
      OpFoldResult total;
      int64_t rows;
      Value table;
    };
    SmallVector<Known> tables;
    SmallVector<GroupedMatmulOp> products;
    getOperation().walk([&](GroupedMatmulOp op) { products.push_back(op); });
    for (GroupedMatmulOp op : products) {
      auto kernel = dyn_cast<KernelOp>(op->getParentOp());
      if (!kernel || !kernel.getSchedule() ||
          kernel.getSchedule()->getFamily() != Family::Matmul)
        continue;
      ImplicitLocOpBuilder b(op.getLoc(), kernel);
      Value offsets = outside(kernel, op.getOffsets());
      if (!offsets) {
        op.emitOpError("expected offsets that are an input of its kernel");
        return signalPassFailure();
      }
      int64_t rows = kernel.getSchedule()->getRows();
      PlanOp plan = findPlan(offsets);
      FailureOr<OpFoldResult> own =
          plan && op.getLhs().getType().isDynamicDim(0)
              ? plannedRows(b, plan)
              : ownRows(b, kernel, op.getLhs());
      if (failed(own))
        return signalPassFailure();
      OpFoldResult total = *own;
      // Dynamic rows of a plan's offsets are those of the plan.
      bool planned = plan && !getConstantIntValue(total);
      auto known = llvm::find_if(tables, [&](const Known &k) {
        return k.offsets == offsets && k.rows == rows &&
               (planned || isSameSize(k.total, total));
      });
      if (known == tables.end()) {
        tables.push_back(
            {offsets, total, rows, buildTable(b, offsets, total, rows)});
        known = std::prev(tables.end());
      }
      kernel.getInputsMutable().append(known->table);
      kernel.getBody().front().addArgument(known->table.getType(), op.getLoc());
    }
  }
};
} // namespace
