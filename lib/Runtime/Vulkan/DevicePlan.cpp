//===- DevicePlan.cpp - How a device will be used -------------------------===//
//
// Part of moe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Vulkan/DevicePlan.h"

#include <algorithm>

using namespace moe::runtime;

std::vector<KernelNeeds> moe::runtime::needsOf(const Bundle &bundle) {
  std::vector<KernelNeeds> result;
  for (size_t i = 0; i < bundle.numKernels(); ++i) {
    const bundle::Kernel &kernel = bundle.kernel(i);
    const spirv::Module &module = bundle.module(i);
    KernelNeeds needs;
    needs.name = kernel.name()->str();
    needs.spirvMajor = module.majorVersion;
    needs.spirvMinor = module.minorVersion;
    needs.capabilities = module.capabilities;
    for (unsigned dim = 0; dim < 3; ++dim)
      needs.workgroupSize[dim] = kernel.workgroup_size()->Get(dim);
    needs.bindings = kernel.num_bindings();
    needs.pushConstants = kernel.num_push_constants();
    needs.sharedMemory = kernel.shared_memory();
    needs.subgroupLanes = kernel.subgroup_lanes();
    needs.loopIterations = kernel.loop_iterations();
    result.push_back(std::move(needs));
  }
  return result;
}

template <typename... Parts>
static Status lacks(const KernelNeeds &kernel, const Parts &...parts) {
  return makeError(Code::Device, "device lacks ", parts...,
                   ", required by kernel '", kernel.name, "'");
}

/// "expected kernel 'k' to use at most 128 bytes of push constants (the
/// device's limit), but got 256".
static Status checkLimit(const KernelNeeds &kernel, const char *what,
                         uint64_t value, uint64_t limit) {
  if (value <= limit)
    return Status();
  return makeError(Code::Device, "expected kernel '", kernel.name,
                   "' to need at most ", limit, " ", what,
                   " (the limit of the device), but got ", value);
}

static Status checkLimits(const DeviceSnapshot &device,
                          const KernelNeeds &kernel) {
  const VkPhysicalDeviceLimits &limits = device.limits;
  static const char *const sizes[] = {"invocations in x", "invocations in y",
                                      "invocations in z"};
  uint64_t invocations = 1;
  for (unsigned dim = 0; dim < 3; ++dim) {
    MOE_RETURN_IF_ERROR(checkLimit(kernel, sizes[dim],
                                   kernel.workgroupSize[dim],
                                   limits.maxComputeWorkGroupSize[dim]));
    invocations *= kernel.workgroupSize[dim];
  }
  MOE_RETURN_IF_ERROR(checkLimit(kernel, "invocations in a workgroup",
                                 invocations,
                                 limits.maxComputeWorkGroupInvocations));
  MOE_RETURN_IF_ERROR(
      checkLimit(kernel, "storage buffers", kernel.bindings,
                 std::min(limits.maxPerStageDescriptorStorageBuffers,
                          limits.maxDescriptorSetStorageBuffers)));
  MOE_RETURN_IF_ERROR(checkLimit(kernel, "bytes of push constants",
                                 uint64_t(kernel.pushConstants) * 4,
                                 limits.maxPushConstantsSize));
  if (device.maxLoopIterations)
    MOE_RETURN_IF_ERROR(
        checkLimit(kernel, "iterations of the loops of an invocation",
                   kernel.loopIterations, device.maxLoopIterations));
  return checkLimit(kernel, "bytes of shared memory", kernel.sharedMemory,
                    limits.maxComputeSharedMemorySize);
}

/// The newest SPIR-V that a version of Vulkan takes, as the minor version.
static uint32_t newestSpirv(const DeviceSnapshot &device) {
  if (device.apiVersion >= VK_API_VERSION_1_3)
    return 6;
  if (device.apiVersion >= VK_API_VERSION_1_2)
    return 5;
  return device.hasExtension("VK_KHR_spirv_1_4") ? 4 : 3;
}

static Status planCapabilities(const DeviceSnapshot &device,
                               const KernelNeeds &kernel, DevicePlan &plan) {
  for (uint32_t capability : kernel.capabilities) {
    CapabilityNeed need = needOf(capability);
    if (!need.known)
      return makeError(Code::Device, "expected kernel '", kernel.name,
                       "' to use SPIR-V capabilities that the runtime knows, "
                       "but got capability ",
                       capability);
    for (Feature feature : need.features) {
      if (!device.features.count(feature)) {
        const FeatureInfo &info = infoOf(feature);
        if (info.extension && !info.coreVersion &&
            !device.hasExtension(info.extension))
          return lacks(kernel, info.extension);
        return lacks(kernel, info.name);
      }
      plan.features.insert(feature);
    }
    VkSubgroupFeatureFlags missing =
        need.subgroupOperations & ~device.subgroupOperations;
    if (missing)
      return lacks(kernel, "subgroup operation '",
                   nameOfSubgroupOperation(missing), "' in compute");
  }
  return Status();
}

/// Chooses the subgroup size to ask for. A kernel is right with any size of at
/// least `subgroupLanes`; a size is asked for only where the driver might pick
/// a smaller one.
static Status planSubgroup(const DeviceSnapshot &device,
                           const KernelNeeds &kernel, DevicePlan &plan) {
  plan.requiredSubgroupSizes.push_back(0);
  if (kernel.subgroupLanes == 0 ||
      kernel.subgroupLanes <= device.minSubgroupSize)
    return Status();
  bool canAsk = device.canRequireSubgroupSize &&
                device.features.count(Feature::SubgroupSizeControl);
  uint32_t largest = canAsk ? device.maxSubgroupSize : device.subgroupSize;
  if (kernel.subgroupLanes > largest)
    return makeError(Code::Device, "expected a device with subgroups of ",
                     kernel.subgroupLanes, " lanes, required by kernel '",
                     kernel.name, "', but got ", largest);
  if (!canAsk)
    return Status();
  uint32_t size = device.minSubgroupSize;
  while (size < kernel.subgroupLanes)
    size *= 2;
  plan.requiredSubgroupSizes.back() = size;
  plan.features.insert(Feature::SubgroupSizeControl);
  return Status();
}

static Status planQueue(const DeviceSnapshot &device, DevicePlan &plan) {
  for (uint32_t i = 0; i < device.queueFamilies.size(); ++i) {
    const VkQueueFamilyProperties &family = device.queueFamilies[i];
    if (family.queueCount && (family.queueFlags & VK_QUEUE_COMPUTE_BIT)) {
      plan.queueFamily = i;
      plan.timestampBits = family.timestampValidBits;
      return Status();
    }
  }
  return makeError(Code::Device, "device lacks a queue for compute");
}

static void planExtensions(const DeviceSnapshot &device, DevicePlan &plan) {
  std::set<std::string> extensions;
  for (Feature feature : plan.features) {
    const FeatureInfo &info = infoOf(feature);
    bool core = !info.extension ||
                (info.coreVersion && device.apiVersion >= info.coreVersion);
    if (!core)
      extensions.insert(info.extension);
  }
  // Below Vulkan 1.2 SPIR-V 1.4 is an extension, with one of its own.
  if (device.apiVersion < VK_API_VERSION_1_2)
    for (const char *name : {"VK_KHR_spirv_1_4", "VK_KHR_shader_float_controls",
                             "VK_KHR_storage_buffer_storage_class"})
      if (device.hasExtension(name))
        extensions.insert(name);
  plan.extensions.assign(extensions.begin(), extensions.end());
}

Expected<DevicePlan>
moe::runtime::planDevice(const DeviceSnapshot &device,
                         const std::vector<KernelNeeds> &kernels,
                         const PlanOptions &options) {
  DevicePlan plan;
  if (device.apiVersion < VK_API_VERSION_1_1)
    return makeError(Code::Device,
                     "expected a device of Vulkan 1.1 or newer, "
                     "but '",
                     device.name, "' has ",
                     VK_API_VERSION_MAJOR(device.apiVersion), ".",
                     VK_API_VERSION_MINOR(device.apiVersion));
  MOE_RETURN_IF_ERROR(planQueue(device, plan));
  for (const KernelNeeds &kernel : kernels) {
    if (kernel.spirvMajor != 1 || kernel.spirvMinor > newestSpirv(device))
      return makeError(Code::Device, "expected kernel '", kernel.name,
                       "' to be SPIR-V 1.", newestSpirv(device),
                       " or older on this device, but got ", kernel.spirvMajor,
                       ".", kernel.spirvMinor);
    MOE_RETURN_IF_ERROR(planCapabilities(device, kernel, plan));
    MOE_RETURN_IF_ERROR(planSubgroup(device, kernel, plan));
    MOE_RETURN_IF_ERROR(checkLimits(device, kernel));
  }
  if (options.pipelineStatistics &&
      device.features.count(Feature::PipelineExecutableInfo))
    plan.features.insert(Feature::PipelineExecutableInfo);
  planExtensions(device, plan);
  return plan;
}
