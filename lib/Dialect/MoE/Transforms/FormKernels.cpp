//===- FormKernels.cpp - Groups the ops of a function into kernels
//---------===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "ElementwiseCopy.h"
#include "KernelContents.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "moe/Dialect/MoE/IR/MoE.h"
#include "moe/Dialect/MoE/Transforms/Passes.h"
#include "moe/Support/OneBlock.h"

namespace mlir::moe {
#define GEN_PASS_DEF_FORMKERNELSPASS
#include "moe/Dialect/MoE/Transforms/Passes.h.inc"
} // namespace mlir::moe

using namespace mlir;
using namespace mlir::moe;

// Whether `user` keeps reading `root` itself when kernels are formed.
static bool readsInPlace(Operation *root, Operation *user, bool fuseDispatch) {
  return (isKernelRoot(user) || isKernelView(user)) &&
         movesIntoKernel(root, user, fuseDispatch);
}

// A reshape that only gives an elementwise result the shape in which the
// function returns it: the kernel of the result yields it so.
static Operation *getReturnedShape(Value result) {
  auto generic = result.getDefiningOp<linalg::GenericOp>();
  if (!generic || generic.getNumParallelLoops() != generic.getNumLoops() ||
      !result.hasOneUse())
    return nullptr;
  Operation *shape = *result.user_begin();
  if (!isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(shape) ||
      !cast<RankedTensorType>(shape->getResult(0).getType()).hasStaticShape() ||
      !shape->hasOneUse() ||
      !shape->user_begin()->hasTrait<OpTrait::IsTerminator>())
    return nullptr;
  return shape;
}

// Whether the kernel of an op makes `value`, a result of the function, or one
// that is a kernel already.
static bool isMadeByKernel(Value value) {
  Operation *producer = value.getDefiningOp();
  if (!producer)
    return false;
  return isKernelRoot(producer) || isa<KernelOp>(producer) ||
         (isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(producer) &&
          getReturnedShape(producer->getOperand(0)) == producer);
}

static StringRef kernelName(Operation *root) {
  StringRef name = root->getName().stripDialect();
  if (auto generic = dyn_cast<linalg::GenericOp>(root))
    return generic.getNumReductionLoops() ? "reduce" : "elementwise";
  return name;
}

namespace {
/// Builds the kernel of one root.
class KernelFormer {
public:
  KernelFormer(Operation *root, bool fuseDispatch) : root(root) {
    contents.add(root, fuseDispatch);
  }

  KernelOp form() {
    ImplicitLocOpBuilder b(root->getLoc(), root);
    SmallVector<Value> captured(contents.inputs.begin(), contents.inputs.end());
    SmallVector<Operation *> shapes =
        llvm::map_to_vector(root->getResults(), getReturnedShape);
    SmallVector<Type> types;
    for (auto [result, shape] : llvm::zip(root->getResults(), shapes))
      types.push_back(shape ? shape->getResult(0).getType() : result.getType());
    auto kernel = KernelOp::create(b, types, kernelName(root), captured);
    Block &body = kernel.getBody().emplaceBlock();
    IRMapping map;
    for (Value input : captured)
      map.map(input, body.addArgument(input.getType(), input.getLoc()));
    b.setInsertionPointToStart(&body);
    for (Operation *op : contents.ops)
      b.clone(*op, map);
    SmallVector<Value> results;
    for (auto [result, shape] : llvm::zip(root->getResults(), shapes))
      results.push_back(shape ? b.clone(*shape, map)->getResult(0)
                              : map.lookup(result));
    YieldOp::create(b, results);
    return kernel;
  }

private:
  Operation *root;
  KernelContents contents;
};

struct FormKernelsPass : moe::impl::FormKernelsPassBase<FormKernelsPass> {
  using Base::Base;

  void runOnOperation() override;
};
} // namespace

// A copy of `value`, so that a kernel produces it.
static Value copyOf(OpBuilder &builder, Value value) {
  ImplicitLocOpBuilder b(value.getLoc(), builder);
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<Value> sizes;
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    if (type.isDynamicDim(dim))
      sizes.push_back(tensor::DimOp::create(b, value, dim));
  Value init = tensor::EmptyOp::create(b, type, sizes);
  return createCopy(b, value, init);
}

// Where buffers are read as they are, a kernel must have made them; of the rows
// of check_offsets only the number is read.
static void copyViews(func::FuncOp func) {
  SmallVector<OpOperand *> views;
  for (Operation &op : func.getBody().front())
    if (readsBuffers(&op))
      for (OpOperand &operand : op.getOpOperands())
        if (Operation *producer = operand.get().getDefiningOp();
            producer && isKernelView(producer) &&
            !(isa<CheckOffsetsOp>(op) && operand.getOperandNumber() == 1))
          views.push_back(&operand);
  for (OpOperand *view : views) {
    OpBuilder builder(view->getOwner());
    view->set(copyOf(builder, view->get()));
  }
}

// What is left around the kernels must be constants, sizes and assertions on
// them, and the views that sizes are asked of.
static LogicalResult checkLeft(Operation *op) {
  if (isa<KernelOp, cf::AssertOp>(op) || op->hasTrait<OpTrait::IsTerminator>())
    return success();
  bool tensors = llvm::any_of(op->getResultTypes(), llvm::IsaPred<TensorType>);
  bool constant = op->hasTrait<OpTrait::ConstantLike>();
  if (constant && tensors && !isStorable(op->getResult(0).getType()))
    return op->emitOpError(
               "expected a constant of f32 or i32 to store, but got ")
           << op->getResult(0).getType();
  if (constant || isKernelView(op) || (isMemoryEffectFree(op) && !tensors))
    return success();
  return op->emitOpError(
      "has no lowering to the device: expected an op of moe or linalg, or a "
      "view of a tensor");
}

void FormKernelsPass::runOnOperation() {
  func::FuncOp func = getOperation();
  if (func.isExternal())
    return;
  if (failed(expectOneBlock(func)))
    return signalPassFailure();
  Operation *terminator = func.getBody().front().getTerminator();
  for (auto [number, type] : llvm::enumerate(terminator->getOperandTypes()))
    if (!isa<RankedTensorType>(type)) {
      func.emitError("expected result ")
          << number << " to be a ranked tensor of f32 or i32 to store, but got "
          << type;
      return signalPassFailure();
    }

  // Every result of the function is one kernel's result of its own.
  OpBuilder builder(terminator);
  llvm::SmallDenseSet<Value> returned;
  for (OpOperand &result : terminator->getOpOperands()) {
    if (!isMadeByKernel(result.get()) || !returned.insert(result.get()).second)
      result.set(copyOf(builder, result.get()));
  }

  copyViews(func);

  SmallVector<Operation *> roots;
  for (Operation &op : func.getBody().front())
    if (isKernelRoot(&op))
      roots.push_back(&op);
  for (Operation *root : roots) {
    bool dead = llvm::all_of(root->getUsers(), [&](Operation *user) {
      return readsInPlace(root, user, fuseDispatch);
    });
    if (dead && !isa<PlanOp, CheckMapsOp, CheckOffsetsOp>(root))
      continue; // moves into each of its users
    for (Type type : root->getResultTypes())
      if (!isStorable(type)) {
        root->emitOpError("expected a result of f32 or i32 to store, but got ")
            << type;
        return signalPassFailure();
      }
    KernelOp kernel = KernelFormer(root, fuseDispatch).form();
    for (auto [from, to] : llvm::zip(root->getResults(), kernel.getResults())) {
      if (Operation *shape = getReturnedShape(from)) {
        shape->getResult(0).replaceAllUsesWith(to);
        continue;
      }
      from.replaceUsesWithIf(to, [&](OpOperand &use) {
        return !readsInPlace(root, use.getOwner(), fuseDispatch);
      });
    }
  }
  // Roots and views that nothing reads any more.
  for (Operation &op :
       llvm::make_early_inc_range(llvm::reverse(func.getBody().front())))
    if (!isa<KernelOp>(op) && op.use_empty() &&
        !op.hasTrait<OpTrait::IsTerminator>() &&
        (isKernelRoot(&op) || isOpTriviallyDead(&op)))
      op.erase();
  for (Operation &op : func.getBody().front())
    if (failed(checkLeft(&op)))
      return signalPassFailure();
}
