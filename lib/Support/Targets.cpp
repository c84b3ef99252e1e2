//===- Targets.cpp - The named targets ------------------------------------===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// A target is a function that states how it differs from the smallest Vulkan
// 1.1 device, and a row of the table at the end.
//
//===----------------------------------------------------------------------===//

#include "moe/Support/TargetInfo.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::moe;

/// What desktop drivers of Vulkan 1.3 have in common.
static TargetInfo getDesktop() {
  TargetInfo target;
  target.apiVersion = makeApiVersion(1, 3);
  target.maxWorkgroupInvocations = 1024;
  target.maxWorkgroupSize = {1024, 1024, 1024};
  target.maxTexelElements = 1u << 27;
  target.maxLoopIterations = 0;
  target.minStorageAlignment = 16;
  target.subgroupOperations =
      SubgroupBasic | SubgroupVote | SubgroupArithmetic | SubgroupBallot |
      SubgroupShuffle | SubgroupShuffleRelative | SubgroupQuad;
  target.shaderInt64 = target.shaderInt16 = target.shaderInt8 = true;
  target.shaderFloat16 = true;
  target.storage16Bit = target.storage8Bit = true;
  target.bufferDeviceAddress = true;
  target.vulkanMemoryModel = true;
  return target;
}

/// Only what the specification requires of every device.
static TargetInfo getMinimal() { return TargetInfo(); }

/// Mesa's CPU driver, as measured with Mesa 22.3.
static TargetInfo getLavapipe() {
  TargetInfo target = getDesktop();
  target.subgroupSize = target.minSubgroupSize = target.maxSubgroupSize = 8;
  target.maxSharedMemory = 32768;
  target.maxStorageBuffers = 32;
  target.maxLoopIterations = 65535;
  return target;
}

static TargetInfo getNvidia() {
  TargetInfo target = getDesktop();
  target.subgroupSize = target.minSubgroupSize = target.maxSubgroupSize = 32;
  target.maxWorkgroupSize = {1024, 1024, 64};
  target.maxWorkgroupCount = {0x7FFFFFFF, 65535, 65535};
  target.maxSharedMemory = 49152;
  target.maxPushConstants = 256;
  target.maxStorageBuffers = 1u << 20;
  target.maxStorageRange = 0xFFFFFFFF;
  target.subgroupOperations |= SubgroupClustered;
  target.bfloat16 = true;
  constexpr ElementKind f16 = ElementKind::F16, bf16 = ElementKind::BF16,
                        f32 = ElementKind::F32;
  target.cooperativeMatrices = {
      {16, 16, 16, f16, f16, f32, f32},   {16, 16, 16, f16, f16, f16, f16},
      {16, 16, 16, bf16, bf16, f32, f32}, {16, 8, 16, f16, f16, f32, f32},
      {16, 8, 8, f16, f16, f32, f32},
  };
  return target;
}

static TargetInfo getAmd64() {
  TargetInfo target = getDesktop();
  target.subgroupSize = target.minSubgroupSize = target.maxSubgroupSize = 64;
  target.maxSharedMemory = 65536;
  target.maxStorageBuffers = 1u << 20;
  target.maxStorageRange = 0xFFFFFFFF;
  target.minStorageAlignment = 4;
  target.subgroupOperations |= SubgroupClustered;
  return target;
}

/// One that runs 32 lanes unless it is asked for 64.
static TargetInfo getAmd32() {
  TargetInfo target = getAmd64();
  target.subgroupSize = target.minSubgroupSize = 32;
  constexpr ElementKind f16 = ElementKind::F16, f32 = ElementKind::F32;
  target.cooperativeMatrices = {{16, 16, 16, f16, f16, f32, f32},
                                {16, 16, 16, f16, f16, f16, f16}};
  return target;
}

static constexpr std::pair<StringLiteral, TargetInfo (*)()> targets[] = {
    {"amd32", getAmd32},     {"amd64", getAmd64},   {"lavapipe", getLavapipe},
    {"minimal", getMinimal}, {"nvidia", getNvidia},
};

std::optional<TargetInfo> moe::lookupTarget(StringRef name) {
  for (const auto &[known, get] : targets) {
    if (known != name)
      continue;
    TargetInfo target = get();
    target.name = known.str();
    return target;
  }
  return std::nullopt;
}

SmallVector<StringRef> moe::getTargetNames() {
  return SmallVector<StringRef>(llvm::make_first_range(targets));
}
