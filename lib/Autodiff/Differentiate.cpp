//===- Differentiate.cpp - Reverse-mode derivatives of functions ----------===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// The primal ops are copied; behind them, from the last to the first, the rule
// of each adds the ops of its gradients. Nothing here knows an op.
//
//===----------------------------------------------------------------------===//

#include "Split.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/Inliner.h"
#include "mlir/Transforms/InliningUtils.h"
#include "moe/Autodiff/Passes.h"

namespace mlir::moe {
#define GEN_PASS_DEF_DIFFERENTIATEPASS
#include "moe/Autodiff/Passes.h.inc"
} // namespace mlir::moe

using namespace mlir;
using namespace mlir::moe;

// Says which result an argument's memory takes (MoEDialect.td).
static constexpr StringLiteral kAliasesResult = "moe.aliases_result";

// Calls deeper than this are taken for recursion.
static constexpr int kMaxInlined = 1000;

static LogicalResult inlineCalls(func::FuncOp function) {
  InlinerInterface interface(function.getContext());
  InlinerConfig config;
  for (int count = 0;; ++count) {
    CallOpInterface call;
    function.walk([&](CallOpInterface op) {
      call = op;
      return WalkResult::interrupt();
    });
    if (!call)
      return success();
    auto callee = dyn_cast_or_null<CallableOpInterface>(call.resolveCallable());
    if (count == kMaxInlined || !callee || !callee.getCallableRegion() ||
        failed(inlineCall(interface, config.getCloneCallback(), call, callee,
                          callee.getCallableRegion())))
      return call->emitOpError(
          "expected a call that can be inlined, to differentiate through it");
    call->erase();
  }
}

// Effects on memory forbid to reorder and to repeat ops. Those on a resource
// that is no memory, as the status of a run, do not.
static LogicalResult checkEffects(Operation *op) {
  std::optional<SmallVector<MemoryEffects::EffectInstance>> effects =
      getEffectsRecursively(op);
  auto harmless = [](const MemoryEffects::EffectInstance &effect) {
    return !effect.getValue() &&
           effect.getResource() != SideEffects::DefaultResource::get();
  };
  if (effects && llvm::all_of(*effects, harmless))
    return success();
  return op->emitOpError("expected an op without side effects, to "
                         "differentiate the function, but got one that has, or "
                         "may have, some");
}

namespace {
class Differentiator {
public:
  Differentiator(func::FuncOp primal, ArrayRef<std::string> names,
                 DerivativeMode mode, Save save)
      : primal(primal), names(names), mode(mode), save(save) {}

  LogicalResult run();

private:
  LogicalResult check();
  LogicalResult findArguments();
  LogicalResult checkName(StringRef suffix);
  LogicalResult define(StringRef suffix);
  LogicalResult build(func::FuncOp joint);

  func::FuncOp primal;
  ArrayRef<std::string> names; ///< of arguments, as the option has them
  SmallVector<int64_t> wrt;
  DerivativeMode mode;
  Save save;
  /// What `build` makes of the copy, for `split`.
  JointDerivative derivative;
};
} // namespace

LogicalResult Differentiator::checkName(StringRef suffix) {
  std::string name = (primal.getName() + suffix).str();
  Operation *taken = SymbolTable::lookupSymbolIn(primal->getParentOp(), name);
  auto declaration = dyn_cast_or_null<func::FuncOp>(taken);
  if (!taken || (declaration && declaration.isExternal()))
    return success();
  return primal.emitError("expected the name '@")
         << name << "' to be free for the derivative, but got a symbol of it";
}

// Code that calls the derivative declares it before it exists: the declaration
// gives way to the derivative, which is as visible.
LogicalResult Differentiator::define(StringRef suffix) {
  std::string name = (primal.getName() + suffix).str();
  func::FuncOp declaration, derived;
  for (auto function :
       primal->getParentOfType<ModuleOp>().getOps<func::FuncOp>())
    if (function.getName() == name)
      (function.isExternal() ? declaration : derived) = function;
  if (!declaration)
    return success();
  if (declaration.getFunctionType() != derived.getFunctionType())
    return declaration.emitError("expected the declaration of '@")
           << name << "' to have the derivative's type "
           << derived.getFunctionType() << ", but got "
           << declaration.getFunctionType();
  derived.setVisibility(declaration.getVisibility());
  declaration.erase();
  return success();
}

LogicalResult Differentiator::findArguments() {
  ArrayRef<Type> types = primal.getArgumentTypes();
  int64_t count = types.size();
  for (StringRef name : names) {
    int64_t number;
    if (name.getAsInteger(10, number))
      return primal.emitError("expected wrt to name arguments by their numbers,"
                              " but got '")
             << name << "'";
    if (number < 0 || number >= count)
      return primal.emitError("expected wrt to name arguments in [0, ")
             << count - 1 << "], but got " << number;
    if (!isDifferentiable(types[number]))
      return primal.emitError("expected argument ")
             << number << ", which wrt names, to be a float or a ranked tensor "
             << "of floats, but got " << types[number];
    if (llvm::is_contained(wrt, number))
      return primal.emitError("expected wrt to name each argument once, but "
                              "got ")
             << number << " again";
    wrt.push_back(number);
  }
  if (!names.empty())
    return success();
  for (auto [number, type] : llvm::enumerate(types))
    if (isDifferentiable(type))
      wrt.push_back(number);
  if (wrt.empty())
    return primal.emitError("expected a function with a float argument to "
                            "differentiate, but got arguments of ")
           << primal.getArgumentTypes();
  return success();
}

LogicalResult Differentiator::check() {
  if (primal.isExternal() || !primal.getBody().hasOneBlock())
    return primal.emitError("expected a function of one block to "
                            "differentiate, but got ")
           << primal.getBody().getBlocks().size();
  if (llvm::none_of(primal.getResultTypes(), isDifferentiable))
    return primal.emitError("expected a function with a float result to "
                            "differentiate, but got results of ")
           << primal.getResultTypes();
  if (failed(findArguments()))
    return failure();
  if (mode == DerivativeMode::Joint)
    return checkName("_vjp");
  return failure(failed(checkName("_fwd")) || failed(checkName("_bwd")));
}

LogicalResult Differentiator::build(func::FuncOp joint) {
  if (failed(inlineCalls(joint)))
    return failure();
  if (!joint.getBody().hasOneBlock())
    return primal.emitError("expected functions of one block to be called, to "
                            "differentiate through the calls");
  Block &body = joint.getBody().front();
  Operation *terminator = body.getTerminator();
  SmallVector<Operation *> ops;
  for (Operation &op : body.without_terminator()) {
    if (failed(checkEffects(&op)))
      return failure();
    ops.push_back(&op);
  }

  OpBuilder builder(terminator);
  Cotangents cotangents(builder, save);
  for (int64_t number : wrt)
    cotangents.activate(body.getArgument(number));
  for (Operation *op : ops)
    cotangents.propagate(op);
  for (Value result : terminator->getOperands())
    if (isDifferentiable(result.getType()))
      cotangents.add(result,
                     body.addArgument(result.getType(), result.getLoc()));
  for (Operation *op : llvm::reverse(ops))
    if (failed(cotangents.visit(op)))
      return failure();

  SmallVector<Value> gradients;
  for (int64_t number : wrt) {
    Value argument = body.getArgument(number);
    Value gradient = cotangents.sum(argument);
    gradients.push_back(
        gradient ? gradient
                 : constantLike(builder, joint.getLoc(), argument, 0.0));
  }
  derivative = {joint, primal.getNumArguments(), primal.getNumResults(), {}};
  derivative.primalOps.insert(ops.begin(), ops.end());
  terminator->insertOperands(terminator->getNumOperands(), gradients);
  derivative.updateType();
  return derivative.simplify();
}

LogicalResult Differentiator::run() {
  if (failed(check()))
    return failure();
  // Where the symbol table sees it, and calls resolve.
  OpBuilder builder(primal->getContext());
  builder.setInsertionPointAfter(primal);
  auto joint = cast<func::FuncOp>(builder.clone(*primal));
  joint.setName((primal.getName() + "_vjp").str());
  // A derivative changes no state.
  for (unsigned i = 0; i < joint.getNumArguments(); ++i)
    joint.removeArgAttr(i, kAliasesResult);
  if (failed(build(joint))) {
    joint.erase();
    return failure();
  }
  if (mode == DerivativeMode::Joint)
    return define("_vjp");
  derivative.split(primal.getName(), save);
  joint.erase();
  return failure(failed(define("_fwd")) || failed(define("_bwd")));
}

namespace {
struct DifferentiatePass : moe::impl::DifferentiatePassBase<DifferentiatePass> {
  using DifferentiatePassBase::DifferentiatePassBase;

  void runOnOperation() override {
    FailureOr<func::FuncOp> primal = findFunction();
    if (failed(primal) ||
        failed(Differentiator(*primal, wrt, mode, save).run()))
      signalPassFailure();
  }

private:
  FailureOr<func::FuncOp> findFunction();
};
} // namespace

FailureOr<func::FuncOp> DifferentiatePass::findFunction() {
  ModuleOp module = getOperation();
  if (!function.empty()) {
    if (auto found = module.lookupSymbol<func::FuncOp>(function))
      return found;
    return module.emitError("expected a function '@")
           << function << "' to differentiate, but got none of that name";
  }
  SmallVector<func::FuncOp> candidates;
  for (auto candidate : module.getOps<func::FuncOp>())
    if (candidate.isPublic() && !candidate.isExternal())
      candidates.push_back(candidate);
  if (candidates.size() == 1)
    return candidates.front();
  return module.emitError("expected one public function, or the option "
                          "'function' to name the one to differentiate, but "
                          "got ")
         << candidates.size() << " public functions";
}
