//===- PhysicalDevice.cpp - What a device is and can do -------------------===//
//
// Part of moe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Vulkan/PhysicalDevice.h"

#include <algorithm>

using namespace moe::runtime;

bool DeviceSnapshot::hasExtension(const std::string &extension) const {
  return std::find(extensions.begin(), extensions.end(), extension) !=
         extensions.end();
}

static void readExtensions(DeviceSnapshot &snapshot) {
  uint32_t count = 0;
  vkEnumerateDeviceExtensionProperties(snapshot.handle, nullptr, &count,
                                       nullptr);
  std::vector<VkExtensionProperties> properties(count);
  vkEnumerateDeviceExtensionProperties(snapshot.handle, nullptr, &count,
                                       properties.data());
  for (const VkExtensionProperties &property : properties)
    snapshot.extensions.push_back(property.extensionName);
}

// Mesa's CPU drivers count the iterations of all loops of an invocation down
// from this number (LP_MAX_TGSI_LOOP_ITERATIONS), and leave every loop at 0.
static constexpr uint32_t llvmpipeLoopIterations = 65535;

static void readLoopLimit(DeviceSnapshot &snapshot) {
  bool isLlvmpipe = false;
  if (snapshot.apiVersion >= VK_API_VERSION_1_2 ||
      snapshot.hasExtension("VK_KHR_driver_properties")) {
    VkPhysicalDeviceDriverProperties driver = {
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES};
    VkPhysicalDeviceProperties2 properties = {
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &driver};
    vkGetPhysicalDeviceProperties2(snapshot.handle, &properties);
    isLlvmpipe = driver.driverID == VK_DRIVER_ID_MESA_LLVMPIPE;
  } else {
    isLlvmpipe = snapshot.vendor == VK_VENDOR_ID_MESA &&
                 snapshot.type == VK_PHYSICAL_DEVICE_TYPE_CPU;
  }
  if (isLlvmpipe)
    snapshot.maxLoopIterations = llvmpipeLoopIterations;
}

static void readProperties(DeviceSnapshot &snapshot) {
  VkPhysicalDeviceMaintenance3Properties maintenance = {
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_3_PROPERTIES};
  VkPhysicalDeviceSubgroupProperties subgroup = {
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES, &maintenance};
  VkPhysicalDeviceSubgroupSizeControlProperties sizes = {
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_PROPERTIES,
      &subgroup};
  bool hasSizes = snapshot.apiVersion >= VK_API_VERSION_1_3 ||
                  snapshot.hasExtension("VK_EXT_subgroup_size_control");
  VkPhysicalDeviceProperties2 properties = {
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2};
  properties.pNext = hasSizes ? static_cast<void *>(&sizes) : &subgroup;
  vkGetPhysicalDeviceProperties2(snapshot.handle, &properties);

  snapshot.limits = properties.properties.limits;
  snapshot.maxAllocation = maintenance.maxMemoryAllocationSize;
  snapshot.subgroupSize = subgroup.subgroupSize;
  snapshot.minSubgroupSize =
      hasSizes ? sizes.minSubgroupSize : subgroup.subgroupSize;
  snapshot.maxSubgroupSize =
      hasSizes ? sizes.maxSubgroupSize : subgroup.subgroupSize;
  if (subgroup.supportedStages & VK_SHADER_STAGE_COMPUTE_BIT)
    snapshot.subgroupOperations = subgroup.supportedOperations;
  snapshot.canRequireSubgroupSize =
      hasSizes &&
      (sizes.requiredSubgroupSizeStages & VK_SHADER_STAGE_COMPUTE_BIT);
}

static void readFeatures(DeviceSnapshot &snapshot) {
  FeatureSet askable;
  for (unsigned i = 0; i <= unsigned(Feature::PipelineExecutableInfo); ++i) {
    const FeatureInfo &info = infoOf(Feature(i));
    bool core = !info.extension ||
                (info.coreVersion && snapshot.apiVersion >= info.coreVersion);
    if (core || snapshot.hasExtension(info.extension))
      askable.insert(Feature(i));
  }
  FeatureChain chain;
  vkGetPhysicalDeviceFeatures2(snapshot.handle, chain.link(askable));
  for (Feature feature : askable)
    if (chain.field(feature))
      snapshot.features.insert(feature);
}

static void readCooperativeMatrices(VkInstance instance,
                                    DeviceSnapshot &snapshot) {
  if (!snapshot.features.count(Feature::CooperativeMatrix))
    return;
  auto query =
      reinterpret_cast<PFN_vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR>(
          vkGetInstanceProcAddr(
              instance, "vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR"));
  if (!query)
    return;
  uint32_t count = 0;
  query(snapshot.handle, &count, nullptr);
  std::vector<VkCooperativeMatrixPropertiesKHR> shapes(
      count, {VK_STRUCTURE_TYPE_COOPERATIVE_MATRIX_PROPERTIES_KHR});
  query(snapshot.handle, &count, shapes.data());
  for (const VkCooperativeMatrixPropertiesKHR &shape : shapes)
    if (shape.scope == VK_SCOPE_SUBGROUP_KHR && !shape.saturatingAccumulation)
      snapshot.cooperativeMatrices.push_back(shape);
}

DeviceSnapshot moe::runtime::takeSnapshot(VkInstance instance,
                                          VkPhysicalDevice device) {
  DeviceSnapshot snapshot;
  snapshot.handle = device;
  VkPhysicalDeviceProperties properties;
  vkGetPhysicalDeviceProperties(device, &properties);
  snapshot.name = properties.deviceName;
  snapshot.type = properties.deviceType;
  // The instance asks for 1.3 at the most.
  snapshot.apiVersion = std::min<uint32_t>(properties.apiVersion,
                                           VK_MAKE_API_VERSION(0, 1, 3, 4095));
  snapshot.vendor = properties.vendorID;
  snapshot.device = properties.deviceID;
  std::copy_n(properties.pipelineCacheUUID, VK_UUID_SIZE,
              snapshot.pipelineCacheUUID.begin());
  vkGetPhysicalDeviceMemoryProperties(device, &snapshot.memory);
  uint32_t count = 0;
  vkGetPhysicalDeviceQueueFamilyProperties(device, &count, nullptr);
  snapshot.queueFamilies.resize(count);
  vkGetPhysicalDeviceQueueFamilyProperties(device, &count,
                                           snapshot.queueFamilies.data());
  readExtensions(snapshot);
  // A device of Vulkan 1.0 is listed, and refused by the plan.
  if (snapshot.apiVersion < VK_API_VERSION_1_1) {
    snapshot.limits = properties.limits;
    return snapshot;
  }
  readProperties(snapshot);
  readLoopLimit(snapshot);
  readFeatures(snapshot);
  readCooperativeMatrices(instance, snapshot);
  return snapshot;
}

const char *moe::runtime::nameOf(VkPhysicalDeviceType type) {
  switch (type) {
  case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU:
    return "discrete";
  case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU:
    return "integrated";
  case VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU:
    return "virtual";
  case VK_PHYSICAL_DEVICE_TYPE_CPU:
    return "cpu";
  default:
    return "other";
  }
}

static unsigned rankOf(VkPhysicalDeviceType type) {
  switch (type) {
  case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU:
    return 0;
  case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU:
    return 1;
  case VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU:
    return 2;
  case VK_PHYSICAL_DEVICE_TYPE_CPU:
    return 3;
  default:
    return 4;
  }
}

size_t moe::runtime::bestDevice(const std::vector<DeviceSnapshot> &devices) {
  size_t best = 0;
  for (size_t i = 1; i < devices.size(); ++i)
    if (rankOf(devices[i].type) < rankOf(devices[best].type))
      best = i;
  return best;
}
