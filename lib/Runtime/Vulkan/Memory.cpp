//===- Memory.cpp - Buffers in slabs of device memory ---------------------===//
//
// Part of moe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Vulkan/Memory.h"
#include "Vulkan/Result.h"

#include <algorithm>
#include <optional>

using namespace moe::runtime;

//===----------------------------------------------------------------------===//
// Pure parts
//===----------------------------------------------------------------------===//

static std::optional<uint32_t> findType(const DeviceSnapshot &device,
                                        uint32_t typeBits,
                                        VkMemoryPropertyFlags flags) {
  for (uint32_t i = 0; i < device.memory.memoryTypeCount; ++i)
    if ((typeBits >> i & 1) &&
        (device.memory.memoryTypes[i].propertyFlags & flags) == flags)
      return i;
  return std::nullopt;
}

Expected<MemoryTypes>
moe::runtime::chooseMemoryTypes(const DeviceSnapshot &device,
                                uint32_t typeBits) {
  constexpr VkMemoryPropertyFlags local = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
  constexpr VkMemoryPropertyFlags coherent =
      VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
      VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
  constexpr VkMemoryPropertyFlags cached = VK_MEMORY_PROPERTY_HOST_CACHED_BIT;

  MemoryTypes types;
  bool oneMemory = device.type == VK_PHYSICAL_DEVICE_TYPE_CPU ||
                   device.type == VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU;
  if (auto all = findType(device, typeBits, local | coherent | cached);
      all && oneMemory) {
    types.device = types.upload = types.download = *all;
    types.unified = true;
    return types;
  }
  auto deviceLocal = findType(device, typeBits, local);
  auto upload = findType(device, typeBits, coherent);
  auto download = findType(device, typeBits, coherent | cached);
  if (!deviceLocal || !upload)
    return makeError(Code::Device, "device lacks ",
                     deviceLocal ? "memory that the host can map"
                                 : "memory local to it",
                     " for storage buffers");
  types.device = *deviceLocal;
  types.upload = *upload;
  types.download = download ? *download : *upload;
  return types;
}

static uint64_t alignTo(uint64_t value, uint64_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

Layout moe::runtime::layOut(const std::vector<MemoryRequest> &requests,
                            uint64_t maxSlab) {
  Layout layout;
  for (const MemoryRequest &request : requests) {
    uint64_t offset = layout.slabs.empty()
                          ? 0
                          : alignTo(layout.slabs.back(), request.alignment);
    if (layout.slabs.empty() || offset + request.bytes > maxSlab) {
      layout.slabs.push_back(0);
      offset = 0;
    }
    layout.placements.push_back({layout.slabs.size() - 1, offset});
    layout.slabs.back() = offset + request.bytes;
  }
  return layout;
}

//===----------------------------------------------------------------------===//
// Buffers and pools
//===----------------------------------------------------------------------===//

Expected<PlacedBuffer>
moe::runtime::createBuffer(Device &device, uint64_t bytes,
                           const std::string &name,
                           VkMemoryRequirements &requirements, uint64_t guard) {
  if (bytes > device.snapshot().maxAllocation)
    return makeError(Code::Device, "expected buffer '", name,
                     "' to have at most ", device.snapshot().maxAllocation,
                     " bytes (the largest allocation of the device), but got ",
                     bytes);
  VkBufferCreateInfo info = {VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
  // Whole words for fills; no more, so that validation sees what lies outside.
  if (guard) // what lies behind it is as aligned as it would be alone
    guard = alignTo(
        guard,
        std::max(kMinGuardBytes,
                 device.snapshot().limits.minStorageBufferOffsetAlignment));
  info.size = 2 * guard + alignTo(std::max(bytes, kMinBufferBytes), 4);
  info.usage =
      VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
      VK_BUFFER_USAGE_TRANSFER_DST_BIT | VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT;
  VkBuffer buffer = VK_NULL_HANDLE;
  MOE_RETURN_IF_ERROR(check(
      device.call().vkCreateBuffer(device.get(), &info, nullptr, &buffer),
      "vkCreateBuffer", join("buffer '", name, "' of ", bytes, " bytes")));
  PlacedBuffer result;
  result.buffer = device.own(buffer, device.call().vkDestroyBuffer);
  result.size = info.size;
  result.base = guard;
  device.setName(VK_OBJECT_TYPE_BUFFER, reinterpret_cast<uint64_t>(buffer),
                 name);
  device.call().vkGetBufferMemoryRequirements(device.get(), buffer,
                                              &requirements);
  return result;
}

bool Pool::fits(const std::vector<uint64_t> &slabSizes) const {
  for (size_t i = 0; i < slabSizes.size(); ++i)
    if (i >= slabs.size() || slabs[i].bytes < slabSizes[i])
      return false;
  return true;
}

Expected<Pool::Slab> Pool::allocate(uint64_t bytes) {
  std::string what = join(bytes, " bytes of ", purpose);
  if (bytes > device.snapshot().maxAllocation)
    return makeError(Code::Device, "expected at most ",
                     device.snapshot().maxAllocation,
                     " bytes in one allocation (the limit of the device), but "
                     "got ",
                     what);
  VkMemoryAllocateInfo info = {VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO};
  info.allocationSize = bytes;
  info.memoryTypeIndex = memoryType;
  VkDeviceMemory memory = VK_NULL_HANDLE;
  MOE_RETURN_IF_ERROR(check(
      device.call().vkAllocateMemory(device.get(), &info, nullptr, &memory),
      "vkAllocateMemory", what));
  Slab slab;
  slab.memory = device.own(memory, device.call().vkFreeMemory);
  slab.bytes = bytes;
  if (mapped) {
    void *address = nullptr;
    MOE_RETURN_IF_ERROR(
        check(device.call().vkMapMemory(device.get(), memory, 0, VK_WHOLE_SIZE,
                                        0, &address),
              "vkMapMemory", what));
    slab.mapped = static_cast<uint8_t *>(address);
  }
  return slab;
}

Status Pool::grow(const std::vector<uint64_t> &slabSizes) {
  if (slabs.size() < slabSizes.size())
    slabs.resize(slabSizes.size());
  for (size_t i = 0; i < slabSizes.size(); ++i) {
    if (slabs[i].bytes >= slabSizes[i])
      continue;
    slabs[i] = Slab(); // frees the old one first
    MOE_ASSIGN_OR_RETURN(slabs[i], allocate(slabSizes[i]));
  }
  return Status();
}

Status Pool::bind(PlacedBuffer &buffer, const Placement &placement) {
  const Slab &slab = slabs[placement.slab];
  if (slab.mapped)
    buffer.mapped = slab.mapped + placement.offset + buffer.base;
  return check(
      device.call().vkBindBufferMemory(device.get(), buffer.buffer.get(),
                                       slab.memory.get(), placement.offset),
      "vkBindBufferMemory", purpose);
}

uint64_t Pool::bytes() const {
  uint64_t sum = 0;
  for (const Slab &slab : slabs)
    sum += slab.bytes;
  return sum;
}
