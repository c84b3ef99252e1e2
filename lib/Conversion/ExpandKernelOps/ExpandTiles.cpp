//===- ExpandTiles.cpp - moe.tiles -> loops on tensors --------------------===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// Run e of rows is [offsets[e], offsets[e + 1]), the last one, the tail,
// [offsets[E], total). Each is cut from its first row on.
//
//===----------------------------------------------------------------------===//

#include "ExpandBuilder.h"
#include "moe/Conversion/ExpandKernelOps.h"

using namespace mlir;
using namespace mlir::moe;

LogicalResult moe::expandTiles(RewriterBase &rewriter, TilesOp op) {
  ExpandBuilder b(op.getLoc(), rewriter);
  using Values = ExpandBuilder::Values;
  Value offsets = op.getOffsets(), total = op.getTotal();
  Value height = b.idx(op.getRows()), one = b.idx(1);
  Value experts = arith::SubIOp::create(b, b.size(offsets, 0), one);
  Value entries = b.add(arith::CeilDivUIOp::create(b, total, height), experts);

  Value table =
      b.filled(op.getTable().getType(), {entries, b.idx(3)}, b.i32(0));
  table =
      b.forLoop(entries, table, [&](Value entry, ValueRange args) -> Values {
        return {b.insert(b.i32(-1), args[0], {entry, b.idx(0)})};
      })[0];

  Values runs = b.forLoop(
      b.add(experts, one), {table, b.idx(0)}, [&](Value run, ValueRange outer) {
        Value isTail =
            arith::CmpIOp::create(b, arith::CmpIPredicate::eq, run, experts);
        Value expert = b.select(isTail, b.i32(-1), b.toI32(run));
        Value begin = b.toIndex(b.extract(offsets, run));
        Value next = arith::MinUIOp::create(b, b.add(run, one), experts);
        Value end =
            b.select(isTail, total, b.toIndex(b.extract(offsets, next)));
        return b.forLoop(
            begin, end, height, outer,
            [&](Value first, ValueRange args) -> Values {
              Value left = arith::SubIOp::create(b, end, first);
              Value rows = arith::MinUIOp::create(b, height, left);
              Value entry = args[1];
              Value filled = b.insert(expert, args[0], {entry, b.idx(0)});
              filled = b.insert(b.toI32(first), filled, {entry, b.idx(1)});
              filled = b.insert(b.toI32(rows), filled, {entry, b.idx(2)});
              return {filled, b.add(entry, one)};
            });
      });

  Value used = b.toI32(runs[1]);
  Value groups = arith::MinSIOp::create(b, used, b.i32(65535));
  auto asDeclared = [&](Value value, Type type) -> Value {
    return value.getType() == type ? value
                                   : tensor::CastOp::create(b, type, value);
  };
  Value count = tensor::FromElementsOp::create(b, used);
  Value grid =
      tensor::FromElementsOp::create(b, Values{b.i32(1), groups, b.i32(1)});
  rewriter.replaceOp(op, {runs[0], asDeclared(count, op.getCount().getType()),
                          asDeclared(grid, op.getGrid().getType())});
  return success();
}
