//===- DeviceFacts.cpp - Device facts as the schema writes them -----------===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "moe/Target/Bundle/DeviceFacts.h"

#include "DeviceFactsWriter.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::moe;
namespace fb = ::moe::bundle;

static_assert(uint8_t(ElementKind::F32) == uint8_t(fb::ElementType::F32) &&
                  uint8_t(ElementKind::BF16) ==
                      uint8_t(fb::ElementType::BF16) &&
                  uint8_t(ElementKind::I16) == uint8_t(fb::ElementType::MAX),
              "the numbers of ElementKind are those of the schema");

flatbuffers::Offset<fb::DeviceFacts>
mlir::moe::writeDeviceFacts(flatbuffers::FlatBufferBuilder &builder,
                            const TargetInfo &target) {
  std::vector<flatbuffers::Offset<fb::CooperativeMatrix>> matrices;
  for (const CooperativeMatrixShape &shape : target.cooperativeMatrices)
    matrices.push_back(fb::CreateCooperativeMatrix(
        builder, shape.m, shape.n, shape.k, fb::ElementType(shape.a),
        fb::ElementType(shape.b), fb::ElementType(shape.c),
        fb::ElementType(shape.result)));
  auto name = builder.CreateString(target.name);
  auto size = builder.CreateVector(target.maxWorkgroupSize.data(), 3);
  auto count = builder.CreateVector(target.maxWorkgroupCount.data(), 3);
  auto matrixVector = builder.CreateVector(matrices);

  fb::DeviceFactsBuilder facts(builder);
  facts.add_name(name);
  facts.add_api_version(target.apiVersion);
  facts.add_subgroup_size(target.subgroupSize);
  facts.add_min_subgroup_size(target.minSubgroupSize);
  facts.add_max_subgroup_size(target.maxSubgroupSize);
  facts.add_max_workgroup_invocations(target.maxWorkgroupInvocations);
  facts.add_max_workgroup_size(size);
  facts.add_max_workgroup_count(count);
  facts.add_max_shared_memory(target.maxSharedMemory);
  facts.add_max_push_constants(target.maxPushConstants);
  facts.add_max_storage_buffers(target.maxStorageBuffers);
  facts.add_max_storage_range(target.maxStorageRange);
  facts.add_min_storage_alignment(target.minStorageAlignment);
  facts.add_max_texel_elements(target.maxTexelElements);
  facts.add_subgroup_operations(target.subgroupOperations);
  facts.add_shader_int64(target.shaderInt64);
  facts.add_shader_int16(target.shaderInt16);
  facts.add_shader_int8(target.shaderInt8);
  facts.add_shader_float16(target.shaderFloat16);
  facts.add_storage_16bit(target.storage16Bit);
  facts.add_storage_8bit(target.storage8Bit);
  facts.add_buffer_device_address(target.bufferDeviceAddress);
  facts.add_vulkan_memory_model(target.vulkanMemoryModel);
  facts.add_bfloat16(target.bfloat16);
  facts.add_cooperative_matrices(matrixVector);
  facts.add_max_loop_iterations(target.maxLoopIterations);
  return facts.Finish();
}

std::vector<uint8_t> mlir::moe::serializeDeviceFacts(const TargetInfo &target) {
  flatbuffers::FlatBufferBuilder builder;
  builder.Finish(writeDeviceFacts(builder, target));
  return {builder.GetBufferPointer(),
          builder.GetBufferPointer() + builder.GetSize()};
}

/// What the table says, when it can be the facts of a device at all.
static std::string findFault(const fb::DeviceFacts &facts) {
  for (const auto *sizes :
       {facts.max_workgroup_size(), facts.max_workgroup_count()})
    if (!sizes || sizes->size() != 3)
      return "expected 3 sizes of a workgroup and of a grid, but got " +
             std::to_string(sizes ? sizes->size() : 0);
  for (auto [what, value] :
       {std::pair("a subgroup size", facts.subgroup_size()),
        std::pair("a smallest subgroup size", facts.min_subgroup_size()),
        std::pair("a largest subgroup size", facts.max_subgroup_size()),
        std::pair("a storage alignment", facts.min_storage_alignment())})
    if (value == 0 || (value & (value - 1)) != 0)
      return std::string("expected ") + what +
             " that is a power of two, but got " + std::to_string(value);
  if (const auto *matrices = facts.cooperative_matrices())
    for (const fb::CooperativeMatrix *shape : *matrices)
      for (fb::ElementType type :
           {shape->a(), shape->b(), shape->c(), shape->result()})
        if (type > fb::ElementType::MAX)
          return "expected an element type up to " +
                 std::to_string(unsigned(fb::ElementType::MAX)) + ", but got " +
                 std::to_string(unsigned(type));
  return "";
}

static TargetInfo readDeviceFacts(const fb::DeviceFacts &facts) {
  TargetInfo target;
  target.name = facts.name()->str();
  target.apiVersion = facts.api_version();
  target.subgroupSize = facts.subgroup_size();
  target.minSubgroupSize = facts.min_subgroup_size();
  target.maxSubgroupSize = facts.max_subgroup_size();
  target.maxWorkgroupInvocations = facts.max_workgroup_invocations();
  llvm::copy(*facts.max_workgroup_size(), target.maxWorkgroupSize.begin());
  llvm::copy(*facts.max_workgroup_count(), target.maxWorkgroupCount.begin());
  target.maxSharedMemory = facts.max_shared_memory();
  target.maxPushConstants = facts.max_push_constants();
  target.maxStorageBuffers = facts.max_storage_buffers();
  target.maxStorageRange = facts.max_storage_range();
  target.minStorageAlignment = facts.min_storage_alignment();
  target.maxTexelElements = facts.max_texel_elements();
  target.subgroupOperations = facts.subgroup_operations();
  target.shaderInt64 = facts.shader_int64();
  target.shaderInt16 = facts.shader_int16();
  target.shaderInt8 = facts.shader_int8();
  target.shaderFloat16 = facts.shader_float16();
  target.storage16Bit = facts.storage_16bit();
  target.storage8Bit = facts.storage_8bit();
  target.bufferDeviceAddress = facts.buffer_device_address();
  target.vulkanMemoryModel = facts.vulkan_memory_model();
  target.bfloat16 = facts.bfloat16();
  target.maxLoopIterations = facts.max_loop_iterations();
  if (const auto *matrices = facts.cooperative_matrices())
    for (const fb::CooperativeMatrix *shape : *matrices)
      target.cooperativeMatrices.push_back(
          {shape->m(), shape->n(), shape->k(), ElementKind(shape->a()),
           ElementKind(shape->b()), ElementKind(shape->c()),
           ElementKind(shape->result())});
  return target;
}

std::optional<TargetInfo> mlir::moe::parseDeviceFacts(ArrayRef<uint8_t> bytes,
                                                      std::string &error) {
  // FlatBuffers reads words in place, so they have to be aligned.
  std::vector<uint64_t> aligned((bytes.size() + 7) / 8);
  auto *data = reinterpret_cast<uint8_t *>(aligned.data());
  llvm::copy(bytes, data);
  flatbuffers::Verifier verifier(data, bytes.size());
  if (!verifier.VerifyBuffer<fb::DeviceFacts>(nullptr)) {
    error = "expected a table of device facts, but got " +
            std::to_string(bytes.size()) +
            " bytes that are damaged or "
            "something else";
    return std::nullopt;
  }
  const auto &facts = *flatbuffers::GetRoot<fb::DeviceFacts>(data);
  error = findFault(facts);
  if (!error.empty())
    return std::nullopt;
  return readDeviceFacts(facts);
}
