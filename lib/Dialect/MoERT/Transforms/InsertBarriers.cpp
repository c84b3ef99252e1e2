//===- InsertBarriers.cpp - Barriers between conflicting commands ---------===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "moe/Dialect/MoERT/Transforms/Passes.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"

namespace mlir::moe_rt {
#define GEN_PASS_DEF_INSERTBARRIERSPASS
#include "moe/Dialect/MoERT/Transforms/Passes.h.inc"
} // namespace mlir::moe_rt

using namespace mlir;
using namespace mlir::moe_rt;

namespace {
/// The bytes [begin, end) of a buffer or of the arena.
struct ByteRange {
  int64_t begin, end;

  bool meets(const ByteRange &other) const {
    return begin < other.end && other.begin < end;
  }
};
} // namespace

static std::optional<int64_t> getConstant(Value size) {
  APInt value;
  if (!matchPattern(size, m_ConstantInt(&value)))
    return std::nullopt;
  return value.getSExtValue();
}

static std::optional<ByteRange> getRange(Value offset, Value bytes) {
  std::optional<int64_t> begin = getConstant(offset);
  std::optional<int64_t> size = getConstant(bytes);
  if (!begin || !size)
    return std::nullopt;
  return ByteRange{*begin, *begin + *size};
}

/// The part of its underlying buffer that `value` covers, when it is constant.
/// A buffer that is not sliced covers all of itself, and gives nothing.
static std::optional<ByteRange> getSlicedRange(Value value) {
  auto slice = value.getDefiningOp<SliceOp>();
  if (!slice)
    return std::nullopt;
  std::optional<ByteRange> range =
      getRange(slice.getOffset(), slice.getBytes());
  // A slice of a slice counts from the beginning of the outer one.
  for (Value outer = slice.getBuffer(); range;) {
    auto outerSlice = outer.getDefiningOp<SliceOp>();
    if (!outerSlice)
      break;
    std::optional<int64_t> offset = getConstant(outerSlice.getOffset());
    if (!offset)
      return std::nullopt;
    range = ByteRange{range->begin + *offset, range->end + *offset};
    outer = outerSlice.getBuffer();
  }
  return range;
}

static bool mayShareArena(BufferOp a, BufferOp b) {
  if (a.getKind() != BufferKind::Transient ||
      b.getKind() != BufferKind::Transient)
    return false;
  // Without a place in the arena, a transient has memory of its own.
  if (!a.getOffset() || !b.getOffset())
    return false;
  std::optional<ByteRange> first = getRange(a.getOffset(), a.getBytes());
  std::optional<ByteRange> second = getRange(b.getOffset(), b.getBytes());
  if (first && second)
    return first->meets(*second);
  // Offsets that differ are slots of the plan, which do not overlap. That is
  // not proven here: moe-rt-check-hazards does.
  return a.getOffset() == b.getOffset();
}

static bool conflict(const BufferAccess &a, const BufferAccess &b) {
  if (!a.writes && !b.writes)
    return false;
  BufferOp first = getUnderlyingBuffer(a.buffer);
  BufferOp second = getUnderlyingBuffer(b.buffer);
  if (first != second)
    return mayShareArena(first, second);
  std::optional<ByteRange> firstRange = getSlicedRange(a.buffer);
  std::optional<ByteRange> secondRange = getSlicedRange(b.buffer);
  return !firstRange || !secondRange || firstRange->meets(*secondRange);
}

namespace {
struct InsertBarriersPass final
    : moe_rt::impl::InsertBarriersPassBase<InsertBarriersPass> {
  void runOnOperation() override {
    SmallVector<BufferAccess> pending; // since the last barrier
    for (Operation &op : getOperation().getBody().front()) {
      if (isa<BarrierOp>(op)) {
        pending.clear();
        continue;
      }
      SmallVector<BufferAccess> accesses = getBufferAccesses(&op);
      bool mustWait = llvm::any_of(accesses, [&](const BufferAccess &access) {
        return llvm::any_of(pending, [&](const BufferAccess &earlier) {
          return conflict(earlier, access);
        });
      });
      if (mustWait) {
        OpBuilder builder(&op);
        BarrierOp::create(builder, op.getLoc());
        pending.clear();
      }
      pending.append(accesses);
    }
  }
};
} // namespace
