//===- Buffers.h - The buffers of a program ---------------------*- C++ -*-===//
//
// Part of moe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MOE_RUNTIME_SESSION_BUFFERS_H
#define MOE_RUNTIME_SESSION_BUFFERS_H

#include "Session/Resolve.h"
#include "Vulkan/Memory.h"

#include <map>

namespace moe::runtime {

/// The memory that all recordings of a session share: runs never overlap.
struct Pools {
  Pools(Device &device, const MemoryTypes &types);

  Pool arena;    // transients
  Pool io;       // inputs and outputs of dynamic size, the status
  Pool upload;   // staging, unless memory is unified
  Pool download; // likewise
  bool unified;
};

/// Constants, and the inputs whose size depends on no dim: they keep their
/// place, so that an input may stay on the device from run to run.
class PersistentBuffers {
public:
  /// Creates them and writes the constants.
  static Expected<std::unique_ptr<PersistentBuffers>>
  create(Device &device, const MemoryTypes &types,
         const bundle::Program &program, uint64_t guard);

  /// The buffer of that index, or null when it is not one of these.
  const PlacedBuffer *find(uint32_t index) const;
  uint64_t bytes() const { return pool.bytes(); }

private:
  PersistentBuffers(Device &device, const MemoryTypes &types)
      : pool(device, "weights and constants", types.device, types.unified) {}
  Status writeConstants(Device &device, const MemoryTypes &types,
                        const bundle::Program &program);

  Pool pool;
  std::map<uint32_t, PlacedBuffer> buffers;
};

enum class Direction { Up, Down };

/// How the buffers of a session lie in memory.
struct BufferOptions {
  bool unified = false;
  /// Bytes around each buffer that no kernel may change; 0: none. Transients
  /// then share no memory.
  uint64_t guard = 0;
};

/// All buffers of one recording.
class RecordingBuffers {
public:
  /// Creates the buffers without memory. `uploads` and `downloads` are the
  /// buffers that go up and come down in each run, each list ascending.
  static Expected<RecordingBuffers>
  create(Device &device, const ResolvedProgram &program,
         const PersistentBuffers &persistent, const BufferOptions &options,
         const std::vector<uint32_t> &uploads,
         const std::vector<uint32_t> &downloads);

  /// False when a pool must grow, which takes the memory of all recordings.
  bool fit(const Pools &pools) const;
  /// Grows the pools as needed, and binds.
  Status bind(Pools &pools);

  VkBuffer get(uint32_t index) const;
  /// Where the data begins in the VkBuffer, and the size of all of it.
  uint64_t base(uint32_t index) const;
  uint64_t size(uint32_t index) const;
  /// Where the host writes an upload, or reads a download.
  uint8_t *host(uint32_t index, Direction direction) const;
  /// The staging buffer of an upload or a download; null in unified memory.
  VkBuffer staging(uint32_t index, Direction direction) const;

private:
  /// Buffers placed in one pool.
  struct Group {
    std::map<uint32_t, PlacedBuffer> buffers;
    std::vector<MemoryRequest> requests; // in the order of the map
    Layout layout;

    Status add(Device &device, uint32_t index, uint64_t bytes,
               const std::string &name, uint64_t guard = 0);
    void layOut();
    Status bind(Pool &pool);
  };
  Status addTransient(Device &device, uint32_t index,
                      const ResolvedBuffer &buffer);
  const PlacedBuffer &find(uint32_t index) const;

  const PersistentBuffers *persistent = nullptr;
  Group arena, io, upload, download;
};

} // namespace moe::runtime

#endif // MOE_RUNTIME_SESSION_BUFFERS_H
