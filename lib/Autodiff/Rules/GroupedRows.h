//===- GroupedRows.h - Builds what derivatives of rows need -----*- C++ -*-===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef MOE_LIB_AUTODIFF_RULES_GROUPEDROWS_H
#define MOE_LIB_AUTODIFF_RULES_GROUPEDROWS_H

#include "AttachRule.h"
#include "moe/Dialect/MoE/IR/MoE.h"

namespace mlir::moe {

/// The plan that an op reads, for others to read it, too.
struct PlanMaps {
  Value offsets, slotToRow, rowToSlot;

  PlanMaps(Value offsets, Value slotToRow, Value rowToSlot)
      : offsets(offsets), slotToRow(slotToRow), rowToSlot(rowToSlot) {}
  template <typename OpTy>
  explicit PlanMaps(OpTy op)
      : PlanMaps(op.getOffsets(), op.getSlotToRow(), op.getRowToSlot()) {}

  /// [T, W] -> [R, W], weighted unless `weights` is null.
  Value dispatch(RuleBuilder &b, Value x, Value weights) const;
  /// [R, W] -> [T, W], weighted unless `weights` is null.
  Value combine(RuleBuilder &b, Value rows, Value weights,
                CombineOrder order) const;
  /// [T, W] and [R, W] -> [T, K].
  Value dot(RuleBuilder &b, Value perToken, Value rows) const;

  /// The same plan for T·K tokens of one slot each.
  PlanMaps perSlot(RuleBuilder &b) const;
};

/// `offsets` with a type that states the number of experts.
Value staticOffsets(RuleBuilder &b, Value offsets, int64_t experts);

Value buildGroupedMatmul(RuleBuilder &b, Value lhs, Value rhs, Value offsets,
                         bool transposeRhs, Type element = {});
Value buildGroupedOuter(RuleBuilder &b, Value lhs, Value rhs, Value offsets);
Value buildGroupedReduce(RuleBuilder &b, Value rows, Value offsets);
/// result[r] = perExpert[e(r)] (in f32) for as many rows as `like` has; 0 for
/// rows of no expert.
Value repeatPerRow(RuleBuilder &b, Value perExpert, Value offsets, Value like);

/// The derivative of combine(lhs · rhs[e], w) without reading that product:
/// w enters between the two, and dw = ⟨rhs[e] · dout, lhs⟩.
LogicalResult combineOfProduct(CombineOp op, GroupedMatmulOp product,
                               RuleBuilder &b, Cotangents &cotangents);

} // namespace mlir::moe

#endif // MOE_LIB_AUTODIFF_RULES_GROUPEDROWS_H
