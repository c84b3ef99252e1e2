//===- ExpandKernelOps.h - Kernel-level ops as loops on tensors -*- C++ -*-===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// The slow forms of the ops that stay moe ops until they become device code:
// scf loops over tensor.extract and tensor.insert, one element at a time, that
// upstream's CPU passes can run. They are the reference that device code is
// compared with. There is no status on the CPU: data at fault is treated as the
// device treats it, but not reported.
//
//===----------------------------------------------------------------------===//

#ifndef MOE_CONVERSION_EXPANDKERNELOPS_H
#define MOE_CONVERSION_EXPANDKERNELOPS_H

#include "mlir/IR/PatternMatch.h"
#include "moe/Dialect/MoE/IR/MoE.h"

namespace mlir::moe {

/// An element that the other map does not give back becomes -1.
LogicalResult expandCheckMaps(RewriterBase &rewriter, CheckMapsOp op);

/// The running maximum of the offsets, held between 0 and the number of rows.
LogicalResult expandCheckOffsets(RewriterBase &rewriter, CheckOffsetsOp op);

/// A counting sort. A bad index is dropped in either mode.
LogicalResult expandPlan(RewriterBase &rewriter, PlanOp op);

/// A selection sort of each token's first K experts.
LogicalResult expandRoute(RewriterBase &rewriter, RouteOp op);

/// One loop over experts, one over each expert's tiles.
LogicalResult expandTiles(RewriterBase &rewriter, TilesOp op);

void populateExpandKernelOpsPatterns(RewritePatternSet &patterns);

} // namespace mlir::moe

#endif // MOE_CONVERSION_EXPANDKERNELOPS_H
