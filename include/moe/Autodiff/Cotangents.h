//===- Cotangents.h - Gradients on their way backward -----------*- C++ -*-===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// Reverse mode visits ops from the last to the first. This table holds, for
// each value, the gradients that later ops have handed to it; the sum of them
// is complete when its own op is visited.
//
// A gradient may have wider elements than its value: the gradient of an f16
// matrix is summed in f32, and only rounded where a rule needs it as f16.
//
//===----------------------------------------------------------------------===//

#ifndef MOE_AUTODIFF_COTANGENTS_H
#define MOE_AUTODIFF_COTANGENTS_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpDefinition.h"
#include "llvm/ADT/DenseSet.h"

namespace mlir::moe {

/// Which values a derivative should hold on to.
enum class Save {
  All,    ///< whatever the backward reads
  Minimal ///< as little as possible, at the price of some more arithmetic
};

class Cotangents {
public:
  explicit Cotangents(OpBuilder &builder, Save save = Save::All)
      : builder(builder), save(save) {}

  //===--------------------------------------------------------------------===//
  // For rules
  //===--------------------------------------------------------------------===//

  /// Whether the gradient of `primal` is of use: it is a float value that
  /// depends on what is differentiated for, or holds the bits of one.
  bool wants(Value primal) const { return active.contains(primal); }

  /// The gradient of `result`, of its type; null where nothing depends on it.
  Value of(Value result);
  /// The same, with zeros where nothing depends on it.
  Value ofOrZero(Value result);

  /// Adds to the gradient of `primal`, which the rule need not ask for first:
  /// one that nobody wants is dropped, as is a null gradient. The shape is that
  /// of `primal`, up to static sizes; the element type may be wider.
  void add(Value primal, Value gradient);

  /// The tensor whose element `value` is in the body that is differentiated;
  /// null where there is none.
  Value originOf(Value value) const { return origins.lookup(value); }

  /// Whether rules should avoid reading large intermediate values.
  bool savesLittle() const { return save == Save::Minimal; }

  /// Differentiates `op` as the ops that `decompose` builds, whose values stand
  /// for its results.
  LogicalResult
  through(Operation *op,
          function_ref<FailureOr<SmallVector<Value>>(OpBuilder &)> decompose);

  //===--------------------------------------------------------------------===//
  // For those who drive rules
  //===--------------------------------------------------------------------===//

  /// Declares that gradients of `value` are wanted.
  void activate(Value value) { active.insert(value); }
  /// Wants the gradients of the float results of an op that reads a value
  /// whose gradient is wanted. Called on ops in order.
  void propagate(Operation *op);
  /// Says of which tensors values of the body are elements.
  void setOrigins(llvm::DenseMap<Value, Value> tensors) {
    origins = std::move(tensors);
  }
  /// Runs the rule of `op`, if a gradient reaches it. Called in reverse order.
  LogicalResult visit(Operation *op);
  /// The gradient of `value` as it was summed up, null for none.
  Value sum(Value value);

private:
  OpBuilder &builder;
  Save save;
  llvm::DenseSet<Value> active;
  llvm::DenseMap<Value, SmallVector<Value, 1>> parts;
  llvm::DenseMap<Value, Value> origins;
};

/// A float, or a ranked tensor of floats.
bool isDifferentiable(Type type);

/// A value like `like` (a scalar or tensor of floats or integers) that holds
/// `number` everywhere.
Value constantLike(OpBuilder &builder, Location loc, Value like, double number);

/// `value` with elements of the float type `element`.
Value castElements(OpBuilder &builder, Location loc, Value value, Type element);

} // namespace mlir::moe

#endif // MOE_AUTODIFF_COTANGENTS_H
