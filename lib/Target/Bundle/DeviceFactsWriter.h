//===- DeviceFactsWriter.h - Device facts inside a bundle -------*- C++ -*-===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef MOE_LIB_TARGET_BUNDLE_DEVICEFACTSWRITER_H
#define MOE_LIB_TARGET_BUNDLE_DEVICEFACTSWRITER_H

#include "moe-bundle/bundle_generated.h"
#include "moe/Support/TargetInfo.h"

namespace mlir::moe {

flatbuffers::Offset<::moe::bundle::DeviceFacts>
writeDeviceFacts(flatbuffers::FlatBufferBuilder &builder,
                 const TargetInfo &target);

} // namespace mlir::moe

#endif // MOE_LIB_TARGET_BUNDLE_DEVICEFACTSWRITER_H
