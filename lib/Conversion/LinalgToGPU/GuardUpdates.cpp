//===- GuardUpdates.cpp - State changes only in a run without a fault -----===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// A dispatch that updates state must do nothing in a run that has found a fault
// in data. It takes its grid from a buffer, which one small kernel fills after
// all kernels that can find a fault: with the grids when the status is 0, with
// zeros otherwise. So the updating kernels themselves read no status and bind
// no buffer more, and the host is not asked.
//
//===----------------------------------------------------------------------===//

#include "moe/Conversion/ProgramBuilder.h"

using namespace mlir;
using namespace mlir::moe;

static constexpr int64_t bytesPerGrid = 12; // x, y, z

std::pair<Value, Value> ProgramBuilder::guardGrid(ArrayRef<int32_t> grid) {
  if (!guardedGrids) {
    int64_t count =
        llvm::count_if(func.getBody().getOps<KernelOp>(), [](KernelOp kernel) {
          return kernel.getUpdates().has_value();
        });
    guardedGrids = addScratch("grids of updates",
                              symbolicDims.constant(bytesPerGrid * count));
    guardPoint = guardedGrids.getDefiningOp();
    guardedSites = numFaultSites;
  }
  Value offset = arith::ConstantIndexOp::create(
      commands, func.getLoc(), guardedWords.size() * sizeof(int32_t));
  llvm::append_range(guardedWords, grid);
  return {guardedGrids, offset};
}

LogicalResult ProgramBuilder::finish() {
  assertLoopLimits();
  assertSizeBounds();
  if (!guardedGrids)
    return success();
  if (guardedSites != numFaultSites)
    return func.emitError("expected kernels that can find a fault before those "
                          "that update state, but got one after them");
  OpBuilder::InsertionGuard restore(commands);
  commands.setInsertionPointAfter(guardPoint);
  int64_t count = guardedWords.size();
  auto type = RankedTensorType::get({count}, commands.getI32Type());
  auto words = DenseIntElementsAttr::get(type, ArrayRef(guardedWords));
  Value bytes = arith::ConstantIndexOp::create(commands, func.getLoc(),
                                               count * sizeof(int32_t));
  Value table = createBuffer(func.getLoc(), "grids of updates without a fault",
                             moe_rt::BufferKind::Constant, bytes, words);

  constexpr int64_t workgroup = 64;
  DispatchBuilder d(*this, func.getLoc(), "guard_updates", workgroup);
  KernelBuilder &b = d.kernel();
  KernelBuffer &found = *d.buffer(BufferUse::Read, status, b.getI32Type());
  KernelBuffer &wanted = *d.buffer(BufferUse::Read, table, b.getI32Type());
  KernelBuffer &grids =
      *d.buffer(BufferUse::Write, guardedGrids, b.getI32Type());
  Value position = b.globalId();
  b.ifThen(b.lt(position, b.idx(count)), [&] {
    Value good = b.eq(b.load(found.scalars, b.idx(0)), b.i32(0));
    Value word = b.load(wanted.scalars, position);
    b.store(b.select(good, word, b.i32(0)), grids.scalars, position);
  });
  d.setLabel("guard updates");
  return d.dispatch(
      {{symbolicDims.constant(llvm::divideCeil(count, workgroup))}});
}
