//===- Facts.cpp - A device's facts as the compiler reads them ------------===//
//
// Part of moe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Vulkan/PhysicalDevice.h"
#include "moe-bundle/bundle_generated.h"

#include <algorithm>
#include <optional>

using namespace moe::runtime;

static std::optional<moe::bundle::ElementType>
elementTypeOf(VkComponentTypeKHR type) {
  if (type == VK_COMPONENT_TYPE_FLOAT16_KHR)
    return moe::bundle::ElementType::F16;
  if (type == VK_COMPONENT_TYPE_FLOAT32_KHR)
    return moe::bundle::ElementType::F32;
  if (type == VK_COMPONENT_TYPE_SINT8_KHR)
    return moe::bundle::ElementType::I8;
  if (type == VK_COMPONENT_TYPE_UINT8_KHR)
    return moe::bundle::ElementType::U8;
  if (type == VK_COMPONENT_TYPE_SINT32_KHR)
    return moe::bundle::ElementType::I32;
  if (type == VK_COMPONENT_TYPE_BFLOAT16_KHR)
    return moe::bundle::ElementType::BF16;
  return std::nullopt;
}

static std::vector<flatbuffers::Offset<moe::bundle::CooperativeMatrix>>
serializeMatrices(flatbuffers::FlatBufferBuilder &builder,
                  const DeviceSnapshot &device) {
  std::vector<flatbuffers::Offset<moe::bundle::CooperativeMatrix>> matrices;
  for (const VkCooperativeMatrixPropertiesKHR &shape :
       device.cooperativeMatrices) {
    auto a = elementTypeOf(shape.AType), b = elementTypeOf(shape.BType),
         c = elementTypeOf(shape.CType),
         result = elementTypeOf(shape.ResultType);
    // A shape of a type that the schema does not know is of no use.
    if (a && b && c && result)
      matrices.push_back(moe::bundle::CreateCooperativeMatrix(
          builder, shape.MSize, shape.NSize, shape.KSize, *a, *b, *c, *result));
  }
  return matrices;
}

std::vector<uint8_t>
moe::runtime::serializeFacts(const DeviceSnapshot &device) {
  flatbuffers::FlatBufferBuilder builder;
  const VkPhysicalDeviceLimits &limits = device.limits;
  auto has = [&](Feature feature) {
    return device.features.count(feature) != 0;
  };
  auto name = builder.CreateString(device.name);
  auto size = builder.CreateVector(limits.maxComputeWorkGroupSize, 3);
  auto count = builder.CreateVector(limits.maxComputeWorkGroupCount, 3);
  auto matrices = builder.CreateVector(serializeMatrices(builder, device));

  moe::bundle::DeviceFactsBuilder facts(builder);
  facts.add_name(name);
  facts.add_api_version(device.apiVersion);
  facts.add_subgroup_size(device.subgroupSize);
  facts.add_min_subgroup_size(device.minSubgroupSize);
  facts.add_max_subgroup_size(device.maxSubgroupSize);
  facts.add_max_workgroup_invocations(limits.maxComputeWorkGroupInvocations);
  facts.add_max_workgroup_size(size);
  facts.add_max_workgroup_count(count);
  facts.add_max_shared_memory(limits.maxComputeSharedMemorySize);
  facts.add_max_push_constants(limits.maxPushConstantsSize);
  facts.add_max_storage_buffers(
      std::min(limits.maxPerStageDescriptorStorageBuffers,
               limits.maxDescriptorSetStorageBuffers));
  facts.add_max_storage_range(limits.maxStorageBufferRange);
  facts.add_min_storage_alignment(
      uint32_t(limits.minStorageBufferOffsetAlignment));
  facts.add_max_texel_elements(limits.maxTexelBufferElements);
  facts.add_subgroup_operations(device.subgroupOperations);
  facts.add_shader_int64(has(Feature::ShaderInt64));
  facts.add_shader_int16(has(Feature::ShaderInt16));
  facts.add_shader_int8(has(Feature::ShaderInt8));
  facts.add_shader_float16(has(Feature::ShaderFloat16));
  facts.add_storage_16bit(has(Feature::StorageBuffer16));
  facts.add_storage_8bit(has(Feature::StorageBuffer8));
  facts.add_buffer_device_address(has(Feature::BufferDeviceAddress));
  facts.add_vulkan_memory_model(has(Feature::VulkanMemoryModel));
  facts.add_bfloat16(has(Feature::BFloat16));
  facts.add_cooperative_matrices(matrices);
  facts.add_max_loop_iterations(device.maxLoopIterations);
  builder.Finish(facts.Finish());
  return std::vector<uint8_t>(builder.GetBufferPointer(),
                              builder.GetBufferPointer() + builder.GetSize());
}
