//===- ExpandCheckMaps.cpp - moe.check_maps -> loops on tensors -----------===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// checked[i] = 0 <= map[i] < size(inverse) && inverse[map[i]] = i ? map[i] : -1
// for the map of the slots, and for that of the rows.
//
//===----------------------------------------------------------------------===//

#include "ExpandBuilder.h"
#include "moe/Conversion/ExpandKernelOps.h"

using namespace mlir;
using namespace mlir::moe;

// `value` if it is one of `count` and `invert` gives `position` for it.
static Value keepIfInverse(ExpandBuilder &b, Value value, Value position,
                           Value count, function_ref<Value(Value)> invert) {
  Value inRange = b.both(b.ge(value, b.i32(0)), b.lt(value, b.toI32(count)));
  Value none = b.i32(-1);
  return b.ifThen(inRange, none, [&]() -> ExpandBuilder::Values {
    Value back = invert(b.toIndex(value));
    Value same =
        arith::CmpIOp::create(b, arith::CmpIPredicate::eq, back, position);
    return {b.select(same, value, none)};
  })[0];
}

LogicalResult moe::expandCheckMaps(RewriterBase &rewriter, CheckMapsOp op) {
  ExpandBuilder b(op.getLoc(), rewriter);
  using Values = ExpandBuilder::Values;
  Value slotToRow = op.getSlotToRow(), rowToSlot = op.getRowToSlot();
  Value tokens = b.size(slotToRow, 0), choices = b.size(slotToRow, 1),
        slots = b.mul(tokens, choices), rows = b.size(rowToSlot, 0);

  Value checkedSlots = b.filled(op.getCheckedSlotToRow().getType(),
                                {tokens, choices}, b.i32(-1));
  checkedSlots =
      b.forLoop(tokens, checkedSlots, [&](Value token, ValueRange outer) {
        return b.forLoop(
            choices, outer, [&](Value choice, ValueRange args) -> Values {
              Value slot = b.toI32(b.add(b.mul(token, choices), choice));
              Value row = keepIfInverse(
                  b, b.extract(slotToRow, {token, choice}), slot, rows,
                  [&](Value at) { return b.extract(rowToSlot, at); });
              return {b.insert(row, args[0], {token, choice})};
            });
      })[0];

  Value checkedRows =
      b.filled(op.getCheckedRowToSlot().getType(), rows, b.i32(-1));
  checkedRows =
      b.forLoop(rows, checkedRows, [&](Value row, ValueRange args) -> Values {
        Value slot = keepIfInverse(
            b, b.extract(rowToSlot, row), b.toI32(row), slots, [&](Value at) {
              Value token = arith::DivUIOp::create(b, at, choices);
              Value choice = arith::RemUIOp::create(b, at, choices);
              return b.extract(slotToRow, {token, choice});
            });
        return {b.insert(slot, args[0], row)};
      })[0];
  rewriter.replaceOp(op, {checkedSlots, checkedRows});
  return success();
}
