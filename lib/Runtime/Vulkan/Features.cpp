//===- Features.cpp - Device features and who needs them ------------------===//
//
// Part of moe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Vulkan/Features.h"

using namespace moe::runtime;

const FeatureInfo &moe::runtime::infoOf(Feature feature) {
  static const FeatureInfo table[] = {
      {"shaderFloat64", nullptr, 0},
      {"shaderInt64", nullptr, 0},
      {"shaderInt16", nullptr, 0},
      {"shaderFloat16", "VK_KHR_shader_float16_int8", VK_API_VERSION_1_2},
      {"shaderInt8", "VK_KHR_shader_float16_int8", VK_API_VERSION_1_2},
      {"storageBuffer16BitAccess", nullptr, 0},
      {"uniformAndStorageBuffer16BitAccess", nullptr, 0},
      {"storagePushConstant16", nullptr, 0},
      {"storageBuffer8BitAccess", "VK_KHR_8bit_storage", VK_API_VERSION_1_2},
      {"uniformAndStorageBuffer8BitAccess", "VK_KHR_8bit_storage",
       VK_API_VERSION_1_2},
      {"storagePushConstant8", "VK_KHR_8bit_storage", VK_API_VERSION_1_2},
      {"variablePointersStorageBuffer", nullptr, 0},
      {"variablePointers", nullptr, 0},
      {"vulkanMemoryModel", "VK_KHR_vulkan_memory_model", VK_API_VERSION_1_2},
      {"vulkanMemoryModelDeviceScope", "VK_KHR_vulkan_memory_model",
       VK_API_VERSION_1_2},
      {"bufferDeviceAddress", "VK_KHR_buffer_device_address",
       VK_API_VERSION_1_2},
      {"subgroupSizeControl", "VK_EXT_subgroup_size_control",
       VK_API_VERSION_1_3},
      {"cooperativeMatrix", VK_KHR_COOPERATIVE_MATRIX_EXTENSION_NAME, 0},
      {"shaderBFloat16Type", VK_KHR_SHADER_BFLOAT16_EXTENSION_NAME, 0},
      {"shaderBFloat16CooperativeMatrix", VK_KHR_SHADER_BFLOAT16_EXTENSION_NAME,
       0},
      {"pipelineExecutableInfo", "VK_KHR_pipeline_executable_properties", 0},
  };
  return table[unsigned(feature)];
}

FeatureChain::FeatureChain()
    : core{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2},
      float16Int8{
          VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_FLOAT16_INT8_FEATURES},
      storage16{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_16BIT_STORAGE_FEATURES},
      storage8{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_8BIT_STORAGE_FEATURES},
      variablePointers{
          VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VARIABLE_POINTERS_FEATURES},
      memoryModel{
          VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_MEMORY_MODEL_FEATURES},
      deviceAddress{
          VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_BUFFER_DEVICE_ADDRESS_FEATURES},
      subgroupSize{
          VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_FEATURES},
      cooperativeMatrix{
          VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_FEATURES_KHR},
      bfloat16{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_BFLOAT16_FEATURES_KHR},
      executableInfo{
          VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PIPELINE_EXECUTABLE_PROPERTIES_FEATURES_KHR} {
}

void *FeatureChain::structureOf(Feature feature) {
  switch (feature) {
  case Feature::ShaderFloat64:
  case Feature::ShaderInt64:
  case Feature::ShaderInt16:
    return nullptr; // in VkPhysicalDeviceFeatures2 itself
  case Feature::ShaderFloat16:
  case Feature::ShaderInt8:
    return &float16Int8;
  case Feature::StorageBuffer16:
  case Feature::UniformAndStorageBuffer16:
  case Feature::StoragePushConstant16:
    return &storage16;
  case Feature::StorageBuffer8:
  case Feature::UniformAndStorageBuffer8:
  case Feature::StoragePushConstant8:
    return &storage8;
  case Feature::VariablePointersStorageBuffer:
  case Feature::VariablePointers:
    return &variablePointers;
  case Feature::VulkanMemoryModel:
  case Feature::VulkanMemoryModelDeviceScope:
    return &memoryModel;
  case Feature::BufferDeviceAddress:
    return &deviceAddress;
  case Feature::SubgroupSizeControl:
    return &subgroupSize;
  case Feature::CooperativeMatrix:
    return &cooperativeMatrix;
  case Feature::BFloat16:
  case Feature::BFloat16CooperativeMatrix:
    return &bfloat16;
  case Feature::PipelineExecutableInfo:
    return &executableInfo;
  }
  return nullptr;
}

VkPhysicalDeviceFeatures2 *FeatureChain::link(const FeatureSet &features) {
  std::set<void *> structures;
  for (Feature feature : features)
    if (void *structure = structureOf(feature))
      structures.insert(structure);
  core.pNext = nullptr;
  for (void *structure : structures) {
    auto *header = static_cast<VkBaseOutStructure *>(structure);
    header->pNext = static_cast<VkBaseOutStructure *>(core.pNext);
    core.pNext = header;
  }
  return &core;
}

VkBool32 &FeatureChain::field(Feature feature) {
  switch (feature) {
  case Feature::ShaderFloat64:
    return core.features.shaderFloat64;
  case Feature::ShaderInt64:
    return core.features.shaderInt64;
  case Feature::ShaderInt16:
    return core.features.shaderInt16;
  case Feature::ShaderFloat16:
    return float16Int8.shaderFloat16;
  case Feature::ShaderInt8:
    return float16Int8.shaderInt8;
  case Feature::StorageBuffer16:
    return storage16.storageBuffer16BitAccess;
  case Feature::UniformAndStorageBuffer16:
    return storage16.uniformAndStorageBuffer16BitAccess;
  case Feature::StoragePushConstant16:
    return storage16.storagePushConstant16;
  case Feature::StorageBuffer8:
    return storage8.storageBuffer8BitAccess;
  case Feature::UniformAndStorageBuffer8:
    return storage8.uniformAndStorageBuffer8BitAccess;
  case Feature::StoragePushConstant8:
    return storage8.storagePushConstant8;
  case Feature::VariablePointersStorageBuffer:
    return variablePointers.variablePointersStorageBuffer;
  case Feature::VariablePointers:
    return variablePointers.variablePointers;
  case Feature::VulkanMemoryModel:
    return memoryModel.vulkanMemoryModel;
  case Feature::VulkanMemoryModelDeviceScope:
    return memoryModel.vulkanMemoryModelDeviceScope;
  case Feature::BufferDeviceAddress:
    return deviceAddress.bufferDeviceAddress;
  case Feature::SubgroupSizeControl:
    return subgroupSize.subgroupSizeControl;
  case Feature::CooperativeMatrix:
    return cooperativeMatrix.cooperativeMatrix;
  case Feature::BFloat16:
    return bfloat16.shaderBFloat16Type;
  case Feature::BFloat16CooperativeMatrix:
    return bfloat16.shaderBFloat16CooperativeMatrix;
  case Feature::PipelineExecutableInfo:
    break;
  }
  return executableInfo.pipelineExecutableInfo;
}

namespace {
/// What one SPIR-V capability needs.
struct CapabilityRow {
  uint32_t capability;
  FeatureSet features;
  VkSubgroupFeatureFlags subgroupOperations = 0;
};
} // namespace

/// The capabilities of compute shaders that the runtime knows, by their numbers
/// in the SPIR-V specification.
static const std::vector<CapabilityRow> &capabilityRows() {
  static const std::vector<CapabilityRow> rows = {
      {0, {}},  // Matrix
      {1, {}},  // Shader
      {46, {}}, // SampledBuffer
      {47, {}}, // ImageBuffer
      {9, {Feature::ShaderFloat16}},
      {10, {Feature::ShaderFloat64}},
      {11, {Feature::ShaderInt64}},
      {22, {Feature::ShaderInt16}},
      {39, {Feature::ShaderInt8}},
      // GroupNonUniform and its family
      {61, {}, VK_SUBGROUP_FEATURE_BASIC_BIT},
      {62, {}, VK_SUBGROUP_FEATURE_VOTE_BIT},
      {63, {}, VK_SUBGROUP_FEATURE_ARITHMETIC_BIT},
      {64, {}, VK_SUBGROUP_FEATURE_BALLOT_BIT},
      {65, {}, VK_SUBGROUP_FEATURE_SHUFFLE_BIT},
      {66, {}, VK_SUBGROUP_FEATURE_SHUFFLE_RELATIVE_BIT},
      {67, {}, VK_SUBGROUP_FEATURE_CLUSTERED_BIT},
      {68, {}, VK_SUBGROUP_FEATURE_QUAD_BIT},
      // storage of 16 and 8 bits
      {4433, {Feature::StorageBuffer16}},
      {4434, {Feature::UniformAndStorageBuffer16}},
      {4435, {Feature::StoragePushConstant16}},
      {4448, {Feature::StorageBuffer8}},
      {4449, {Feature::UniformAndStorageBuffer8}},
      {4450, {Feature::StoragePushConstant8}},
      {4441, {Feature::VariablePointersStorageBuffer}},
      {4442,
       {Feature::VariablePointers, Feature::VariablePointersStorageBuffer}},
      {5116, {Feature::BFloat16}},
      {5118, {Feature::BFloat16, Feature::BFloat16CooperativeMatrix}},
      {5345, {Feature::VulkanMemoryModel}},
      {5346,
       {Feature::VulkanMemoryModel, Feature::VulkanMemoryModelDeviceScope}},
      {5347, {Feature::BufferDeviceAddress}},
      {6022, {Feature::CooperativeMatrix}},
  };
  return rows;
}

CapabilityNeed moe::runtime::needOf(uint32_t spirvCapability) {
  for (const CapabilityRow &row : capabilityRows())
    if (row.capability == spirvCapability)
      return {true, row.features, row.subgroupOperations};
  return {};
}

const char *moe::runtime::nameOfSubgroupOperation(VkSubgroupFeatureFlags bit) {
  switch (bit) {
  case VK_SUBGROUP_FEATURE_BASIC_BIT:
    return "basic";
  case VK_SUBGROUP_FEATURE_VOTE_BIT:
    return "vote";
  case VK_SUBGROUP_FEATURE_ARITHMETIC_BIT:
    return "arithmetic";
  case VK_SUBGROUP_FEATURE_BALLOT_BIT:
    return "ballot";
  case VK_SUBGROUP_FEATURE_SHUFFLE_BIT:
    return "shuffle";
  case VK_SUBGROUP_FEATURE_SHUFFLE_RELATIVE_BIT:
    return "shuffle_relative";
  case VK_SUBGROUP_FEATURE_CLUSTERED_BIT:
    return "clustered";
  case VK_SUBGROUP_FEATURE_QUAD_BIT:
    return "quad";
  default:
    return "unknown";
  }
}
