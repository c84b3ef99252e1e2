//===- PositionMarks.h - What is known of a position ------------*- C++ -*-===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// Marks of a tensor.extract, from those who make one to the stage that decides
// whether the device checks its position.
//
//===----------------------------------------------------------------------===//

#ifndef MOE_SUPPORT_POSITIONMARKS_H
#define MOE_SUPPORT_POSITIONMARKS_H

#include "llvm/ADT/StringRef.h"

namespace mlir::moe {

/// In range by construction, so that nothing checks it.
inline constexpr llvm::StringLiteral inRangeAttrName = "moe.in_range";

/// The same, if the tensor has elements; if not, the value is not used, and
/// nothing is read.
inline constexpr llvm::StringLiteral inRangeOrEmptyAttrName =
    "moe.in_range_or_empty";

} // namespace mlir::moe

#endif // MOE_SUPPORT_POSITIONMARKS_H
