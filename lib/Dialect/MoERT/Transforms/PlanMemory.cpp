//===- PlanMemory.cpp - Places the transient buffers in one arena ---------===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "moe/Dialect/MoERT/Transforms/Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/CSE.h"

namespace mlir::moe_rt {
#define GEN_PASS_DEF_PLANMEMORYPASS
#include "moe/Dialect/MoERT/Transforms/Passes.h.inc"
} // namespace mlir::moe_rt

using namespace mlir;
using namespace mlir::moe_rt;

/// No Vulkan device may ask for more at the offset of a storage buffer.
static constexpr int64_t slotAlignment = 256;

namespace {
/// A transient, and the first and last interval between barriers in which a
/// command touches it.
struct Lifetime {
  BufferOp buffer;
  unsigned first, last;
};

/// Memory of the arena that one transient after another uses.
struct Slot {
  SmallVector<BufferOp> buffers;
  SmallVector<Value> sizes; ///< of the buffers, without repetitions
  unsigned lastUse;         ///< interval
};
} // namespace

static bool isSizeArithmetic(Operation &op) {
  return isPure(&op) &&
         llvm::all_of(op.getResultTypes(), llvm::IsaPred<IndexType>);
}

/// Moves the size arithmetic, then the buffers, to the top of the program, so
/// that the plan can use every size and every later op every offset. Equal
/// sizes become one value: the plan compares them.
static void orderProgram(ProgramOp program) {
  SmallVector<Operation *> sizes, buffers, others;
  Block &body = program.getBody().front();
  for (Operation &op : body) {
    auto &kind = isSizeArithmetic(op) ? sizes
                 : isa<BufferOp>(op)  ? buffers
                                      : others;
    kind.push_back(&op);
  }
  for (Operation *op : llvm::concat<Operation *>(sizes, buffers, others))
    op->moveBefore(&body, body.end());

  IRRewriter rewriter(program.getContext());
  DominanceInfo dominance(program);
  eliminateCommonSubExpressions(rewriter, dominance, program);
}

/// The lifetimes of the transients, in the order in which they begin; erases
/// those that nothing uses.
static SmallVector<Lifetime> findLifetimes(ProgramOp program) {
  SmallVector<Lifetime> lifetimes;
  DenseMap<Operation *, unsigned> known;
  unsigned interval = 0;
  for (Operation &op : program.getBody().front()) {
    interval += isa<BarrierOp>(op);
    for (const BufferAccess &access : getBufferAccesses(&op)) {
      BufferOp buffer = getUnderlyingBuffer(access.buffer);
      if (buffer.getKind() != BufferKind::Transient)
        continue;
      auto [position, isNew] = known.try_emplace(buffer, lifetimes.size());
      if (isNew)
        lifetimes.push_back({buffer, interval, interval});
      lifetimes[position->second].last = interval;
    }
  }
  for (auto buffer : llvm::make_early_inc_range(program.getOps<BufferOp>())) {
    // Slices that nothing uses went with the common subexpressions.
    if (buffer.getKind() == BufferKind::Transient && buffer->use_empty())
      buffer.erase();
  }
  return lifetimes;
}

static SmallVector<Slot> assignSlots(ArrayRef<Lifetime> lifetimes) {
  SmallVector<Slot> slots;
  for (const Lifetime &lifetime : lifetimes) {
    Value size = BufferOp(lifetime.buffer).getBytes();
    auto isFree = [&](const Slot &slot) {
      return slot.lastUse < lifetime.first;
    };
    Slot *slot = llvm::find_if(slots, [&](const Slot &candidate) {
      return isFree(candidate) && llvm::is_contained(candidate.sizes, size);
    });
    if (slot == slots.end())
      slot = llvm::find_if(slots, isFree);
    if (slot == slots.end())
      slot = &slots.emplace_back();
    slot->buffers.push_back(lifetime.buffer);
    if (!llvm::is_contained(slot->sizes, size))
      slot->sizes.push_back(size);
    slot->lastUse = lifetime.last;
  }
  return slots;
}

static OpFoldResult getLargest(OpBuilder &builder, Location loc,
                               ArrayRef<Value> sizes) {
  if (sizes.size() == 1)
    return sizes.front();
  AffineMap all = builder.getMultiDimIdentityMap(sizes.size());
  return affine::makeComposedFoldedAffineMax(builder, loc, all,
                                             getAsOpFoldResult(sizes));
}

namespace {
struct PlanMemoryPass final : moe_rt::impl::PlanMemoryPassBase<PlanMemoryPass> {
  void runOnOperation() override {
    ProgramOp program = getOperation();
    auto arenas = program.getOps<ArenaOp>();
    if (!arenas.empty()) {
      (*arenas.begin())
          .emitOpError("expected a program without an arena, but got one: its "
                       "memory is already planned");
      return signalPassFailure();
    }
    orderProgram(program);
    SmallVector<Lifetime> lifetimes = findLifetimes(program);
    layOut(program, assignSlots(lifetimes));
  }

  /// Puts the slots one behind the other and ends with the arena's size.
  void layOut(ProgramOp program, ArrayRef<Slot> slots) {
    Block &body = program.getBody().front();
    Location loc = program.getLoc();
    auto firstOther = llvm::find_if(
        body, [](Operation &op) { return !isSizeArithmetic(op); });
    OpBuilder builder(&body, firstOther);
    OpFoldResult end = builder.getIndexAttr(0);
    AffineExpr begin = builder.getAffineDimExpr(0);
    AffineExpr size = builder.getAffineDimExpr(1);
    AffineExpr next = begin + size.ceilDiv(slotAlignment) * slotAlignment;
    for (const Slot &slot : slots) {
      Value offset = getValueOrCreateConstantIndexOp(builder, loc, end);
      for (BufferOp buffer : slot.buffers)
        buffer.getOffsetMutable().assign(offset);
      OpFoldResult largest = getLargest(builder, loc, slot.sizes);
      end = affine::makeComposedFoldedAffineApply(builder, loc, next,
                                                  {offset, largest});
    }
    Value bytes = getValueOrCreateConstantIndexOp(builder, loc, end);
    auto afterBuffers = llvm::find_if(body, [](Operation &op) {
      return !isSizeArithmetic(op) && !isa<BufferOp>(op);
    });
    builder.setInsertionPoint(&body, afterBuffers);
    ArenaOp::create(builder, loc, bytes);
  }
};
} // namespace
