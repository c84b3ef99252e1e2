//===- ScanGradient.h - Reductions by any body ------------------*- C++ -*-===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// A reduction goes through steps, a[t + 1] = F(a[t], x[t]), in the order of the
// reduced loops, for one or more accumulators. Its gradient needs
//
//   states   a[t], before each step
//   slopes   of what comes out in a[t + 1]: the product of ∂F/∂a over all
//            later steps
//
// Each is a reduction of its own for each step t, over all steps: as many steps
// as the square of their number, of which no step waits for another t.
//
//===----------------------------------------------------------------------===//

#ifndef MOE_LIB_AUTODIFF_RULES_SCANGRADIENT_H
#define MOE_LIB_AUTODIFF_RULES_SCANGRADIENT_H

#include "StructuredBody.h"

namespace mlir::moe {

class ScanGradient {
public:
  /// Of an op whose result i has the gradient `gradients[i]`, or none (null).
  ScanGradient(StructuredBody &body, ArrayRef<Value> gradients)
      : body(body), op(body.getOp()), gradients(gradients) {}

  /// Builds the states and slopes.
  LogicalResult build(RuleBuilder &b);

  /// What a body reads to make gradients of what it yields: `bind` gives it the
  /// accumulators, and `seed` the gradients, from the elements of the inputs.
  SmallVector<StructuredBody::Input> getInputs();
  void bind(BodyCopy &copy, ArrayRef<Value> elements);
  void seed(BodyCopy &copy, ArrayRef<Value> elements, Cotangents &inner);

  /// Hands gradients to the inits.
  LogicalResult addToInits(RuleBuilder &b, Cotangents &cotangents);

private:
  void findAccumulators();
  LogicalResult buildStates(RuleBuilder &b);
  FailureOr<SmallVector<Value>> buildSlopes(RuleBuilder &b, bool all,
                                            const LoopView &view, AffineMap map,
                                            ArrayRef<OpFoldResult> sizes);

  StructuredBody &body;
  linalg::LinalgOp op;
  SmallVector<Value> gradients;
  SmallVector<unsigned> accumulators; ///< result numbers
  SmallVector<unsigned> floats;       ///< those of them that have gradients
  SmallVector<Value> states;          ///< of the accumulators
  SmallVector<Value> slopes;          ///< of each float in each
};

/// init · Π of what all other steps multiply by, for each step: the slope of a
/// product in one factor, also where factors are 0. `factor` is in the body.
Value buildOtherFactors(StructuredBody &body, RuleBuilder &b, OpOperand &init,
                        Value factor);
/// Π of all factors, for each element of the init.
Value buildProduct(StructuredBody &body, RuleBuilder &b, OpOperand &init,
                   Value factor);

} // namespace mlir::moe

#endif // MOE_LIB_AUTODIFF_RULES_SCANGRADIENT_H
