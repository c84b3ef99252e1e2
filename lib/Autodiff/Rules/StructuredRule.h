//===- StructuredRule.h - Derivatives of linalg by their body ---*- C++ -*-===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef MOE_LIB_AUTODIFF_RULES_STRUCTUREDRULE_H
#define MOE_LIB_AUTODIFF_RULES_STRUCTUREDRULE_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "moe/Autodiff/Cotangents.h"

namespace mlir::moe {

/// Differentiates any structured op by its indexing maps and its body:
///
///   y[j] = combine over the reduced loops of f(x0[i0], x1[i1], …)
///
/// becomes, for each operand, a linalg.generic that computes f again, then the
/// derivative of f by the rules of its own ops, and adds up over the loops that
/// the operand's map lacks.
LogicalResult differentiateStructured(linalg::LinalgOp op, OpBuilder &builder,
                                      Cotangents &cotangents);

} // namespace mlir::moe

#endif // MOE_LIB_AUTODIFF_RULES_STRUCTUREDRULE_H
