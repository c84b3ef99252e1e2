//===- Features.h - Device features and who needs them ----------*- C++ -*-===//
//
// Part of moe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MOE_RUNTIME_VULKAN_FEATURES_H
#define MOE_RUNTIME_VULKAN_FEATURES_H

#include "Vulkan/Compat.h"

#include <set>
#include <string>
#include <vector>

namespace moe::runtime {

/// The optional features that kernels may need. The order is that of the table
/// in Features.cpp.
enum class Feature {
  ShaderFloat64,
  ShaderInt64,
  ShaderInt16,
  ShaderFloat16,
  ShaderInt8,
  StorageBuffer16,
  UniformAndStorageBuffer16,
  StoragePushConstant16,
  StorageBuffer8,
  UniformAndStorageBuffer8,
  StoragePushConstant8,
  VariablePointersStorageBuffer,
  VariablePointers,
  VulkanMemoryModel,
  VulkanMemoryModelDeviceScope,
  BufferDeviceAddress,
  SubgroupSizeControl,
  CooperativeMatrix,
  BFloat16,
  BFloat16CooperativeMatrix,
  PipelineExecutableInfo,
};

using FeatureSet = std::set<Feature>;

/// What a feature is called, and where it comes from.
struct FeatureInfo {
  const char *name;
  /// The extension that brings it, or null when it is as old as Vulkan 1.1.
  const char *extension;
  /// The version of Vulkan that took the extension in; 0 when none has.
  uint32_t coreVersion;
};
const FeatureInfo &infoOf(Feature feature);

/// All structures of features, which link themselves into one pNext chain.
class FeatureChain {
public:
  FeatureChain();
  FeatureChain(const FeatureChain &) = delete;
  FeatureChain &operator=(const FeatureChain &) = delete;

  /// Links the structures of `features` only: a driver is shown no structure of
  /// an extension that it lacks.
  VkPhysicalDeviceFeatures2 *link(const FeatureSet &features);
  VkBool32 &field(Feature feature);

private:
  VkPhysicalDeviceFeatures2 core;
  VkPhysicalDeviceShaderFloat16Int8Features float16Int8;
  VkPhysicalDevice16BitStorageFeatures storage16;
  VkPhysicalDevice8BitStorageFeatures storage8;
  VkPhysicalDeviceVariablePointersFeatures variablePointers;
  VkPhysicalDeviceVulkanMemoryModelFeatures memoryModel;
  VkPhysicalDeviceBufferDeviceAddressFeatures deviceAddress;
  VkPhysicalDeviceSubgroupSizeControlFeatures subgroupSize;
  VkPhysicalDeviceCooperativeMatrixFeaturesKHR cooperativeMatrix;
  VkPhysicalDeviceShaderBfloat16FeaturesKHR bfloat16;
  VkPhysicalDevicePipelineExecutablePropertiesFeaturesKHR executableInfo;

  void *structureOf(Feature feature);
};

/// What the device must offer for a SPIR-V capability.
struct CapabilityNeed {
  bool known = false;
  FeatureSet features;
  /// Bits of VkSubgroupFeatureFlags.
  VkSubgroupFeatureFlags subgroupOperations = 0;
};
CapabilityNeed needOf(uint32_t spirvCapability);

/// The name of one bit of VkSubgroupFeatureFlags.
const char *nameOfSubgroupOperation(VkSubgroupFeatureFlags bit);

} // namespace moe::runtime

#endif // MOE_RUNTIME_VULKAN_FEATURES_H
