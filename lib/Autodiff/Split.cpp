//===- Split.cpp - A derivative as one function or as two -----------------===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Split.h"

#include "mlir/Dialect/MemRef/Transforms/Transforms.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/CSE.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mlir/Transforms/RegionUtils.h"
#include "moe/Autodiff/DerivativeInterface.h"

using namespace mlir;
using namespace mlir::moe;

static void updateFunctionType(func::FuncOp function) {
  Block &body = function.getBody().front();
  function.setType(FunctionType::get(function.getContext(),
                                     body.getArgumentTypes(),
                                     body.getTerminator()->getOperandTypes()));
  // One dictionary per argument and result, also of the new ones.
  auto resize = [&](ArrayAttr attrs, unsigned count) {
    SmallVector<Attribute> all(attrs.begin(), attrs.end());
    all.resize(count, DictionaryAttr::get(function.getContext()));
    return ArrayAttr::get(function.getContext(), all);
  };
  if (ArrayAttr attrs = function.getArgAttrsAttr())
    function.setArgAttrsAttr(resize(attrs, function.getNumArguments()));
  if (ArrayAttr attrs = function.getResAttrsAttr())
    function.setResAttrsAttr(resize(attrs, function.getNumResults()));
}

static void eraseDead(func::FuncOp function) {
  for (Operation &op :
       llvm::make_early_inc_range(llvm::reverse(function.getBody().front())))
    if (isOpTriviallyDead(&op))
      op.erase();
}

void JointDerivative::updateType() { updateFunctionType(function); }

namespace {
/// Keeps a set of ops right while others erase them.
struct Forget final : RewriterBase::Listener {
  explicit Forget(llvm::DenseSet<Operation *> &ops) : ops(ops) {}
  void notifyOperationErased(Operation *op) override { ops.erase(op); }
  llvm::DenseSet<Operation *> &ops;
};
} // namespace

LogicalResult JointDerivative::simplify() {
  Forget forget(primalOps);
  // No function needs a tensor just to know how large it was.
  RewritePatternSet patterns(function.getContext());
  memref::populateResolveRankedShapedTypeResultDimsPatterns(patterns);
  GreedyRewriteConfig config;
  config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled)
      .setListener(&forget);
  if (failed(applyPatternsGreedily(function, std::move(patterns), config)))
    return failure();

  IRRewriter rewriter(function.getContext(), &forget);
  DominanceInfo dominance(function);
  eliminateCommonSubExpressions(rewriter, dominance, function);
  for (Operation &op :
       llvm::make_early_inc_range(llvm::reverse(function.getBody().front())))
    if (isOpTriviallyDead(&op))
      rewriter.eraseOp(&op);
  return success();
}

namespace {
/// Decides, for each primal value that the backward reads, whether it is saved
/// or computed again.
class ResidualChooser {
public:
  ResidualChooser(const JointDerivative &derivative, Save save)
      : derivative(derivative), save(save) {}

  void choose();

  llvm::DenseSet<Operation *> recomputed;
  SmallVector<Value> residuals; ///< in the order of their ops

private:
  void need(Value value);
  bool isFree(Operation *op);
  bool computeIsFree(Operation *op);

  const JointDerivative &derivative;
  Save save;
  llvm::SetVector<Value> saved;
  llvm::DenseMap<Operation *, bool> known; ///< what isFree has answered
};
} // namespace

// Constants, sizes of arguments, and tensors made of these alone: no tensor's
// elements are read.
bool ResidualChooser::isFree(Operation *op) {
  auto answer = known.find(op);
  if (answer != known.end())
    return answer->second;
  bool free = computeIsFree(op);
  known[op] = free;
  return free;
}

bool ResidualChooser::computeIsFree(Operation *op) {
  if (op->hasTrait<OpTrait::ConstantLike>())
    return true;
  if (!isMemoryEffectFree(op))
    return false;
  bool givesSizes = llvm::all_of(op->getResultTypes(),
                                 [](Type type) { return type.isIndex(); });
  return llvm::all_of(op->getOperands(), [&](Value operand) {
    Operation *producer = operand.getDefiningOp();
    return producer ? isFree(producer)
                    : givesSizes || !isa<ShapedType>(operand.getType());
  });
}

void ResidualChooser::need(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op || !derivative.primalOps.contains(op) || saved.contains(value) ||
      recomputed.contains(op))
    return;
  auto rule = dyn_cast<DifferentiableOpInterface>(op);
  bool cheap = save == Save::Minimal && rule && isMemoryEffectFree(op) &&
               rule.isCheapToRecompute();
  if (!cheap && !isFree(op)) {
    saved.insert(value);
    return;
  }
  recomputed.insert(op);
  llvm::SetVector<Value> inputs(op->operand_begin(), op->operand_end());
  getUsedValuesDefinedAbove(op->getRegions(), inputs);
  for (Value input : inputs)
    need(input);
}

void ResidualChooser::choose() {
  Block &body = derivative.function->getRegion(0).front();
  Operation *terminator = body.getTerminator();
  for (Value gradient :
       terminator->getOperands().drop_front(derivative.numPrimalResults))
    need(gradient);
  for (Operation &op : body.without_terminator()) {
    if (derivative.primalOps.contains(&op))
      continue;
    llvm::SetVector<Value> inputs(op.operand_begin(), op.operand_end());
    getUsedValuesDefinedAbove(op.getRegions(), inputs);
    for (Value input : inputs)
      need(input);
  }
  for (Operation &op : body)
    for (Value result : op.getResults())
      if (saved.contains(result))
        residuals.push_back(result);
}

func::FuncOp JointDerivative::buildForward(StringRef name,
                                           ArrayRef<Value> residuals) {
  OpBuilder builder(function->getContext());
  builder.setInsertionPointAfter(function);
  IRMapping map;
  auto forward = cast<func::FuncOp>(builder.clone(*function, map));
  forward.setName((name + "_fwd").str());
  Block &body = forward.getBody().front();
  Operation *terminator = body.getTerminator();
  terminator->eraseOperands(numPrimalResults,
                            terminator->getNumOperands() - numPrimalResults);
  SmallVector<Value> more;
  for (Value residual : residuals)
    more.push_back(map.lookup(residual));
  terminator->insertOperands(numPrimalResults, more);
  eraseDead(forward);
  body.eraseArguments(numPrimalArguments,
                      body.getNumArguments() - numPrimalArguments);
  updateFunctionType(forward);
  return forward;
}

func::FuncOp
JointDerivative::buildBackward(StringRef name, ArrayRef<Value> residuals,
                               const llvm::DenseSet<Operation *> &recomputed) {
  OpBuilder builder(function->getContext());
  builder.setInsertionPointAfter(function);
  IRMapping map;
  auto backward = cast<func::FuncOp>(builder.clone(*function, map));
  backward.setName((name + "_bwd").str());
  Block &body = backward.getBody().front();
  body.getTerminator()->eraseOperands(0, numPrimalResults);
  unsigned position = numPrimalArguments;
  for (Value residual : residuals) {
    Value argument =
        body.insertArgument(position++, residual.getType(), residual.getLoc());
    map.lookup(residual).replaceAllUsesWith(argument);
  }
  // What was only there for the primal results, side effects or not.
  for (Operation &op :
       llvm::reverse(function.getBody().front().without_terminator()))
    if (primalOps.contains(&op) && !recomputed.contains(&op))
      map.lookup(&op)->erase();
  eraseDead(backward);
  updateFunctionType(backward);
  return backward;
}

void JointDerivative::split(StringRef name, Save save) {
  ResidualChooser chooser(*this, save);
  chooser.choose();
  // Each lands right behind the function: the last one built comes first.
  buildBackward(name, chooser.residuals, chooser.recomputed);
  buildForward(name, chooser.residuals);
}
