//===- ConstantData.h - What a constant buffer holds ------------*- C++ -*-===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef MOE_TARGET_BUNDLE_CONSTANTDATA_H
#define MOE_TARGET_BUNDLE_CONSTANTDATA_H

#include "moe/Dialect/MoERT/IR/MoERT.h"

#include <vector>

namespace mlir::moe {

/// The elements of a constant buffer's data as they lie in memory. Emits an
/// error and fails where they are not whole bytes.
FailureOr<std::vector<uint8_t>> getConstantData(moe_rt::BufferOp op);

} // namespace mlir::moe

#endif // MOE_TARGET_BUNDLE_CONSTANTDATA_H
