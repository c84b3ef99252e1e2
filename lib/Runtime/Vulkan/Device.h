//===- Device.h - A logical device and its queue ----------------*- C++ -*-===//
//
// Part of moe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MOE_RUNTIME_VULKAN_DEVICE_H
#define MOE_RUNTIME_VULKAN_DEVICE_H

#include "Vulkan/DevicePlan.h"
#include "Vulkan/Handle.h"
#include "Vulkan/Instance.h"

#include <memory>

namespace moe::runtime {

/// What the runtime has asked of Vulkan so far.
struct DeviceCounters {
  uint64_t pipelines = 0;
  uint64_t submits = 0;
  uint64_t waits = 0;
};

/// A device with one queue, created after a plan.
class Device {
public:
  static Expected<std::unique_ptr<Device>>
  create(const Instance &instance, const DeviceSnapshot &snapshot,
         const DevicePlan &plan);
  ~Device();
  Device(const Device &) = delete;
  Device &operator=(const Device &) = delete;

  VkDevice get() const { return device; }
  /// The functions of this device.
  const VolkDeviceTable &call() const { return table; }
  const DeviceSnapshot &snapshot() const { return facts; }
  const DevicePlan &plan() const { return chosen; }
  DeviceCounters &counters() { return counts; }

  /// Takes over an object that `destroy` will release.
  template <typename T>
  Handle<T> own(T object, typename Handle<T>::Destroy destroy) const {
    return Handle<T>(device, object, destroy);
  }

  /// Names an object for the messages of the validation layer.
  void setName(VkObjectType type, uint64_t object, const std::string &name);

  Expected<VkCommandBuffer> allocateCommands();
  void freeCommands(VkCommandBuffer commands);

  /// Submits once and waits for the end, for ten minutes at the most.
  Status submitAndWait(VkCommandBuffer commands);

  /// True once a wait has failed: the device may still use its objects.
  bool isLost() const { return lost; }

private:
  Device(const Instance &instance, const DeviceSnapshot &snapshot,
         const DevicePlan &plan)
      : facts(snapshot), chosen(plan), setObjectName(instance.setObjectName()) {
  }
  Status createObjects();

  DeviceSnapshot facts;
  DevicePlan chosen;
  DeviceCounters counts;
  PFN_vkSetDebugUtilsObjectNameEXT setObjectName;
  VkDevice device = VK_NULL_HANDLE;
  VolkDeviceTable table = {};
  VkQueue queue = VK_NULL_HANDLE;
  Handle<VkCommandPool> commandPool;
  Handle<VkFence> fence;
  bool lost = false;
};

} // namespace moe::runtime

#endif // MOE_RUNTIME_VULKAN_DEVICE_H
