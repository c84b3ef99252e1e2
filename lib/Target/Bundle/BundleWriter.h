//===- BundleWriter.h - The parts of a bundle -------------------*- C++ -*-===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef MOE_LIB_TARGET_BUNDLE_BUNDLEWRITER_H
#define MOE_LIB_TARGET_BUNDLE_BUNDLEWRITER_H

#include "moe-bundle/bundle_generated.h"
#include "moe/Dialect/MoERT/IR/MoERT.h"

#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"
#include "llvm/ADT/StringMap.h"

namespace mlir::moe {

/// What a dispatch must agree with.
struct WrittenKernel {
  unsigned index; ///< in the bundle
  unsigned numBindings;
  unsigned numPushConstants;
};
using WrittenKernels = llvm::StringMap<WrittenKernel>;

/// Writes the kernel of `module`, and what dispatches need to know of it.
FailureOr<flatbuffers::Offset<::moe::bundle::Kernel>>
writeKernel(flatbuffers::FlatBufferBuilder &builder, spirv::ModuleOp module,
            WrittenKernels &kernels);

FailureOr<flatbuffers::Offset<::moe::bundle::Program>>
writeProgram(flatbuffers::FlatBufferBuilder &builder, moe_rt::ProgramOp program,
             const WrittenKernels &kernels);

} // namespace mlir::moe

#endif // MOE_LIB_TARGET_BUNDLE_BUNDLEWRITER_H
