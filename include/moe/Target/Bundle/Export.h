//===- Export.h - Writes host programs and kernels as a bundle --*- C++ -*-===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// Takes a module with moe_rt.program ops, whose memory is planned and whose
// barriers are in place, and one spirv.module for each kernel they dispatch. A
// program is written down 1:1; nothing is decided here.
//
//===----------------------------------------------------------------------===//

#ifndef MOE_TARGET_BUNDLE_EXPORT_H
#define MOE_TARGET_BUNDLE_EXPORT_H

#include "moe/Support/TargetInfo.h"

#include "mlir/IR/BuiltinOps.h"

namespace mlir::moe {

struct ExportOptions {
  /// What the kernels were compiled for.
  TargetInfo target;
};

/// The bytes of the bundle, or errors at the ops that cannot be written.
FailureOr<std::vector<uint8_t>> exportBundle(ModuleOp module,
                                             const ExportOptions &options);

} // namespace mlir::moe

#endif // MOE_TARGET_BUNDLE_EXPORT_H
