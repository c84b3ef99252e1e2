//===- Device.cpp - A logical device and its queue ------------------------===//
//
// Part of moe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Vulkan/Device.h"
#include "Vulkan/Result.h"

using namespace moe::runtime;

/// A run that takes longer is taken for a hang.
static constexpr uint64_t kTimeoutNanoseconds = 600ull * 1000 * 1000 * 1000;

Expected<std::unique_ptr<Device>> Device::create(const Instance &instance,
                                                 const DeviceSnapshot &snapshot,
                                                 const DevicePlan &plan) {
  std::unique_ptr<Device> result(new Device(instance, snapshot, plan));

  float priority = 1.0f;
  VkDeviceQueueCreateInfo queue = {VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO};
  queue.queueFamilyIndex = plan.queueFamily;
  queue.queueCount = 1;
  queue.pQueuePriorities = &priority;

  FeatureChain features;
  for (Feature feature : plan.features)
    features.field(feature) = VK_TRUE;
  std::vector<const char *> extensions;
  for (const std::string &extension : plan.extensions)
    extensions.push_back(extension.c_str());

  VkDeviceCreateInfo info = {VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO};
  info.pNext = features.link(plan.features);
  info.queueCreateInfoCount = 1;
  info.pQueueCreateInfos = &queue;
  info.enabledExtensionCount = uint32_t(extensions.size());
  info.ppEnabledExtensionNames = extensions.data();
  MOE_RETURN_IF_ERROR(
      check(vkCreateDevice(snapshot.handle, &info, nullptr, &result->device),
            "vkCreateDevice", "device '" + snapshot.name + "'"));
  volkLoadDeviceTable(&result->table, result->device);
  MOE_RETURN_IF_ERROR(result->createObjects());
  return result;
}

Status Device::createObjects() {
  table.vkGetDeviceQueue(device, chosen.queueFamily, 0, &queue);
  VkCommandPoolCreateInfo poolInfo = {
      VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
  poolInfo.queueFamilyIndex = chosen.queueFamily;
  VkCommandPool pool = VK_NULL_HANDLE;
  MOE_RETURN_IF_ERROR(
      check(table.vkCreateCommandPool(device, &poolInfo, nullptr, &pool),
            "vkCreateCommandPool"));
  commandPool = own(pool, table.vkDestroyCommandPool);

  VkFenceCreateInfo fenceInfo = {VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
  VkFence object = VK_NULL_HANDLE;
  MOE_RETURN_IF_ERROR(
      check(table.vkCreateFence(device, &fenceInfo, nullptr, &object),
            "vkCreateFence"));
  fence = own(object, table.vkDestroyFence);
  return Status();
}

Device::~Device() {
  fence = Handle<VkFence>();
  commandPool = Handle<VkCommandPool>();
  if (device)
    table.vkDestroyDevice(device, nullptr);
}

void Device::setName(VkObjectType type, uint64_t object,
                     const std::string &name) {
  if (!setObjectName)
    return;
  VkDebugUtilsObjectNameInfoEXT info = {
      VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT};
  info.objectType = type;
  info.objectHandle = object;
  info.pObjectName = name.c_str();
  setObjectName(device, &info);
}

Expected<VkCommandBuffer> Device::allocateCommands() {
  VkCommandBufferAllocateInfo info = {
      VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO};
  info.commandPool = commandPool.get();
  info.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
  info.commandBufferCount = 1;
  VkCommandBuffer commands = VK_NULL_HANDLE;
  MOE_RETURN_IF_ERROR(
      check(table.vkAllocateCommandBuffers(device, &info, &commands),
            "vkAllocateCommandBuffers"));
  return commands;
}

void Device::freeCommands(VkCommandBuffer commands) {
  table.vkFreeCommandBuffers(device, commandPool.get(), 1, &commands);
}

Status Device::submitAndWait(VkCommandBuffer commands) {
  if (lost)
    return makeError(Code::Device, "expected a working device, but it was lost"
                                   " in an earlier run");
  VkFence object = fence.get();
  MOE_RETURN_IF_ERROR(
      check(table.vkResetFences(device, 1, &object), "vkResetFences"));
  VkSubmitInfo submit = {VK_STRUCTURE_TYPE_SUBMIT_INFO};
  submit.commandBufferCount = 1;
  submit.pCommandBuffers = &commands;
  ++counts.submits;
  VkResult result = table.vkQueueSubmit(queue, 1, &submit, object);
  if (result == VK_SUCCESS) {
    ++counts.waits;
    result =
        table.vkWaitForFences(device, 1, &object, VK_TRUE, kTimeoutNanoseconds);
  }
  lost = result != VK_SUCCESS;
  if (result == VK_TIMEOUT)
    return makeError(Code::Device, "expected the run to end within ",
                     kTimeoutNanoseconds / 1000000000, " s, but it still runs");
  return check(result, "submitting a run and waiting for it");
}
