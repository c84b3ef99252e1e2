//===- Memory.h - Buffers in slabs of device memory -------------*- C++ -*-===//
//
// Part of moe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MOE_RUNTIME_VULKAN_MEMORY_H
#define MOE_RUNTIME_VULKAN_MEMORY_H

#include "Vulkan/Device.h"

namespace moe::runtime {

//===----------------------------------------------------------------------===//
// Pure parts
//===----------------------------------------------------------------------===//

/// The memory types that the runtime uses.
struct MemoryTypes {
  uint32_t device = 0;
  uint32_t upload = 0;
  uint32_t download = 0;
  /// The host reads and writes device memory at full speed, so inputs and
  /// outputs need no staging.
  bool unified = false;
};

/// Chooses among the types in `typeBits`, the ones that a buffer allows.
Expected<MemoryTypes> chooseMemoryTypes(const DeviceSnapshot &device,
                                        uint32_t typeBits);

struct MemoryRequest {
  uint64_t bytes = 0;
  uint64_t alignment = 1;
};

struct Placement {
  size_t slab = 0;
  uint64_t offset = 0;
};

struct Layout {
  std::vector<Placement> placements;
  std::vector<uint64_t> slabs;
};

/// Places the requests one after the other; a new slab is begun where one would
/// grow beyond `maxSlab`. A larger request gets a slab of its own.
Layout layOut(const std::vector<MemoryRequest> &requests, uint64_t maxSlab);

//===----------------------------------------------------------------------===//
// Buffers and pools
//===----------------------------------------------------------------------===//

/// A buffer; `mapped` is where the host sees its data, or null.
struct PlacedBuffer {
  Handle<VkBuffer> buffer;
  uint64_t size = 0; ///< of the whole VkBuffer
  uint64_t base = 0; ///< where the data begins in it: behind a guard
  uint8_t *mapped = nullptr;
};

/// The least size of a buffer, so that one of an empty tensor can be bound.
constexpr uint64_t kMinBufferBytes = 16;

/// The least size of a guard.
constexpr VkDeviceSize kMinGuardBytes = 256;

/// Creates a buffer for `bytes` bytes, not yet bound to memory, and says what
/// memory it needs. Before and after the data there are `guard` bytes or a
/// little more.
Expected<PlacedBuffer> createBuffer(Device &device, uint64_t bytes,
                                    const std::string &name,
                                    VkMemoryRequirements &requirements,
                                    uint64_t guard = 0);

/// Slabs of one memory type that only grow. Whoever makes one grow must first
/// destroy the buffers in it.
class Pool {
public:
  /// `purpose` names the pool in errors. A mapped pool stays mapped.
  Pool(Device &device, std::string purpose, uint32_t memoryType, bool mapped)
      : device(device), purpose(std::move(purpose)), memoryType(memoryType),
        mapped(mapped) {}

  bool fits(const std::vector<uint64_t> &slabSizes) const;
  Status grow(const std::vector<uint64_t> &slabSizes);
  Status bind(PlacedBuffer &buffer, const Placement &placement);

  /// All bytes of its slabs.
  uint64_t bytes() const;

private:
  struct Slab {
    Handle<VkDeviceMemory> memory;
    uint64_t bytes = 0;
    uint8_t *mapped = nullptr;
  };
  Expected<Slab> allocate(uint64_t bytes);

  Device &device;
  std::string purpose;
  uint32_t memoryType;
  bool mapped;
  std::vector<Slab> slabs;
};

} // namespace moe::runtime

#endif // MOE_RUNTIME_VULKAN_MEMORY_H
