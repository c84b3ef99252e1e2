//===- UpdateInPlace.cpp - Results take the memory of their arguments -----===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// Three steps. Kernels that compute the next value of an argument element by
// element move to the end, with what reads their results. Those that stand
// there after all readers of their argument, and after all that can fault,
// update it. The other results are copied into their arguments last of all.
//
//===----------------------------------------------------------------------===//

#include "ElementwiseCopy.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "moe/Dialect/MoE/IR/MoE.h"
#include "moe/Dialect/MoE/Transforms/Passes.h"
#include "moe/Support/OneBlock.h"

namespace mlir::moe {
#define GEN_PASS_DEF_UPDATEINPLACEPASS
#include "moe/Dialect/MoE/Transforms/Passes.h.inc"
} // namespace mlir::moe

using namespace mlir;
using namespace mlir::moe;

namespace {
/// An argument, and the use of its next value by the function's terminator.
struct State {
  BlockArgument argument;
  OpOperand *next;
};
} // namespace

static SmallVector<State> collectState(func::FuncOp func) {
  SmallVector<State> states;
  Operation *terminator = func.getBody().front().getTerminator();
  for (BlockArgument argument : func.getArguments())
    if (auto result = func.getArgAttrOfType<IntegerAttr>(
            argument.getArgNumber(), MoEDialect::getAliasesResultAttrName()))
      states.push_back({argument, &terminator->getOpOperand(result.getInt())});
  return states;
}

// An elementwise op that reads `use` at the position, in row-major order, at
// which it writes its results.
static bool keepsPositions(linalg::GenericOp op, OpOperand &use) {
  return op.getNumParallelLoops() == op.getNumLoops() &&
         op.getMatchingIndexingMap(&use).isIdentity() &&
         llvm::all_of(op.getRegionOutputArgs(), [&](BlockArgument output) {
           return op.getMatchingIndexingMap(op.getMatchingOpOperand(output))
               .isIdentity();
         });
}

// Whether all that a kernel computes from `value`, it computes at the positions
// that it reads.
static bool isReadAtOwnPositions(Value value) {
  return llvm::all_of(value.getUses(), [](OpOperand &use) {
    Operation *user = use.getOwner();
    if (isa<YieldOp>(user))
      return true;
    if (isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(user))
      return isReadAtOwnPositions(user->getResult(0));
    if (OpTrait::hasElementwiseMappableTraits(user))
      return llvm::all_of(user->getResults(), isReadAtOwnPositions);
    auto generic = dyn_cast<linalg::GenericOp>(user); // not an op in its body
    return generic && keepsPositions(generic, use) &&
           llvm::all_of(generic.getResults(), isReadAtOwnPositions);
  });
}

static bool readsAtOwnPositions(KernelOp kernel, Value argument) {
  return llvm::all_of(
      llvm::zip(kernel.getInputs(), kernel.getBody().getArguments()),
      [&](auto pair) {
        auto [input, inner] = pair;
        return input != argument || isReadAtOwnPositions(inner);
      });
}

// Whether the kernel of a result could write it over `argument`.
static bool canUpdate(BlockArgument argument, OpResult result) {
  auto kernel = cast<KernelOp>(result.getOwner());
  if (kernel.getUpdates() ||
      (kernel.getSchedule() &&
       kernel.getSchedule()->getFamily() != Family::Elementwise))
    return false;
  // Elementwise is what has elementwise roots.
  Operation *yield = kernel.getBody().front().getTerminator();
  for (Value root : yield->getOperands()) {
    while (isa_and_nonnull<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(
        root.getDefiningOp()))
      root = root.getDefiningOp()->getOperand(0);
    auto generic = root.getDefiningOp<linalg::GenericOp>();
    if (!generic || generic.getNumParallelLoops() != generic.getNumLoops())
      return false;
  }
  return readsAtOwnPositions(kernel, argument);
}

static OpResult getNext(const State &state) {
  return cast<OpResult>(state.next->get());
}

// Moves the kernels and what depends on them before the terminator. Kernels
// that update by hand move too, so that they stay behind what reads their
// argument.
static void moveToEnd(func::FuncOp func, ArrayRef<State> states) {
  Block &block = func.getBody().front();
  llvm::SmallPtrSet<Operation *, 8> moved;
  for (const State &state : states)
    moved.insert(getNext(state).getOwner());
  for (auto kernel : block.getOps<KernelOp>())
    if (kernel.getUpdates() && !states.empty())
      moved.insert(kernel);
  SmallVector<Operation *> order;
  for (Operation &op : block.without_terminator()) {
    bool depends = moved.contains(&op);
    op.walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        depends |= moved.contains(operand.getDefiningOp());
    });
    if (!depends)
      continue;
    moved.insert(&op);
    order.push_back(&op);
  }
  for (Operation *op : order)
    op->moveBefore(block.getTerminator());
}

// Whether a position of a slice follows from sizes, so that the host checks it.
static bool followsFromSizes(Value position) {
  Operation *op = position.getDefiningOp();
  if (!op || op->hasTrait<OpTrait::ConstantLike>() || isa<tensor::DimOp>(op))
    return true; // an input of the kernel is a size
  return isa<arith::AddIOp, arith::SubIOp, affine::AffineApplyOp>(op) &&
         llvm::all_of(op->getOperands(), followsFromSizes);
}

// Whether a kernel computes positions from data, which the device checks. Those
// that turn out to be in range cost nothing but a copy of the state.
static bool computesPositions(KernelOp kernel) {
  return kernel
      .walk([](Operation *op) {
        auto slice = dyn_cast<OffsetSizeAndStrideOpInterface>(op);
        bool found =
            isa<tensor::ExtractOp>(op) ||
            (slice && !llvm::all_of(slice->getOperands(), [](Value operand) {
               return !operand.getType().isIndex() || followsFromSizes(operand);
             }));
        return found ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

// Whether an op after `kernel` reads `argument`, or finds a fault.
static bool isTooEarly(KernelOp kernel, BlockArgument argument) {
  for (Operation *later = kernel; (later = later->getNextNode());) {
    if (auto other = dyn_cast<KernelOp>(later);
        other && (!isMemoryEffectFree(later) || computesPositions(other)))
      return true;
    if (llvm::is_contained(later->getOperands(), argument))
      return true;
  }
  return false;
}

static void update(KernelOp kernel, OpResult result, BlockArgument argument) {
  int64_t input =
      llvm::find(kernel.getInputs(), argument) - kernel.getInputs().begin();
  if (input == static_cast<int64_t>(kernel.getInputs().size())) {
    kernel.getInputsMutable().append(argument);
    kernel.getBody().addArgument(argument.getType(), argument.getLoc());
  }
  SmallVector<int64_t> updates(kernel.getNumResults(), -1);
  if (std::optional<ArrayRef<int64_t>> others = kernel.getUpdates())
    updates.assign(others->begin(), others->end());
  updates[result.getResultNumber()] = input;
  kernel.setUpdates(updates);
}

// Ends the function with a kernel that copies the next value of an argument.
static void copyAtEnd(const State &state) {
  Value next = state.next->get();
  ImplicitLocOpBuilder b(next.getLoc(), state.next->getOwner());
  auto kernel = KernelOp::create(b, next.getType(), "update",
                                 ValueRange{next, state.argument});
  Block &body = kernel.getBody().emplaceBlock();
  body.addArguments({next.getType(), next.getType()},
                    {next.getLoc(), next.getLoc()});
  b.setInsertionPointToStart(&body);
  YieldOp::create(b, createCopy(b, body.getArgument(0), body.getArgument(1)));
  kernel.setUpdates({{-1}});
  update(kernel, kernel->getResult(0), state.argument);
  state.next->set(kernel->getResult(0));
}

namespace {
struct UpdateInPlacePass : moe::impl::UpdateInPlacePassBase<UpdateInPlacePass> {
  void runOnOperation() override {
    func::FuncOp func = getOperation();
    if (func.isExternal())
      return;
    if (failed(expectOneBlock(func)))
      return signalPassFailure();
    SmallVector<State> states = collectState(func), own, copied;
    for (const State &state : states) {
      if (!isa_and_nonnull<KernelOp>(state.next->get().getDefiningOp())) {
        func.emitError("expected the result that argument ")
            << state.argument.getArgNumber()
            << " aliases to be the result of a kernel: run "
               "--moe-form-kernels first";
        return signalPassFailure();
      }
      OpResult next = getNext(state);
      auto kernel = cast<KernelOp>(next.getOwner());
      if (kernel.getUpdatedInput(next) == state.argument) { // by hand
        if (readsAtOwnPositions(kernel, state.argument))
          continue;
        kernel.emitOpError("expected to read argument ")
            << state.argument.getArgNumber()
            << ", which it updates, only at the positions that it writes, but "
               "got another use";
        return signalPassFailure();
      }
      bool can = canUpdate(state.argument, next);
      (can ? own : copied).push_back(state);
    }
    moveToEnd(func, own);
    for (const State &state : own) {
      auto kernel = cast<KernelOp>(getNext(state).getOwner());
      if (isTooEarly(kernel, state.argument))
        copied.push_back(state);
      else
        update(kernel, getNext(state), state.argument);
    }
    for (const State &state : copied)
      copyAtEnd(state);
  }
};
} // namespace
