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
#include "mlir/IR/AffineExpr.h"

namespace mlir::moe {

class SymbolicDims {
public:
  /// A dynamic dimension of an argument.
  struct Symbol {
    unsigned input, dim;
  };
  /// left = right, to be checked at run time; `left` is a dim of an argument,
  /// or the size that an op needs to equal `right`.
  struct Equality {
    AffineExpr left, right;
    std::string message;
  };

  explicit SymbolicDims(func::FuncOp func);

  /// Unifies what the ops of the function require to be equal. Emits an error
  /// at an op whose sizes can never agree or cannot be expressed.
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

  AffineExpr constant(int64_t value);
  ArrayRef<Symbol> getSymbols() const { return symbols; }
  ArrayRef<Equality> getEqualities() const { return equalities; }
  MLIRContext *getContext() { return func.getContext(); }

private:
  LogicalResult require(Operation *op, AffineExpr left, AffineExpr right);
  LogicalResult unifyOp(Operation *op);
  AffineExpr getDimOfResult(OpResult result, unsigned dim);
  AffineExpr resolve(AffineExpr expr);

  func::FuncOp func;
  SmallVector<Symbol> symbols;
  SmallVector<AffineExpr> bound; ///< symbol -> itself, or what it must equal
  SmallVector<Equality> equalities;
};

} // namespace mlir::moe

#endif // MOE_CONVERSION_SYMBOLICDIMS_H
