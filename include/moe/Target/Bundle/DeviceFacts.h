//===- DeviceFacts.h - Device facts as the schema writes them ---*- C++ -*-===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef MOE_TARGET_BUNDLE_DEVICEFACTS_H
#define MOE_TARGET_BUNDLE_DEVICEFACTS_H

#include "moe/Support/TargetInfo.h"

namespace mlir::moe {

/// Reads a DeviceFacts table, as the runtime makes it from a live device. The
/// bytes may be anything: `error` says what is wrong when nothing comes back.
std::optional<TargetInfo> parseDeviceFacts(ArrayRef<uint8_t> bytes,
                                           std::string &error);

/// The inverse.
std::vector<uint8_t> serializeDeviceFacts(const TargetInfo &target);

} // namespace mlir::moe

#endif // MOE_TARGET_BUNDLE_DEVICEFACTS_H
