//===- MoEToLinalg.h - Lowers layer ops to linalg ----------------*- C++
//-*-===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef MOE_CONVERSION_MOETOLINALG_H
#define MOE_CONVERSION_MOETOLINALG_H

#include "mlir/IR/PatternMatch.h"

namespace mlir::moe {

/// moe.dispatch -> linalg.generic over [R, H] that gathers rows of x.
void populateDispatchToLinalgPatterns(RewritePatternSet &patterns);

/// moe.combine -> linalg.generic over [T, K] that orders each token's slots,
/// and one over [T, W] that adds their rows.
void populateCombineToLinalgPatterns(RewritePatternSet &patterns);

/// moe.grouped_matmul outside of a scheduled kernel -> linalg.generic over
/// [R, N, C] with the expert of each row looked up: slow, obviously right.
void populateGroupedMatmulToLinalgPatterns(RewritePatternSet &patterns);

/// moe.grouped_outer outside of a scheduled kernel -> linalg.generic over
/// [E, M, N, R] that adds the rows of each expert: slow, obviously right.
void populateGroupedOuterToLinalgPatterns(RewritePatternSet &patterns);

/// moe.grouped_reduce -> linalg.generic over [E, N, R].
void populateGroupedReduceToLinalgPatterns(RewritePatternSet &patterns);

/// moe.combine_weight_grad -> linalg.generic over [T, K, W].
void populateCombineWeightGradToLinalgPatterns(RewritePatternSet &patterns);

/// linalg.matmul and moe.grouped_matmul in a kernel with a matmul schedule ->
/// scf.forall over (tile, column tile), one expert a tile, static tiles whose
/// rows are clamped into the tile's own rows so that all reads are in bounds.
void populateTileMatmulPatterns(RewritePatternSet &patterns);

} // namespace mlir::moe

#endif // MOE_CONVERSION_MOETOLINALG_H
