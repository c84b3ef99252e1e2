//===- ElementAccess.h - Which elements a body reads ------------*- C++ -*-===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// The gradient of a tensor of which a body reads x[i(l)] at the loops l is
//
//   dx[p] = Σ over l with i(l) = p of what the element gets at l.
//
// Where i is a permutation of some loops, the sum is over the others. A loop of
// which some index is a linear function is solved for: at p and the other loops
// it has one value or none. What is left is compared: an index that comes from
// data is compared with p at all its loops, in a fixed order.
//
//===----------------------------------------------------------------------===//

#ifndef MOE_LIB_AUTODIFF_RULES_ELEMENTACCESS_H
#define MOE_LIB_AUTODIFF_RULES_ELEMENTACCESS_H

#include "StructuredBody.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace mlir::moe {

/// One way in which a body reads a value that is differentiated for.
struct ElementAccess {
  Value target;              ///< outside: a tensor or a scalar
  Value element;             ///< in the body
  AffineMap map;             ///< of the position, null where it is computed
  tensor::ExtractOp extract; ///< that computes it, or null
};

/// The loops of the gradient of a tensor that is read at other positions than
/// loops: its own dimensions, then the loops that are not solved for.
class ScatterLoops {
public:
  ScatterLoops(StructuredBody &body, const ElementAccess &access);

  const LoopView &getView() { return view; }
  /// Of the gradient, in these loops.
  AffineMap getResultMap();
  /// Whether the element of the gradient is the one that the body reads.
  Value emitCondition(BodyCopy &copy);

private:
  /// Σ coefficients · loops + Σ factors · others + constant.
  struct Linear {
    SmallVector<int64_t> coefficients;
    SmallVector<std::pair<Value, int64_t>> others;
    int64_t constant = 0;
  };
  /// A loop that follows from the element's position along one dimension.
  struct Solved {
    unsigned dim, loop;
  };

  std::optional<Linear> getLinear(AffineExpr expr);
  std::optional<Linear> getLinear(Value index);
  void addScaled(Linear &sum, const Linear &term, int64_t factor);
  bool isOwnIndex(unsigned dim);
  void solve();
  void emitSolved(RuleBuilder &b, MutableArrayRef<Value> loops);
  Value emitRest(RuleBuilder &b, const Linear &linear, unsigned but,
                 ValueRange loops);

  StructuredBody &body;
  ElementAccess access;
  unsigned rank;
  SmallVector<std::optional<Linear>> indices; ///< of each dimension
  SmallVector<Solved> solved;                 ///< in an order of evaluation
  llvm::SmallBitVector settled;               ///< dimensions that always agree
  SmallVector<OpFoldResult> sizes;            ///< of the solved loops
  LoopView view;
  SmallVector<Value> conditions; ///< of the solved loops, when emitted
};

} // namespace mlir::moe

#endif // MOE_LIB_AUTODIFF_RULES_ELEMENTACCESS_H
