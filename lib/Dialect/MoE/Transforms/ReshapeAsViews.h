//===- ReshapeAsViews.h - tensor.reshape by two views -----------*- C++ -*-===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef MOE_LIB_DIALECT_MOE_TRANSFORMS_RESHAPEASVIEWS_H
#define MOE_LIB_DIALECT_MOE_TRANSFORMS_RESHAPEASVIEWS_H

#include "mlir/IR/PatternMatch.h"

namespace mlir::moe {

/// tensor.reshape becomes a collapse to one dimension and an expansion of it:
/// reshapes whose sizes are known by other ops than the shape they read.
void populateReshapeAsViewsPatterns(RewritePatternSet &patterns);

} // namespace mlir::moe

#endif // MOE_LIB_DIALECT_MOE_TRANSFORMS_RESHAPEASVIEWS_H
