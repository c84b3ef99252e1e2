//===- Pipeline.h - A kernel ready to be dispatched -------------*- C++ -*-===//
//
// Part of moe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MOE_RUNTIME_VULKAN_PIPELINE_H
#define MOE_RUNTIME_VULKAN_PIPELINE_H

#include "Bundle/Bundle.h"
#include "Vulkan/Device.h"

#include <string>
#include <utility>
#include <vector>

namespace moe::runtime {

/// One number that a driver tells of a compiled kernel.
using PipelineStatistic = std::pair<std::string, double>;

/// The pipeline of one kernel, with its layouts.
class Pipeline {
public:
  /// `subgroupSize` is asked for when it is not 0.
  static Expected<Pipeline> create(Device &device, const bundle::Kernel &kernel,
                                   uint32_t subgroupSize,
                                   VkPipelineCache cache);

  VkPipeline get() const { return pipeline.get(); }
  VkPipelineLayout layout() const { return pipelineLayout.get(); }
  VkDescriptorSetLayout setLayout() const { return descriptorLayout.get(); }

  /// Register counts and the like, where the device tells them.
  std::vector<PipelineStatistic> statistics(Device &device) const;

private:
  Pipeline() = default;
  Status createLayouts(Device &device, const bundle::Kernel &kernel);
  Status createPipeline(Device &device, const bundle::Kernel &kernel,
                        uint32_t subgroupSize, VkPipelineCache cache);

  Handle<VkDescriptorSetLayout> descriptorLayout;
  Handle<VkPipelineLayout> pipelineLayout;
  Handle<VkPipeline> pipeline;
};

} // namespace moe::runtime

#endif // MOE_RUNTIME_VULKAN_PIPELINE_H
