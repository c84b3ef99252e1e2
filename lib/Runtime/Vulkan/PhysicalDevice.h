//===- PhysicalDevice.h - What a device is and can do -----------*- C++ -*-===//
//
// Part of moe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MOE_RUNTIME_VULKAN_PHYSICALDEVICE_H
#define MOE_RUNTIME_VULKAN_PHYSICALDEVICE_H

#include "Support/Status.h"
#include "Vulkan/Features.h"

#include <array>
#include <string>
#include <vector>

namespace moe::runtime {

/// Everything that is asked of a physical device, read once. All decisions are
/// made from such a snapshot, so that tests can make one up.
struct DeviceSnapshot {
  VkPhysicalDevice handle = VK_NULL_HANDLE;
  std::string name;
  VkPhysicalDeviceType type = VK_PHYSICAL_DEVICE_TYPE_OTHER;
  uint32_t apiVersion = VK_API_VERSION_1_1;
  uint32_t vendor = 0;
  uint32_t device = 0;
  std::array<uint8_t, VK_UUID_SIZE> pipelineCacheUUID = {};
  VkPhysicalDeviceLimits limits = {};
  VkPhysicalDeviceMemoryProperties memory = {};
  uint64_t maxAllocation = 0;
  std::vector<VkQueueFamilyProperties> queueFamilies;
  std::vector<std::string> extensions;
  FeatureSet features;

  uint32_t subgroupSize = 0;
  uint32_t minSubgroupSize = 0;
  uint32_t maxSubgroupSize = 0;
  /// Operations of the compute stage; none when it has no subgroups.
  VkSubgroupFeatureFlags subgroupOperations = 0;
  /// True when a compute pipeline may ask for a subgroup size.
  bool canRequireSubgroupSize = false;

  /// Iterations of all loops of one invocation, after which the driver leaves
  /// them without a word; 0: no limit.
  uint32_t maxLoopIterations = 0;

  std::vector<VkCooperativeMatrixPropertiesKHR> cooperativeMatrices;

  bool hasExtension(const std::string &extension) const;
};

DeviceSnapshot takeSnapshot(VkInstance instance, VkPhysicalDevice device);

/// "discrete", "integrated", "virtual", "cpu" or "other".
const char *nameOf(VkPhysicalDeviceType type);

/// The index of the best device: discrete before integrated, virtual, cpu and
/// the rest; the first of equals. There must be one.
size_t bestDevice(const std::vector<DeviceSnapshot> &devices);

/// The serialized DeviceFacts of a device.
std::vector<uint8_t> serializeFacts(const DeviceSnapshot &device);

} // namespace moe::runtime

#endif // MOE_RUNTIME_VULKAN_PHYSICALDEVICE_H
