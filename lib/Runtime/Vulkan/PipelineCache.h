//===- PipelineCache.h - Compiled kernels kept on disk ----------*- C++ -*-===//
//
// Part of moe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MOE_RUNTIME_VULKAN_PIPELINECACHE_H
#define MOE_RUNTIME_VULKAN_PIPELINECACHE_H

#include "Vulkan/Device.h"

#include <string>
#include <vector>

namespace moe::runtime {

/// True when `data` begins with the header that this device's driver writes. A
/// driver may trust what follows, so nothing else is handed to it.
bool isCacheOf(const DeviceSnapshot &device, const std::vector<char> &data);

/// A VkPipelineCache, loaded from a file of its device in a directory and
/// written back there. The cache is a help, never a need: a file that cannot be
/// read, written or trusted is passed over.
class PipelineCache {
public:
  /// An empty directory keeps the cache in memory only.
  static Expected<PipelineCache> create(Device &device,
                                        const std::string &directory);

  VkPipelineCache get() const { return cache.get(); }

  /// Writes the file anew, at once or not at all, when the cache has changed.
  void save();

private:
  PipelineCache(Device &device) : device(&device) {}

  Device *device;
  std::string path;
  size_t loadedBytes = 0;
  Handle<VkPipelineCache> cache;
};

} // namespace moe::runtime

#endif // MOE_RUNTIME_VULKAN_PIPELINECACHE_H
