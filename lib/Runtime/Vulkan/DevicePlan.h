//===- DevicePlan.h - How a device will be used -----------------*- C++ -*-===//
//
// Part of moe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MOE_RUNTIME_VULKAN_DEVICEPLAN_H
#define MOE_RUNTIME_VULKAN_DEVICEPLAN_H

#include "Bundle/Bundle.h"
#include "Support/Status.h"
#include "Vulkan/PhysicalDevice.h"

#include <array>
#include <string>
#include <vector>

namespace moe::runtime {

/// What one kernel asks of a device.
struct KernelNeeds {
  std::string name;
  uint32_t spirvMajor = 1;
  uint32_t spirvMinor = 3;
  std::vector<uint32_t> capabilities;
  std::array<uint32_t, 3> workgroupSize = {1, 1, 1};
  uint32_t bindings = 0;
  uint32_t pushConstants = 0; // 32-bit words
  uint32_t sharedMemory = 0;  // bytes
  uint32_t subgroupLanes = 0;
  uint32_t loopIterations = 0; // of one invocation; 0: at most 65535
};

std::vector<KernelNeeds> needsOf(const Bundle &bundle);

struct PlanOptions {
  /// Ask the driver to tell register counts and the like of its pipelines.
  bool pipelineStatistics = false;
};

/// The device that will be created.
struct DevicePlan {
  uint32_t queueFamily = 0;
  uint32_t timestampBits = 0;
  std::vector<std::string> extensions;
  FeatureSet features;
  /// For each kernel the subgroup size to ask for; 0: as the driver likes.
  std::vector<uint32_t> requiredSubgroupSizes;
};

/// Plans a device for these kernels, or says what the device lacks. Touches no
/// Vulkan object.
Expected<DevicePlan> planDevice(const DeviceSnapshot &device,
                                const std::vector<KernelNeeds> &kernels,
                                const PlanOptions &options = {});

} // namespace moe::runtime

#endif // MOE_RUNTIME_VULKAN_DEVICEPLAN_H
