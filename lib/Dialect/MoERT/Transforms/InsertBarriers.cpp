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
/// The bytes [begin, end) of a buffer.
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

/// The part of its underlying buffer that `value` covers, when it is constant.
/// A buffer that is not sliced covers all of itself, and gives nothing.
static std::optional<ByteRange> getSlicedRange(Value value) {
  auto slice = value.getDefiningOp<SliceOp>();
  std::optional<int64_t> size;
  if (slice)
    size = getConstant(slice.getBytes());
  if (!size)
    return std::nullopt;
  int64_t begin = 0;
  for (; slice; slice = slice.getBuffer().getDefiningOp<SliceOp>()) {
    std::optional<int64_t> offset = getConstant(slice.getOffset());
    if (!offset)
      return std::nullopt;
    if (llvm::AddOverflow(begin, *offset, begin))
      return std::nullopt;
  }
  int64_t end;
  if (llvm::AddOverflow(begin, *size, end))
    return std::nullopt;
  return ByteRange{begin, end};
}

static bool conflict(const BufferAccess &a, const BufferAccess &b) {
  if (!a.writes && !b.writes)
    return false;
  if (getUnderlyingBuffer(a.buffer) != getUnderlyingBuffer(b.buffer))
    return false;
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
