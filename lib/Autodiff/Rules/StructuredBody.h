//===- StructuredBody.h - The body of a linalg op in another ----*- C++ -*-===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// The derivative of a structured op computes its body again, in the loops of a
// new linalg.generic. Those are the op's own, or others that its loops follow
// from: an operand that is then read at computed positions becomes a
// tensor.extract.
//
//===----------------------------------------------------------------------===//

#ifndef MOE_LIB_AUTODIFF_RULES_STRUCTUREDBODY_H
#define MOE_LIB_AUTODIFF_RULES_STRUCTUREDBODY_H

#include "AttachRule.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/IRMapping.h"

namespace mlir::moe {

/// Where the loops of an op are among those of another.
struct LoopView {
  unsigned numLoops; ///< of the other
  /// Each loop of the op by those of the other; null where it is computed.
  SmallVector<AffineExpr> loops;
  /// Emits those that are computed, in range. `values` has the others.
  std::function<void(RuleBuilder &b, MutableArrayRef<Value> values)> compute;
};

/// The body of an op, copied into another.
struct BodyCopy {
  explicit BodyCopy(RuleBuilder &b) : b(b) {}

  RuleBuilder &b;
  IRMapping map; ///< of values of the op's body
  /// The indices of the op's loops.
  SmallVector<Value> loops;
  /// The elements of further inputs, and of the inits.
  SmallVector<Value> extra, totals;
  /// The tensors that the elements of inputs are of.
  llvm::DenseMap<Value, Value> origins;
  /// The copied ops, before others are added.
  SmallVector<Operation *> ops;
};

class StructuredBody {
public:
  /// A tensor or scalar, and its map from the op's loops.
  using Input = std::pair<Value, AffineMap>;

  StructuredBody(linalg::LinalgOp op, RuleBuilder &b) : op(op), b(b) {}

  /// The loops of the op as they are.
  LoopView ownLoops();

  /// A linalg.generic over the loops of `view` whose body starts as a copy of
  /// the op's. Inputs that it does not read are left out, as are ops that read
  /// an accumulator, unless `bind` maps it. `body` gives what is yielded; loops
  /// that `initMaps` lack are reductions.
  linalg::GenericOp create(
      const LoopView &view, ArrayRef<Value> inits, ArrayRef<AffineMap> initMaps,
      ArrayRef<Input> extra, function_ref<SmallVector<Value>(BodyCopy &)> body,
      function_ref<void(BodyCopy &)> bind = [](BodyCopy &) {});

  /// An output that the body reads, to combine it with what the loops give.
  bool isAccumulator(OpOperand &init);
  /// Whether a value of the body follows from an accumulator.
  bool followsFromAccumulator(Value value);

  /// The size of a loop.
  OpFoldResult getLoopSize(unsigned loop);
  /// The size, if it is known; else dynamic.
  int64_t getStaticLoopSize(unsigned loop);

  linalg::LinalgOp getOp() { return op; }

private:
  std::pair<Value, unsigned> findLoop(unsigned loop);
  void copy(const LoopView &view, BodyCopy &copy);
  Value readAt(BodyCopy &copy, Value tensor, AffineMap map);

  linalg::LinalgOp op;
  RuleBuilder &b;
};

/// The results of a map at `loops`, in a body.
SmallVector<Value> emitMap(RuleBuilder &b, AffineMap map, ValueRange loops);

} // namespace mlir::moe

#endif // MOE_LIB_AUTODIFF_RULES_STRUCTUREDBODY_H
