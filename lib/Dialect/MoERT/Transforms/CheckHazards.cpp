//===- CheckHazards.cpp - Proves that barriers order what conflicts -------===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// Compares all pairs of accesses and trusts no earlier pass: neither that the
// slots of the memory plan are apart nor that each barrier is where it belongs.
//
//===----------------------------------------------------------------------===//

#include "SizeForm.h"
#include "moe/Dialect/MoERT/Transforms/Passes.h"

namespace mlir::moe_rt {
#define GEN_PASS_DEF_CHECKHAZARDSPASS
#include "moe/Dialect/MoERT/Transforms/Passes.h.inc"
} // namespace mlir::moe_rt

using namespace mlir;
using namespace mlir::moe_rt;

namespace {
/// One access: [begin, end) of the memory that `memory` names.
struct Access {
  Operation *command;
  unsigned interval; ///< number of barriers before the command
  BufferOp buffer;
  bool writes;
  Operation *memory; ///< the buffer, or the program for its arena
  SizeForm begin, end;
};

struct CheckHazardsPass final
    : moe_rt::impl::CheckHazardsPassBase<CheckHazardsPass> {
  void runOnOperation() override {
    SizeForms sizes;
    SmallVector<Access> accesses = collect(sizes);
    bool failed = false;
    for (auto [number, second] : llvm::enumerate(accesses)) {
      for (const Access &first : ArrayRef(accesses).take_front(number)) {
        if (first.command == second.command || !conflict(first, second, sizes))
          continue;
        report(first, second);
        failed = true;
        break;
      }
    }
    if (failed)
      signalPassFailure();
  }

  SmallVector<Access> collect(SizeForms &sizes) {
    SmallVector<Access> accesses;
    unsigned interval = 0;
    for (Operation &op : getOperation().getBody().front()) {
      interval += isa<BarrierOp>(op);
      for (const BufferAccess &access : getBufferAccesses(&op)) {
        accesses.push_back(locate(access.buffer, sizes));
        accesses.back().command = &op;
        accesses.back().interval = interval;
        accesses.back().writes = access.writes;
      }
    }
    return accesses;
  }

  Access locate(Value range, SizeForms &sizes) {
    Access access;
    access.buffer = getUnderlyingBuffer(range);
    auto slice = range.getDefiningOp<SliceOp>();
    access.end = sizes.get(slice ? slice.getBytes() : access.buffer.getBytes());
    for (; slice; slice = slice.getBuffer().getDefiningOp<SliceOp>())
      access.begin.add(sizes.get(slice.getOffset()), SizeForm::Number(1));
    access.memory = access.buffer;
    if (Value offset = access.buffer.getOffset()) {
      access.memory = getOperation();
      access.begin.add(sizes.get(offset), SizeForm::Number(1));
    }
    access.end.add(access.begin, SizeForm::Number(1));
    return access;
  }

  bool conflict(const Access &a, const Access &b, SizeForms &sizes) {
    if (a.interval != b.interval || a.memory != b.memory ||
        !(a.writes || b.writes))
      return false;
    return !sizes.provesAtMost(a.end, b.begin) &&
           !sizes.provesAtMost(b.end, a.begin);
  }

  void report(const Access &first, const Access &second) {
    InFlightDiagnostic error = second.command->emitOpError(
        "expected a barrier between this access to '");
    error << BufferOp(second.buffer).getName()
          << "' and an earlier one, but got none";
    Diagnostic &note = error.attachNote(first.command->getLoc());
    note << "the earlier access, to '" << BufferOp(first.buffer).getName()
         << "'";
    if (first.buffer != second.buffer)
      note << ", which may share its memory";
  }
};
} // namespace
