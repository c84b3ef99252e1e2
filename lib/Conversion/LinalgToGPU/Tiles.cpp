//===- Tiles.cpp - The table of row tiles, built on the device ------------===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// The E experts and the tail are E + 1 runs of rows. One workgroup counts the
// tiles of each run and adds them up; then every entry of the table finds its
// run by bisection of that prefix. Bisection keeps the second step even when
// one expert has all the rows: no invocation ever writes a whole run.
//
//===----------------------------------------------------------------------===//

#include "Families.h"
#include "KernelResults.h"

using namespace mlir;
using namespace mlir::moe;

namespace {
class TilesLowering {
public:
  TilesLowering(KernelOp kernel, TilesOp op, ProgramBuilder &program)
      : kernel(kernel), op(op), program(program), dims(program.dims()),
        height(op.getRows()), workgroup(kernel.getSchedule()->getWorkgroup()) {}

  LogicalResult run();

private:
  LogicalResult countTiles();
  LogicalResult fillTable();

  KernelOp kernel;
  TilesOp op;
  ProgramBuilder &program;
  SymbolicDims &dims;
  int64_t experts = 0, height, workgroup;
  AffineExpr rows;
  Value prefix; ///< scratch: first tile of each run, then the number of tiles
};
} // namespace

LogicalResult TilesLowering::run() {
  if (failed(expectOnlyOp(kernel, op)))
    return failure();
  if (op.getOffsets().getType().isDynamicDim(0))
    return op.emitOpError("expected a static number of offsets, but got ")
           << op.getOffsets().getType();
  experts = op.getOffsets().getType().getDimSize(0) - 1;
  rows = dims.getIndex(op.getTotal());
  if (!rows)
    return op.emitOpError("expected a number of rows that follows from the "
                          "function's arguments, but got another value");
  prefix = program.addScratch("tiles prefix", dims.constant(4 * (experts + 2)));
  if (failed(countTiles()))
    return failure();
  return getYieldedResult(kernel, op.getTable()) ? fillTable() : success();
}

// The range of rows of run `run`: an expert's, or the tail's.
static std::pair<Value, Value> getRows(KernelBuilder &b, Value offsets,
                                       Value run, int64_t experts, Value rows) {
  Value begin = b.load(offsets, run);
  Value isTail = b.eq(run, b.idx(experts));
  Value next = b.load(offsets, b.min(b.add(run, 1), b.idx(experts)));
  return {begin, b.select(isTail, b.toI32(rows), next)};
}

LogicalResult TilesLowering::countTiles() {
  DispatchBuilder d(program, op.getLoc(), "tiles_count", workgroup);
  KernelBuilder &b = d.kernel();
  FailureOr<KernelBuffer *> offsets = d.read(op.getOffsets());
  FailureOr<KernelBuffer *> count = writeIfYielded(d, kernel, op.getCount());
  FailureOr<KernelBuffer *> grid = writeIfYielded(d, kernel, op.getGrid());
  if (failed(offsets) || failed(count) || failed(grid))
    return failure();
  KernelBuffer *first = d.buffer(BufferUse::Write, prefix, b.getI32Type());
  Value total = d.push(rows);

  int64_t runs = experts + 1, share = llvm::divideCeil(runs, workgroup);
  Value begin = b.min(b.mul(b.threadId(), share), b.idx(runs));
  Value end = b.min(b.add(begin, share), b.idx(runs));
  auto getTiles = [&](Value run) {
    auto [from, to] = getRows(b, (*offsets)->scalars, run, experts, total);
    return b.ceilDiv(b.sub(to, from), height);
  };
  SmallVector<Value> mine = b.forLoop(
      begin, end, b.idx(1), {b.i32(0)},
      [&](Value run, ValueRange args) -> SmallVector<Value> {
        return {b.add(args[0], getTiles(run))};
      },
      dims.constant(share));
  WorkgroupPrefix tiles = getWorkgroupPrefix(
      b, mine[0], b.i32(0), [&](Value x, Value y) { return b.add(x, y); });
  b.forLoop(
      begin, end, b.idx(1), {tiles.before},
      [&](Value run, ValueRange args) -> SmallVector<Value> {
        b.store(args[0], first->scalars, run);
        return {b.add(args[0], getTiles(run))};
      },
      dims.constant(share));
  b.ifThen(b.eq(b.threadId(), b.idx(0)), [&] {
    b.store(tiles.all, first->scalars, b.idx(runs));
    if (*count)
      b.store(tiles.all, (*count)->scalars, b.idx(0));
    if (*grid) {
      b.store(b.i32(1), (*grid)->scalars, b.idx(0));
      b.store(b.min(tiles.all, b.i32(65535)), (*grid)->scalars, b.idx(1));
      b.store(b.i32(1), (*grid)->scalars, b.idx(2));
    }
  });
  d.setLabel("tiles: count");
  return d.dispatch({{dims.constant(1)}});
}

LogicalResult TilesLowering::fillTable() {
  DispatchBuilder d(program, op.getLoc(), "tiles_fill", workgroup);
  KernelBuilder &b = d.kernel();
  FailureOr<KernelBuffer *> offsets = d.read(op.getOffsets());
  FailureOr<KernelBuffer *> table =
      d.write(getYieldedResult(kernel, op.getTable()));
  if (failed(offsets) || failed(table))
    return failure();
  KernelBuffer *first = d.buffer(BufferUse::Read, prefix, b.getI32Type());
  Value total = d.push(rows);
  AffineExpr entries = rows.ceilDiv(height) + experts;
  Value numEntries = d.push(entries);

  Value used = b.load(first->scalars, b.idx(experts + 1));
  Value stride = b.mul(b.workgroupCount(), workgroup);
  b.forLoop(
      b.globalId(), numEntries, stride,
      [&](Value entry) {
        Value tile = b.toI32(entry);
        SmallVector<Value> words = b.ifElse(
            b.lt(tile, used),
            [&]() -> SmallVector<Value> {
              // The first run that ends after the tile.
              Value run = findFirst(b, experts + 1, [&](Value candidate) {
                return b.lt(tile, b.load(first->scalars, b.add(candidate, 1)));
              });
              auto [from, to] =
                  getRows(b, (*offsets)->scalars, run, experts, total);
              Value skipped =
                  b.mul(b.sub(tile, b.load(first->scalars, run)), height);
              Value row = b.add(from, skipped);
              Value expert =
                  b.select(b.eq(run, b.idx(experts)), b.i32(-1), b.toI32(run));
              return {expert, row, b.min(b.i32(height), b.sub(to, row))};
            },
            [&]() -> SmallVector<Value> {
              return {b.i32(-1), b.i32(0), b.i32(0)};
            });
        for (auto [column, word] : llvm::enumerate(words))
          b.store(word, (*table)->scalars, b.add(b.mul(entry, 3), column));
      },
      entries.ceilDiv(workgroup * 65535));
  d.setLabel("tiles");
  d.setWork(nullptr, entries * 12);
  return d.dispatch({{entries.ceilDiv(workgroup), dims.constant(65535)}});
}

LogicalResult moe::lowerTiles(KernelOp kernel, TilesOp op,
                              ProgramBuilder &program) {
  return TilesLowering(kernel, op, program).run();
}
