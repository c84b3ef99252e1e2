//===- FormKernels.cpp - Groups the ops of a function into kernels ---------===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"
#include "moe/Dialect/MoE/IR/MoE.h"
#include "moe/Dialect/MoE/Transforms/Passes.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::moe {
#define GEN_PASS_DEF_FORMKERNELSPASS
#include "moe/Dialect/MoE/Transforms/Passes.h.inc"
} // namespace mlir::moe

using namespace mlir;
using namespace mlir::moe;

// Ops that cost nothing inside the kernel that reads them.
static bool isView(Operation *op) {
  DenseElementsAttr constant;
  if (matchPattern(op, m_Constant(&constant)))
    return constant.isSplat();
  return isa<tensor::EmptyOp, tensor::CastOp, tensor::ExtractSliceOp, tensor::ExpandShapeOp,
             tensor::CollapseShapeOp, tensor::InsertSliceOp, tensor::SplatOp, linalg::FillOp>(op);
}

// Roots compute tensors; every one becomes a kernel of its own.
static bool isRoot(Operation *op) {
  return isa<linalg::LinalgOp, RouteOp, PlanOp, CheckOffsetsOp, DispatchOp, GroupedMatmulOp,
             GroupedOuterOp, GroupedReduceOp, CombineOp, CombineWeightGradOp>(op) &&
         !isView(op);
}

// Whether `producer` moves into the kernel of `consumer`.
static bool fuses(Operation *producer, Operation *consumer) {
  if (isView(producer))
    return true;
  // Rows are gathered while the product reads them. The gather costs an index
  // a row, so also where two products share it.
  return isa<DispatchOp>(producer) && isa<GroupedMatmulOp>(consumer);
}

static StringRef kernelName(Operation *root) {
  StringRef name = root->getName().stripDialect();
  if (auto generic = dyn_cast<linalg::GenericOp>(root))
    return generic.getNumReductionLoops() ? "reduce" : "elementwise";
  return name;
}

namespace {
/// Collects what goes into the kernel of one root and builds it.
class KernelFormer {
public:
  explicit KernelFormer(Operation *root) : root(root) {}

  KernelOp form() {
    collect(root);
    ImplicitLocOpBuilder b(root->getLoc(), root);
    SmallVector<Value> captured(inputs.begin(), inputs.end());
    auto kernel = KernelOp::create(b, root->getResultTypes(),
                                   b.getStringAttr(kernelName(root)), captured, ScheduleAttr());
    Block &body = kernel.getBody().emplaceBlock();
    IRMapping map;
    for (Value input : captured)
      map.map(input, body.addArgument(input.getType(), input.getLoc()));
    b.setInsertionPointToStart(&body);
    for (Operation *op : ops)
      b.clone(*op, map);
    SmallVector<Value> results;
    for (Value result : root->getResults())
      results.push_back(map.lookup(result));
    YieldOp::create(b, results);
    return kernel;
  }

private:
  // Adds `op` after everything it needs.
  void collect(Operation *op) {
    auto need = [&](Value value) {
      Operation *producer = value.getDefiningOp();
      if (producer && ops.contains(producer))
        return;
      // Sizes are kernel inputs; scalar constants are copied.
      bool scalar = !isa<RankedTensorType>(value.getType());
      if (producer &&
          (scalar ? producer->hasTrait<OpTrait::ConstantLike>() : fuses(producer, op)))
        collect(producer);
      else
        inputs.insert(value);
    };
    op->walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        if (!op->isAncestor(operand.getParentRegion()->getParentOp()))
          need(operand); // not defined inside the op
    });
    ops.insert(op);
  }

  Operation *root;
  llvm::SetVector<Operation *> ops; ///< in an order that dominates
  llvm::SetVector<Value> inputs;
};

struct FormKernelsPass : moe::impl::FormKernelsPassBase<FormKernelsPass> {
  void runOnOperation() override;
};
} // namespace

// A copy of `value`, so that a kernel produces it.
static Value copyOf(OpBuilder &builder, Value value) {
  ImplicitLocOpBuilder b(value.getLoc(), builder);
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b, b.getLoc(), value);
  Value init = tensor::EmptyOp::create(b, sizes, type.getElementType());
  AffineMap identity = b.getMultiDimIdentityMap(type.getRank());
  SmallVector<utils::IteratorType> loops(type.getRank(), utils::IteratorType::parallel);
  auto copy = linalg::GenericOp::create(
      b, init.getType(), value, init, ArrayRef{identity, identity}, loops,
      [](OpBuilder &nested, Location loc, ValueRange args) {
        linalg::YieldOp::create(nested, loc, args[0]);
      });
  Value result = copy.getResult(0);
  if (result.getType() != type)
    result = tensor::CastOp::create(b, type, result);
  return result;
}

void FormKernelsPass::runOnOperation() {
  func::FuncOp func = getOperation();
  Operation *terminator = func.getBody().front().getTerminator();

  // Every result of the function is one kernel's result of its own.
  OpBuilder builder(terminator);
  llvm::SmallDenseSet<Value> returned;
  for (OpOperand &result : terminator->getOpOperands()) {
    Operation *producer = result.get().getDefiningOp();
    if (!producer || !isRoot(producer) || !returned.insert(result.get()).second)
      result.set(copyOf(builder, result.get()));
  }

  SmallVector<Operation *> roots;
  for (Operation &op : func.getBody().front())
    if (isRoot(&op))
      roots.push_back(&op);
  for (Operation *root : roots) {
    bool dead = llvm::all_of(root->getUsers(), [&](Operation *user) {
      return isRoot(user) && fuses(root, user);
    });
    if (dead && !isa<PlanOp, CheckOffsetsOp>(root))
      continue; // moves into each of its users
    for (Type type : root->getResultTypes())
      if (!cast<RankedTensorType>(type).getElementType().isF32() &&
          !cast<RankedTensorType>(type).getElementType().isSignlessInteger(32)) {
        root->emitOpError("expected a result of f32 or i32 to store, but got ") << type;
        return signalPassFailure();
      }
    KernelOp kernel = KernelFormer(root).form();
    for (auto [from, to] : llvm::zip(root->getResults(), kernel.getResults()))
      from.replaceUsesWithIf(to, [&](OpOperand &use) {
        // Those that fuse keep reading the op itself.
        return !(isRoot(use.getOwner()) && fuses(root, use.getOwner()));
      });
  }
  // Roots and views that nothing reads any more.
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(func.getBody().front())))
    if (!isa<KernelOp>(op) && op.use_empty() && !op.hasTrait<OpTrait::IsTerminator>() &&
        (isRoot(&op) || isOpTriviallyDead(&op)))
      op.erase();
}
