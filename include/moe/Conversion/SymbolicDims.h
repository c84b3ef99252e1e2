//===- SymbolicDims.h - Dynamic sizes as affine expressions -----*- C++ -*-===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// Expresses every dynamic dimension of a function's tensors by the dynamic
// dimensions of its arguments, which are the affine dims d0, d1, … here. Sizes
// that an op requires to be equal are unified; what cannot be proven becomes
// an assert that the host checks before it submits anything.
//
//===----------------------------------------------------------------------===//

#ifndef MOE_CONVERSION_SYMBOLICDIMS_H
#define MOE_CONVERSION_SYMBOLICDIMS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/AffineExpr.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "moe/Dialect/MoERT/IR/MoERT.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::moe {

class SymbolicDims {
public:
  /// A dynamic dimension of an argument.
  struct Symbol {
    unsigned input, dim;
  };
  /// Sizes that an op needs to be equal, or one to be at most or at least the
  /// other, to be checked at run time. The message names both.
  struct Condition {
    AffineExpr left;
    moe_rt::Relation relation;
    AffineExpr right;
    std::string message;
  };

  explicit SymbolicDims(func::FuncOp func);

  /// Unifies what the ops of the function require to be equal, and collects
  /// what else they require. Emits an error at an op whose sizes can never
  /// agree or cannot be expressed.
  LogicalResult unify();

  /// Dimension `dim` of `tensor`, which may live in the function or in one of
  /// its kernels. Null when it cannot be expressed.
  AffineExpr getDim(Value tensor, unsigned dim);
  /// All dimensions, and their product.
  SmallVector<AffineExpr> getShape(Value tensor);
  AffineExpr getNumElements(Value tensor);
  AffineExpr getBytes(Value tensor);
  /// The value of an `index` as an expression; null when it is none.
  AffineExpr getIndex(Value index);
  AffineExpr getIndex(OpFoldResult index);

  /// True when `expr` is 0 or more whatever the arguments' sizes are.
  bool isNonNegative(AffineExpr expr);
  /// The largest size that a symbol can have in a run, by what a binding can
  /// hold of the arguments that have it. Where no kernel binds the argument,
  /// the host asserts it (SizeBounds.cpp).
  int64_t getLargestSize(unsigned symbol);
  /// The symbols whose bounds getLargestSize has given.
  const llvm::SetVector<unsigned> &getBoundedSymbols() const { return bounded; }
  /// "dim 0 of input 1", "(2 * dim 0 of input 0)", for messages.
  std::string describe(AffineExpr expr);

  AffineExpr constant(int64_t value);
  ArrayRef<Symbol> getSymbols() const { return symbols; }
  ArrayRef<Condition> getConditions() const { return conditions; }
  MLIRContext *getContext() { return func.getContext(); }

private:
  LogicalResult require(Operation *op, AffineExpr left, AffineExpr right);
  /// `position`, called `what`, is at least 0; or at most `limit`.
  LogicalResult requireAtLeastZero(Operation *op, AffineExpr position,
                                   const Twine &what);
  LogicalResult requireAtMost(Operation *op, AffineExpr position,
                              AffineExpr limit, const Twine &what);
  LogicalResult requireWithin(OffsetSizeAndStrideOpInterface slice,
                              Value tensor);
  LogicalResult requireWithin(tensor::ExtractOp op);
  LogicalResult requirePositions(Operation *op);
  LogicalResult unifyOp(Operation *op);
  void addCondition(AffineExpr left, moe_rt::Relation relation,
                    AffineExpr right, std::string message);
  AffineExpr getDimOfResult(OpResult result, unsigned dim);
  AffineExpr computeIndex(Value index);
  AffineExpr resolve(AffineExpr expr);

  func::FuncOp func;
  SmallVector<Symbol> symbols;
  SmallVector<AffineExpr> bound; ///< symbol -> itself, or what it must equal
  SmallVector<Condition> conditions;
  /// What computeIndex has found: a value may be read many times over.
  DenseMap<Value, AffineExpr> indices;
  unsigned depth = 0; ///< of the index that is being computed
  llvm::SetVector<unsigned> bounded;
};

} // namespace mlir::moe

#endif // MOE_CONVERSION_SYMBOLICDIMS_H
