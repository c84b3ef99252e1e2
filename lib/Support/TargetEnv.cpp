//===- TargetEnv.cpp - Device facts as a SPIR-V target environment --------===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "moe/Support/TargetInfo.h"

#include "mlir/Dialect/SPIRV/IR/SPIRVDialect.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVEnums.h"
#include "mlir/Dialect/SPIRV/IR/TargetAndABI.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;
using namespace mlir::moe;
using spirv::Capability;
using spirv::Extension;

Type moe::getElementType(MLIRContext *context, ElementKind kind) {
  Builder builder(context);
  switch (kind) {
  case ElementKind::F32:
    return builder.getF32Type();
  case ElementKind::I32:
    return builder.getI32Type();
  case ElementKind::F16:
    return builder.getF16Type();
  case ElementKind::BF16:
    return builder.getBF16Type();
  case ElementKind::I8:
    return builder.getI8Type();
  case ElementKind::U8:
    return builder.getIntegerType(8, /*isSigned=*/false);
  case ElementKind::I64:
    return builder.getI64Type();
  case ElementKind::I16:
    return builder.getIntegerType(16);
  }
  llvm_unreachable("covered switch");
}

std::optional<ElementKind> moe::getElementKind(Type type) {
  for (auto kind :
       {ElementKind::F32, ElementKind::I32, ElementKind::F16, ElementKind::BF16,
        ElementKind::I8, ElementKind::U8, ElementKind::I64, ElementKind::I16})
    if (getElementType(type.getContext(), kind) == type)
      return kind;
  return std::nullopt;
}

/// The version that a Vulkan version guarantees.
static spirv::Version getVersion(uint32_t apiVersion) {
  if (apiVersion >= makeApiVersion(1, 3))
    return spirv::Version::V_1_6;
  if (apiVersion >= makeApiVersion(1, 2))
    return spirv::Version::V_1_5;
  return spirv::Version::V_1_3;
}

static SmallVector<Capability> getCapabilities(const TargetInfo &target) {
  SmallVector<Capability> capabilities = {Capability::Shader,
                                          Capability::SampledBuffer};
  auto addIf = [&](bool present, Capability capability) {
    if (present)
      capabilities.push_back(capability);
  };
  const std::pair<SubgroupOperation, Capability> operations[] = {
      {SubgroupBasic, Capability::GroupNonUniform},
      {SubgroupVote, Capability::GroupNonUniformVote},
      {SubgroupArithmetic, Capability::GroupNonUniformArithmetic},
      {SubgroupBallot, Capability::GroupNonUniformBallot},
      {SubgroupShuffle, Capability::GroupNonUniformShuffle},
      {SubgroupShuffleRelative, Capability::GroupNonUniformShuffleRelative},
      {SubgroupClustered, Capability::GroupNonUniformClustered},
      {SubgroupQuad, Capability::GroupNonUniformQuad}};
  for (const auto &[operation, capability] : operations)
    addIf(target.supports(operation), capability);
  addIf(target.shaderInt64, Capability::Int64);
  addIf(target.shaderInt16, Capability::Int16);
  addIf(target.shaderInt8, Capability::Int8);
  addIf(target.shaderFloat16, Capability::Float16);
  addIf(target.storage16Bit, Capability::StorageBuffer16BitAccess);
  addIf(target.storage8Bit, Capability::StorageBuffer8BitAccess);
  // PhysicalStorageBufferAddresses is left out: naming it would switch the
  // addressing of every module.
  addIf(target.vulkanMemoryModel, Capability::VulkanMemoryModel);
  addIf(target.bfloat16, Capability::BFloat16TypeKHR);
  bool hasMatrices = !target.cooperativeMatrices.empty();
  addIf(hasMatrices, Capability::CooperativeMatrixKHR);
  addIf(hasMatrices && target.bfloat16,
        Capability::BFloat16CooperativeMatrixKHR);
  return capabilities;
}

static SmallVector<Extension> getExtensions(const TargetInfo &target) {
  SmallVector<Extension> extensions = {
      Extension::SPV_KHR_storage_buffer_storage_class};
  if (target.storage16Bit)
    extensions.push_back(Extension::SPV_KHR_16bit_storage);
  if (target.storage8Bit)
    extensions.push_back(Extension::SPV_KHR_8bit_storage);
  if (target.vulkanMemoryModel)
    extensions.push_back(Extension::SPV_KHR_vulkan_memory_model);
  if (target.bfloat16)
    extensions.push_back(Extension::SPV_KHR_bfloat16);
  if (!target.cooperativeMatrices.empty())
    extensions.push_back(Extension::SPV_KHR_cooperative_matrix);
  return extensions;
}

static ArrayAttr getMatrices(Builder &builder, const TargetInfo &target) {
  MLIRContext *context = builder.getContext();
  auto scope = spirv::ScopeAttr::get(context, spirv::Scope::Subgroup);
  SmallVector<Attribute> shapes;
  for (const CooperativeMatrixShape &shape : target.cooperativeMatrices)
    shapes.push_back(spirv::CooperativeMatrixPropertiesKHRAttr::get(
        context, shape.m, shape.n, shape.k, getElementType(context, shape.a),
        getElementType(context, shape.b), getElementType(context, shape.c),
        getElementType(context, shape.result), /*acc_sat=*/false, scope));
  return builder.getArrayAttr(shapes);
}

spirv::TargetEnvAttr moe::toTargetEnv(MLIRContext *context,
                                      const TargetInfo &target) {
  context->loadDialect<spirv::SPIRVDialect>();
  Builder builder(context);
  auto triple = spirv::VerCapExtAttr::get(getVersion(target.apiVersion),
                                          getCapabilities(target),
                                          getExtensions(target), context);
  const std::array<uint32_t, 3> &size = target.maxWorkgroupSize;
  auto limits = spirv::ResourceLimitsAttr::get(
      context, target.maxSharedMemory, target.maxWorkgroupInvocations,
      builder.getI32ArrayAttr(
          {int32_t(size[0]), int32_t(size[1]), int32_t(size[2])}),
      target.subgroupSize, target.minSubgroupSize, target.maxSubgroupSize,
      getMatrices(builder, target), builder.getArrayAttr({}));
  return spirv::TargetEnvAttr::get(triple, limits, spirv::ClientAPI::Vulkan);
}
