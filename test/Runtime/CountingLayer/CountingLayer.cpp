//===- CountingLayer.cpp - Counts what a program asks of Vulkan -----------===//
//
// Part of moe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sits between a program and the driver, and counts calls. At the end of each
// instance the sums so far are written, as one JSON object, to the file that
// the environment variable MOE_COUNTING_LAYER_FILE names.
//
//   VK_LAYER_PATH=<the folder of this library> \
//   VK_INSTANCE_LAYERS=VK_LAYER_MOE_counting \
//   MOE_COUNTING_LAYER_FILE=counts.json moe-run …
//
//===----------------------------------------------------------------------===//

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <vulkan/vk_layer.h>
#include <vulkan/vulkan.h>

namespace {
struct Counts {
  std::atomic<uint64_t> submits{0}, waits{0}, maps{0}, pipelines{0};
};

/// The next layer's functions of one device.
struct DeviceTable {
  PFN_vkGetDeviceProcAddr getProcAddr;
  PFN_vkDestroyDevice destroyDevice;
  PFN_vkQueueSubmit queueSubmit;
  PFN_vkQueueSubmit2 queueSubmit2;
  PFN_vkQueueWaitIdle queueWaitIdle;
  PFN_vkDeviceWaitIdle deviceWaitIdle;
  PFN_vkWaitForFences waitForFences;
  PFN_vkWaitSemaphores waitSemaphores;
  PFN_vkMapMemory mapMemory;
  PFN_vkCreateComputePipelines createComputePipelines;
};

struct InstanceTable {
  PFN_vkGetInstanceProcAddr getProcAddr;
  PFN_vkDestroyInstance destroyInstance;
};

// A layer is one per process by its nature.
Counts counts;
std::mutex tablesMutex;
std::map<void *, DeviceTable> devices;
std::map<void *, InstanceTable> instances;
} // namespace

/// Handles of one device, or one instance, begin with the same pointer.
template <typename Handle> static void *keyOf(Handle handle) {
  return *reinterpret_cast<void **>(handle);
}

template <typename Handle> static DeviceTable tableOf(Handle handle) {
  std::lock_guard<std::mutex> lock(tablesMutex);
  return devices[keyOf(handle)];
}

static void writeCounts() {
  const char *path = std::getenv("MOE_COUNTING_LAYER_FILE");
  std::FILE *file = path ? std::fopen(path, "w") : nullptr;
  if (!file)
    return;
  std::fprintf(
      file,
      "{\"submits\": %llu, \"waits\": %llu, \"maps\": %llu, "
      "\"pipelines\": %llu}\n",
      (unsigned long long)counts.submits, (unsigned long long)counts.waits,
      (unsigned long long)counts.maps, (unsigned long long)counts.pipelines);
  std::fclose(file);
}

//===----------------------------------------------------------------------===//
// What is counted
//===----------------------------------------------------------------------===//

static VKAPI_ATTR VkResult VKAPI_CALL queueSubmit(VkQueue queue, uint32_t count,
                                                  const VkSubmitInfo *submits,
                                                  VkFence fence) {
  ++counts.submits;
  return tableOf(queue).queueSubmit(queue, count, submits, fence);
}

static VKAPI_ATTR VkResult VKAPI_CALL queueSubmit2(VkQueue queue,
                                                   uint32_t count,
                                                   const VkSubmitInfo2 *submits,
                                                   VkFence fence) {
  ++counts.submits;
  return tableOf(queue).queueSubmit2(queue, count, submits, fence);
}

static VKAPI_ATTR VkResult VKAPI_CALL queueWaitIdle(VkQueue queue) {
  ++counts.waits;
  return tableOf(queue).queueWaitIdle(queue);
}

static VKAPI_ATTR VkResult VKAPI_CALL deviceWaitIdle(VkDevice device) {
  ++counts.waits;
  return tableOf(device).deviceWaitIdle(device);
}

static VKAPI_ATTR VkResult VKAPI_CALL waitForFences(VkDevice device,
                                                    uint32_t count,
                                                    const VkFence *fences,
                                                    VkBool32 all,
                                                    uint64_t timeout) {
  ++counts.waits;
  return tableOf(device).waitForFences(device, count, fences, all, timeout);
}

static VKAPI_ATTR VkResult VKAPI_CALL waitSemaphores(
    VkDevice device, const VkSemaphoreWaitInfo *info, uint64_t timeout) {
  ++counts.waits;
  return tableOf(device).waitSemaphores(device, info, timeout);
}

static VKAPI_ATTR VkResult VKAPI_CALL
mapMemory(VkDevice device, VkDeviceMemory memory, VkDeviceSize offset,
          VkDeviceSize size, VkMemoryMapFlags flags, void **data) {
  ++counts.maps;
  return tableOf(device).mapMemory(device, memory, offset, size, flags, data);
}

static VKAPI_ATTR VkResult VKAPI_CALL createComputePipelines(
    VkDevice device, VkPipelineCache cache, uint32_t count,
    const VkComputePipelineCreateInfo *infos,
    const VkAllocationCallbacks *allocator, VkPipeline *pipelines) {
  counts.pipelines += count;
  return tableOf(device).createComputePipelines(device, cache, count, infos,
                                                allocator, pipelines);
}

//===----------------------------------------------------------------------===//
// Instances and devices
//===----------------------------------------------------------------------===//

/// Finds this layer's link in the chain that the loader hands down.
template <typename Link>
static Link *findLink(const void *chain, VkStructureType type) {
  for (auto *item = static_cast<const VkBaseInStructure *>(chain); item;
       item = item->pNext) {
    auto *link = const_cast<Link *>(reinterpret_cast<const Link *>(item));
    if (item->sType == type && link->function == VK_LAYER_LINK_INFO)
      return link;
  }
  return nullptr;
}

template <typename Function, typename Handle, typename GetProcAddr>
static void load(Function &function, GetProcAddr getProcAddr, Handle handle,
                 const char *name) {
  function = reinterpret_cast<Function>(getProcAddr(handle, name));
}

static VKAPI_ATTR VkResult VKAPI_CALL
createInstance(const VkInstanceCreateInfo *info,
               const VkAllocationCallbacks *allocator, VkInstance *instance) {
  auto *link = findLink<VkLayerInstanceCreateInfo>(
      info->pNext, VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO);
  if (!link)
    return VK_ERROR_INITIALIZATION_FAILED;
  InstanceTable table;
  table.getProcAddr = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
  link->u.pLayerInfo = link->u.pLayerInfo->pNext;
  PFN_vkCreateInstance create;
  load(create, table.getProcAddr, VkInstance(nullptr), "vkCreateInstance");
  VkResult result = create(info, allocator, instance);
  if (result != VK_SUCCESS)
    return result;
  load(table.destroyInstance, table.getProcAddr, *instance,
       "vkDestroyInstance");
  std::lock_guard<std::mutex> lock(tablesMutex);
  instances[keyOf(*instance)] = table;
  return VK_SUCCESS;
}

static VKAPI_ATTR void VKAPI_CALL
destroyInstance(VkInstance instance, const VkAllocationCallbacks *allocator) {
  InstanceTable table;
  {
    std::lock_guard<std::mutex> lock(tablesMutex);
    table = instances[keyOf(instance)];
    instances.erase(keyOf(instance));
  }
  table.destroyInstance(instance, allocator);
  writeCounts();
}

static VKAPI_ATTR VkResult VKAPI_CALL
createDevice(VkPhysicalDevice physicalDevice, const VkDeviceCreateInfo *info,
             const VkAllocationCallbacks *allocator, VkDevice *device) {
  auto *link = findLink<VkLayerDeviceCreateInfo>(
      info->pNext, VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO);
  if (!link)
    return VK_ERROR_INITIALIZATION_FAILED;
  DeviceTable table;
  table.getProcAddr = link->u.pLayerInfo->pfnNextGetDeviceProcAddr;
  auto getInstanceProcAddr = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
  link->u.pLayerInfo = link->u.pLayerInfo->pNext;
  PFN_vkCreateDevice create;
  load(create, getInstanceProcAddr, VkInstance(nullptr), "vkCreateDevice");
  VkResult result = create(physicalDevice, info, allocator, device);
  if (result != VK_SUCCESS)
    return result;
  auto get = table.getProcAddr;
  load(table.destroyDevice, get, *device, "vkDestroyDevice");
  load(table.queueSubmit, get, *device, "vkQueueSubmit");
  load(table.queueSubmit2, get, *device, "vkQueueSubmit2");
  load(table.queueWaitIdle, get, *device, "vkQueueWaitIdle");
  load(table.deviceWaitIdle, get, *device, "vkDeviceWaitIdle");
  load(table.waitForFences, get, *device, "vkWaitForFences");
  load(table.waitSemaphores, get, *device, "vkWaitSemaphores");
  load(table.mapMemory, get, *device, "vkMapMemory");
  load(table.createComputePipelines, get, *device, "vkCreateComputePipelines");
  std::lock_guard<std::mutex> lock(tablesMutex);
  devices[keyOf(*device)] = table;
  return VK_SUCCESS;
}

static VKAPI_ATTR void VKAPI_CALL
destroyDevice(VkDevice device, const VkAllocationCallbacks *allocator) {
  DeviceTable table;
  {
    std::lock_guard<std::mutex> lock(tablesMutex);
    table = devices[keyOf(device)];
    devices.erase(keyOf(device));
  }
  table.destroyDevice(device, allocator);
}

//===----------------------------------------------------------------------===//
// What the loader asks for
//===----------------------------------------------------------------------===//

static PFN_vkVoidFunction ownFunction(const char *name);

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL
getDeviceProcAddr(VkDevice device, const char *name) {
  if (PFN_vkVoidFunction function = ownFunction(name))
    return function;
  return tableOf(device).getProcAddr(device, name);
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL
getInstanceProcAddr(VkInstance instance, const char *name) {
  if (PFN_vkVoidFunction function = ownFunction(name))
    return function;
  if (!instance)
    return nullptr;
  std::lock_guard<std::mutex> lock(tablesMutex);
  return instances[keyOf(instance)].getProcAddr(instance, name);
}

static PFN_vkVoidFunction ownFunction(const char *name) {
  static const struct {
    const char *name;
    PFN_vkVoidFunction function;
  } functions[] = {
#define MOE_OWN(name, function)                                                \
  {name, reinterpret_cast<PFN_vkVoidFunction>(function)}
      MOE_OWN("vkGetInstanceProcAddr", getInstanceProcAddr),
      MOE_OWN("vkGetDeviceProcAddr", getDeviceProcAddr),
      MOE_OWN("vkCreateInstance", createInstance),
      MOE_OWN("vkDestroyInstance", destroyInstance),
      MOE_OWN("vkCreateDevice", createDevice),
      MOE_OWN("vkDestroyDevice", destroyDevice),
      MOE_OWN("vkQueueSubmit", queueSubmit),
      MOE_OWN("vkQueueSubmit2", queueSubmit2),
      MOE_OWN("vkQueueWaitIdle", queueWaitIdle),
      MOE_OWN("vkDeviceWaitIdle", deviceWaitIdle),
      MOE_OWN("vkWaitForFences", waitForFences),
      MOE_OWN("vkWaitSemaphores", waitSemaphores),
      MOE_OWN("vkMapMemory", mapMemory),
      MOE_OWN("vkCreateComputePipelines", createComputePipelines),
#undef MOE_OWN
  };
  for (const auto &entry : functions)
    if (std::strcmp(name, entry.name) == 0)
      return entry.function;
  return nullptr;
}

extern "C" VK_LAYER_EXPORT VKAPI_ATTR VkResult VKAPI_CALL
vkNegotiateLoaderLayerInterfaceVersion(VkNegotiateLayerInterface *interface) {
  if (interface->loaderLayerInterfaceVersion < 2)
    return VK_ERROR_INITIALIZATION_FAILED;
  interface->loaderLayerInterfaceVersion = 2;
  interface->pfnGetInstanceProcAddr = getInstanceProcAddr;
  interface->pfnGetDeviceProcAddr = getDeviceProcAddr;
  interface->pfnGetPhysicalDeviceProcAddr = nullptr;
  return VK_SUCCESS;
}
