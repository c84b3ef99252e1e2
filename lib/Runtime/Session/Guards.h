//===- Guards.h - Bytes that no kernel may write ----------------*- C++ -*-===//
//
// Part of moe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MOE_RUNTIME_SESSION_GUARDS_H
#define MOE_RUNTIME_SESSION_GUARDS_H

#include "Bundle/Bundle.h"
#include "Session/Buffers.h"

namespace moe::runtime {

/// The bytes before and after each buffer of a recording. They are filled with
/// a pattern before each run. After each dispatch those of its buffers are
/// brought to the host, and after the run those of all, where they are
/// compared.
class Guards {
public:
  /// A word of the pattern: a NaN and a large integer, also of 16 bits, so that
  /// a result that comes from there shows.
  static constexpr uint32_t kPattern = 0x7fc5a5a5;
  /// The most bytes on one side.
  static constexpr uint64_t kMaxBytes = uint64_t(1) << 24;

  /// Around all buffers of `resolved`, which is `program` of `bundle`, as they
  /// lie in `buffers`, which are bound. `memoryType` is one for downloads.
  static Expected<std::unique_ptr<Guards>>
  create(Device &device, uint32_t memoryType, const Bundle &bundle,
         const bundle::Program &program, const ResolvedProgram &resolved,
         const RecordingBuffers &buffers);

  void recordFills(VkCommandBuffer commands) const;
  /// Behind a barrier, after dispatch number `index`, or at the end where that
  /// is the number of dispatches.
  void recordCopies(VkCommandBuffer commands, size_t index) const;
  /// Of the last run.
  Status check() const;

private:
  /// One side of one buffer.
  struct Region {
    uint32_t buffer = 0;
    bool before = false;
    VkBuffer handle = VK_NULL_HANDLE;
    uint64_t offset = 0; // in the VkBuffer
    uint64_t bytes = 0;
  };
  /// Some regions at one time.
  struct Snapshot {
    std::string writer; // who came before it
    std::vector<size_t> regions;
    uint64_t offset = 0; // of the first of them in `host`
  };

  Guards(Device &device, uint32_t memoryType)
      : device(device), pool(device, "copies of guards", memoryType, true) {}

  void addRegions(const ResolvedProgram &resolved,
                  const RecordingBuffers &buffers);
  void addSnapshots(const Bundle &bundle, const std::string &program,
                    const ResolvedProgram &resolved);
  /// What a region holds when nobody has written there.
  uint64_t patternOffset(const Region &region) const {
    return region.offset % sizeof(kPattern);
  }
  Status describe(const Snapshot &snapshot, const Region &region,
                  const uint8_t *got) const;

  Device &device;
  Pool pool;
  PlacedBuffer host; // the pattern, then the snapshots
  uint64_t patternBytes = 0;
  std::vector<Region> regions; // two for each buffer
  std::vector<Snapshot> snapshots;
  std::vector<std::string> names; // of buffers
  std::vector<uint64_t> sizes;
};

} // namespace moe::runtime

#endif // MOE_RUNTIME_SESSION_GUARDS_H
