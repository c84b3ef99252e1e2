//===- SizeForm.h - Sizes as sums, and proofs about them --------*- C++ -*-===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// A size of a program becomes a sum of atoms with integer factors. An atom is
// an input's dimension, or a division, remainder, minimum or maximum of sums;
// equal atoms are one. A difference of sizes is then proven to be at least zero
// for all dimensions by replacing atoms with bounds of theirs until only terms
// that cannot be negative are left:
//
//   a ceildiv c * c >= a     a floordiv c * c >= a - (c - 1)     max(a, b) >= a
//
// and the same with the signs turned. A proof that is found holds; one that
// exists may be missed, and then two ranges count as overlapping.
//
//===----------------------------------------------------------------------===//

#ifndef MOE_LIB_DIALECT_MOERT_TRANSFORMS_SIZEFORM_H
#define MOE_LIB_DIALECT_MOERT_TRANSFORMS_SIZEFORM_H

#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DynamicAPInt.h"
#include <deque>
#include <map>

namespace mlir::moe_rt {

/// A sum of atoms with factors. The numbers are unbounded, so that a proof
/// cannot be spoilt by an overflow.
struct SizeForm {
  using Number = llvm::DynamicAPInt;

  std::map<unsigned, Number> terms; ///< atom -> factor, never zero
  Number constant = Number(0);

  /// Adds `factor * other`.
  void add(const SizeForm &other, const Number &factor);
  bool operator==(const SizeForm &other) const {
    return constant == other.constant && terms == other.terms;
  }
};

/// The forms of the sizes of one program.
class SizeForms {
public:
  SizeForm get(Value size);

  /// True when first <= second is proven for all dimensions.
  bool provesAtMost(const SizeForm &first, const SizeForm &second);

private:
  enum class AtomKind { Dim, FloorDiv, CeilDiv, Mod, Max, Min, Opaque };
  struct Atom {
    AtomKind kind;
    SmallVector<SizeForm> operands;
    int64_t divisor = 0;
    std::pair<int64_t, int64_t> dim = {0, 0}; ///< input and dimension
    Value value;                              ///< of an opaque atom

    bool operator==(const Atom &other) const {
      return kind == other.kind && operands == other.operands &&
             divisor == other.divisor && dim == other.dim &&
             value == other.value;
    }
  };

  SizeForm getAtom(Atom atom);
  SizeForm compute(Value size);
  SizeForm translate(AffineExpr expr, unsigned numDims,
                     ArrayRef<SizeForm> operands);

  bool isNonNegative(unsigned atom) const;
  SmallVector<SizeForm> getBounds(unsigned atom, bool lower) const;
  bool prove(const SizeForm &form, unsigned steps) const;
  SizeForm::Number evaluate(const SizeForm &form, unsigned sample) const;
  SizeForm::Number evaluate(unsigned atom, unsigned sample) const;
  bool computeIsNonNegative(unsigned atom) const;
  SizeForm::Number computeValue(unsigned atom, unsigned sample) const;

  std::deque<Atom> atoms;
  /// Answers about atoms, which never change: an atom may be an operand of
  /// many.
  mutable std::map<unsigned, bool> nonNegative;
  mutable std::map<std::pair<unsigned, unsigned>, SizeForm::Number> values;
  DenseMap<Value, SizeForm> known;
};

} // namespace mlir::moe_rt

#endif // MOE_LIB_DIALECT_MOERT_TRANSFORMS_SIZEFORM_H
