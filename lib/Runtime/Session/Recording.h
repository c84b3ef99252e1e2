//===- Recording.h - A program recorded for one tuple of dims ---*- C++ -*-===//
//
// Part of moe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MOE_RUNTIME_SESSION_RECORDING_H
#define MOE_RUNTIME_SESSION_RECORDING_H

#include "Session/Buffers.h"
#include "Session/Guards.h"
#include "Vulkan/Pipeline.h"

namespace moe::runtime {

/// How long one dispatch took, and what it had to do.
struct Timing {
  uint32_t kernel = 0;
  std::string label;
  double startMilliseconds = 0; // since the first command
  double milliseconds = 0;
  double flops = 0;
  double bytes = 0;
};

/// A command buffer that uploads, runs and downloads, and is submitted once for
/// each run.
class Recording {
public:
  /// What goes through the recording besides the program itself.
  struct Transfers {
    std::vector<uint32_t> uploads;
    std::vector<uint32_t> downloads;
  };

  /// Records `program` into `buffers`, which are bound. `guards` are those of
  /// the buffers, or null.
  static Expected<std::unique_ptr<Recording>>
  create(Device &device, ResolvedProgram program, RecordingBuffers buffers,
         std::unique_ptr<Guards> guards, const Transfers &transfers,
         const std::vector<Pipeline> &pipelines, bool timeDispatches);
  ~Recording();
  Recording(const Recording &) = delete;
  Recording &operator=(const Recording &) = delete;

  const RecordingBuffers &storage() const { return buffers; }
  const ResolvedProgram &resolved() const { return program; }

  /// One submit and one wait. An error when a guard was overwritten.
  Status run();

  /// The dispatches of the last run; empty when they are not timed.
  std::vector<Timing> timings() const;
  /// The last run on the device without the transfers; 0 when the device has no
  /// timestamps.
  double deviceMilliseconds() const;

private:
  Recording(Device &device, ResolvedProgram program, RecordingBuffers buffers,
            std::unique_ptr<Guards> guards)
      : device(device), program(std::move(program)),
        buffers(std::move(buffers)), guards(std::move(guards)) {}

  Status createDescriptorPool(const std::vector<Pipeline> &pipelines);
  Status createQueries(bool timeDispatches);
  Status record(const Transfers &transfers,
                const std::vector<Pipeline> &pipelines);
  /// Where a range begins in its VkBuffer.
  uint64_t beginOf(const ResolvedRange &range) const {
    return buffers.base(range.buffer) + range.offset;
  }
  VkDescriptorBufferInfo describe(const ResolvedRange &range) const;
  void recordTransfers(const std::vector<uint32_t> &list, Direction direction);
  void recordGuards(size_t index);
  void recordBarrier(VkPipelineStageFlags stages, VkAccessFlags accesses);
  void recordTimestamp();
  Status recordCommand(const ResolvedDispatch &dispatch,
                       const std::vector<Pipeline> &pipelines);
  Expected<VkDescriptorSet> writeSet(const ResolvedDispatch &dispatch,
                                     VkDescriptorSetLayout layout);
  void readTimestamps();

  Device &device;
  ResolvedProgram program;
  RecordingBuffers buffers;
  std::unique_ptr<Guards> guards;
  Handle<VkDescriptorPool> descriptorPool;
  Handle<VkQueryPool> queryPool;
  uint32_t numQueries = 0;
  uint32_t nextQuery = 0;
  bool timeDispatches = false;
  VkCommandBuffer commands = VK_NULL_HANDLE;
  /// In milliseconds since the first one.
  std::vector<double> timestamps;
};

} // namespace moe::runtime

#endif // MOE_RUNTIME_SESSION_RECORDING_H
