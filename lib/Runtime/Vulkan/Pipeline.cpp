//===- Pipeline.cpp - A kernel ready to be dispatched ---------------------===//
//
// Part of moe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Vulkan/Pipeline.h"
#include "Vulkan/Result.h"

using namespace moe::runtime;

Status Pipeline::createLayouts(Device &device, const bundle::Kernel &kernel) {
  std::string context = join("kernel '", kernel.name()->str(), "'");
  std::vector<VkDescriptorSetLayoutBinding> bindings(kernel.num_bindings());
  for (uint32_t i = 0; i < bindings.size(); ++i)
    bindings[i] = {i, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1,
                   VK_SHADER_STAGE_COMPUTE_BIT, nullptr};
  VkDescriptorSetLayoutCreateInfo setInfo = {
      VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO};
  setInfo.bindingCount = uint32_t(bindings.size());
  setInfo.pBindings = bindings.data();
  VkDescriptorSetLayout set = VK_NULL_HANDLE;
  MOE_RETURN_IF_ERROR(check(device.call().vkCreateDescriptorSetLayout(
                                device.get(), &setInfo, nullptr, &set),
                            "vkCreateDescriptorSetLayout", context));
  descriptorLayout =
      device.own(set, device.call().vkDestroyDescriptorSetLayout);

  VkPushConstantRange push = {VK_SHADER_STAGE_COMPUTE_BIT, 0,
                              kernel.num_push_constants() * 4};
  VkPipelineLayoutCreateInfo info = {
      VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
  info.setLayoutCount = 1;
  info.pSetLayouts = &set;
  info.pushConstantRangeCount = push.size ? 1 : 0;
  info.pPushConstantRanges = &push;
  VkPipelineLayout layout = VK_NULL_HANDLE;
  MOE_RETURN_IF_ERROR(check(device.call().vkCreatePipelineLayout(
                                device.get(), &info, nullptr, &layout),
                            "vkCreatePipelineLayout", context));
  pipelineLayout = device.own(layout, device.call().vkDestroyPipelineLayout);
  return Status();
}

Status Pipeline::createPipeline(Device &device, const bundle::Kernel &kernel,
                                uint32_t subgroupSize, VkPipelineCache cache) {
  std::string context = join("kernel '", kernel.name()->str(), "'");
  VkShaderModuleCreateInfo moduleInfo = {
      VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO};
  moduleInfo.codeSize = size_t(kernel.spirv()->size()) * 4;
  moduleInfo.pCode = kernel.spirv()->data();
  VkShaderModule object = VK_NULL_HANDLE;
  MOE_RETURN_IF_ERROR(check(device.call().vkCreateShaderModule(
                                device.get(), &moduleInfo, nullptr, &object),
                            "vkCreateShaderModule", context));
  Handle<VkShaderModule> module =
      device.own(object, device.call().vkDestroyShaderModule);

  VkPipelineShaderStageRequiredSubgroupSizeCreateInfo required = {
      VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO};
  required.requiredSubgroupSize = subgroupSize;
  VkComputePipelineCreateInfo info = {
      VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
  if (device.plan().features.count(Feature::PipelineExecutableInfo))
    info.flags = VK_PIPELINE_CREATE_CAPTURE_STATISTICS_BIT_KHR;
  info.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
  info.stage.pNext = subgroupSize ? &required : nullptr;
  info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
  info.stage.module = object;
  info.stage.pName = kernel.entry_point()->c_str();
  info.layout = pipelineLayout.get();
  VkPipeline result = VK_NULL_HANDLE;
  MOE_RETURN_IF_ERROR(
      check(device.call().vkCreateComputePipelines(device.get(), cache, 1,
                                                   &info, nullptr, &result),
            "vkCreateComputePipelines", context));
  pipeline = device.own(result, device.call().vkDestroyPipeline);
  device.setName(VK_OBJECT_TYPE_PIPELINE, reinterpret_cast<uint64_t>(result),
                 kernel.name()->str());
  ++device.counters().pipelines;
  return Status();
}

Expected<Pipeline> Pipeline::create(Device &device,
                                    const bundle::Kernel &kernel,
                                    uint32_t subgroupSize,
                                    VkPipelineCache cache) {
  Pipeline result;
  MOE_RETURN_IF_ERROR(result.createLayouts(device, kernel));
  MOE_RETURN_IF_ERROR(
      result.createPipeline(device, kernel, subgroupSize, cache));
  return result;
}

static double valueOf(const VkPipelineExecutableStatisticKHR &statistic) {
  switch (statistic.format) {
  case VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_BOOL32_KHR:
    return statistic.value.b32;
  case VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_INT64_KHR:
    return double(statistic.value.i64);
  case VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_UINT64_KHR:
    return double(statistic.value.u64);
  default:
    return statistic.value.f64;
  }
}

std::vector<PipelineStatistic> Pipeline::statistics(Device &device) const {
  std::vector<PipelineStatistic> result;
  const VolkDeviceTable &call = device.call();
  if (!device.plan().features.count(Feature::PipelineExecutableInfo) ||
      !call.vkGetPipelineExecutableStatisticsKHR)
    return result;
  VkPipelineExecutableInfoKHR info = {
      VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_INFO_KHR};
  info.pipeline = pipeline.get();
  uint32_t count = 0;
  if (call.vkGetPipelineExecutableStatisticsKHR(device.get(), &info, &count,
                                                nullptr) != VK_SUCCESS)
    return result;
  std::vector<VkPipelineExecutableStatisticKHR> list(
      count, {VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_STATISTIC_KHR});
  call.vkGetPipelineExecutableStatisticsKHR(device.get(), &info, &count,
                                            list.data());
  for (const VkPipelineExecutableStatisticKHR &statistic : list)
    result.emplace_back(statistic.name, valueOf(statistic));
  return result;
}
