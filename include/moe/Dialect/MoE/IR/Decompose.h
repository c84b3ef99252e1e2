//===- Decompose.h - Ops of the dialect as upstream ops ---------*- C++ -*-===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// Ops that are short to say in linalg. What they become is differentiable, so
// that their own derivatives are those of their parts.
//
//===----------------------------------------------------------------------===//

#ifndef MOE_DIALECT_MOE_IR_DECOMPOSE_H
#define MOE_DIALECT_MOE_IR_DECOMPOSE_H

#include "moe/Dialect/MoE/IR/MoE.h"

#include "mlir/IR/PatternMatch.h"

namespace mlir::moe {

/// Builds, in front of the op, what stands for its result.
Value decomposeRouteWeights(OpBuilder &builder, RouteWeightsOp op);
Value decomposeRouteGrad(OpBuilder &builder, RouteGradOp op);

/// Replaces these ops by what they decompose to.
void populateDecomposeRoutePatterns(RewritePatternSet &patterns);

} // namespace mlir::moe

#endif // MOE_DIALECT_MOE_IR_DECOMPOSE_H
