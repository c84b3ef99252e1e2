//===- MatmulTile.h - The form of a tiled product ---------------*- C++ -*-===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef MOE_LIB_CONVERSION_LINALGTOGPU_MATMULTILE_H
#define MOE_LIB_CONVERSION_LINALGTOGPU_MATMULTILE_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "moe/Dialect/MoE/IR/MoE.h"

namespace mlir::moe {

/// What a kernel of family matmul computes:
///
///   scf.forall (tile, column tile) {
///     [scf.if %live {]           ; zeros elsewhere
///       linalg.matmul on static tiles [rows, K], [K, columns] or [columns, K]
///       what follows it, to a tile [rows, columns]
///     [}]
///     a slice of the tile, inserted into the result
///   }
struct MatmulTile {
  scf::ForallOp forall;
  tensor::ParallelInsertSliceOp insert;
  linalg::MatmulOp matmul;
  scf::IfOp guard; ///< around the product, or null
  Value tile;      ///< the finished tile, inside the guard
  Value expert;    ///< the table's expert of the tile, or null
  bool transposed = false;
};

/// The form of `kernel`, or an error that says what is not as it must be.
FailureOr<MatmulTile> matchMatmulTile(KernelOp kernel);

} // namespace mlir::moe

#endif // MOE_LIB_CONVERSION_LINALGTOGPU_MATMULTILE_H
