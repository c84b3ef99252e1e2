//===- DevicePlanTest.cpp - Plans for devices that do not exist -----------===//
//
// Part of moe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Vulkan/DevicePlan.h"
#include "Vulkan/Memory.h"
#include "Vulkan/PipelineCache.h"

#include <algorithm>
#include <cstring>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace moe::runtime;
using testing::ElementsAre;
using testing::IsEmpty;

namespace {
/// A device that can do what Vulkan 1.1 demands, and no more.
DeviceSnapshot minimalDevice() {
  DeviceSnapshot device;
  device.name = "minimal";
  device.apiVersion = VK_API_VERSION_1_1;
  device.queueFamilies = {{VK_QUEUE_TRANSFER_BIT, 1, 0, {}},
                          {VK_QUEUE_COMPUTE_BIT, 2, 36, {}}};
  VkPhysicalDeviceLimits &limits = device.limits;
  std::fill_n(limits.maxComputeWorkGroupSize, 3, 128);
  std::fill_n(limits.maxComputeWorkGroupCount, 3, 65535);
  limits.maxComputeWorkGroupInvocations = 128;
  limits.maxComputeSharedMemorySize = 16384;
  limits.maxPushConstantsSize = 128;
  limits.maxPerStageDescriptorStorageBuffers = 4;
  limits.maxDescriptorSetStorageBuffers = 24;
  device.subgroupSize = device.minSubgroupSize = device.maxSubgroupSize = 4;
  device.subgroupOperations = VK_SUBGROUP_FEATURE_BASIC_BIT;
  return device;
}

KernelNeeds plainKernel() {
  KernelNeeds kernel;
  kernel.name = "k";
  kernel.capabilities = {1}; // Shader
  kernel.workgroupSize = {64, 1, 1};
  kernel.bindings = 2;
  return kernel;
}

std::string errorOf(const DeviceSnapshot &device, const KernelNeeds &kernel) {
  return planDevice(device, {kernel}).status().message();
}
} // namespace

TEST(DevicePlanTest, TakesTheComputeQueueAndNothingElse) {
  Expected<DevicePlan> plan = planDevice(minimalDevice(), {plainKernel()});
  ASSERT_TRUE(plan.ok()) << plan.status().message();
  EXPECT_EQ(plan->queueFamily, 1u);
  EXPECT_EQ(plan->timestampBits, 36u);
  EXPECT_THAT(plan->extensions, IsEmpty());
  EXPECT_THAT(plan->features, IsEmpty());
  EXPECT_THAT(plan->requiredSubgroupSizes, ElementsAre(0));
}

TEST(DevicePlanTest, NamesTheMissingFeatureAndItsKernel) {
  KernelNeeds kernel = plainKernel();
  kernel.capabilities.push_back(11); // Int64
  EXPECT_EQ(errorOf(minimalDevice(), kernel),
            "device lacks shaderInt64, required by kernel 'k'");
  kernel.capabilities.back() = 6022; // CooperativeMatrixKHR
  EXPECT_EQ(errorOf(minimalDevice(), kernel),
            "device lacks VK_KHR_cooperative_matrix, required by kernel 'k'");
  kernel.capabilities.back() = 64; // GroupNonUniformBallot
  EXPECT_EQ(errorOf(minimalDevice(), kernel),
            "device lacks subgroup operation 'ballot' in compute, required by "
            "kernel 'k'");
  kernel.capabilities.back() = 4095;
  EXPECT_EQ(errorOf(minimalDevice(), kernel),
            "expected kernel 'k' to use SPIR-V capabilities that the runtime "
            "knows, but got capability 4095");
}

TEST(DevicePlanTest, AsksForFeaturesOnlyWhenNeeded) {
  DeviceSnapshot device = minimalDevice();
  device.features = {Feature::ShaderInt64, Feature::ShaderFloat16};
  device.extensions = {"VK_KHR_shader_float16_int8"};
  KernelNeeds kernel = plainKernel();
  kernel.capabilities.push_back(9); // Float16
  Expected<DevicePlan> plan = planDevice(device, {kernel});
  ASSERT_TRUE(plan.ok());
  EXPECT_THAT(plan->features, ElementsAre(Feature::ShaderFloat16));
  // Below Vulkan 1.2 it is an extension.
  EXPECT_THAT(plan->extensions, ElementsAre("VK_KHR_shader_float16_int8"));
  device.apiVersion = VK_API_VERSION_1_2;
  EXPECT_THAT(planDevice(device, {kernel})->extensions, IsEmpty());
}

TEST(DevicePlanTest, NamesTheLimitThatAKernelExceeds) {
  KernelNeeds kernel = plainKernel();
  kernel.bindings = 5;
  EXPECT_EQ(errorOf(minimalDevice(), kernel),
            "expected kernel 'k' to need at most 4 storage buffers (the limit "
            "of the device), but got 5");
  kernel = plainKernel();
  kernel.workgroupSize = {64, 4, 1};
  EXPECT_EQ(errorOf(minimalDevice(), kernel),
            "expected kernel 'k' to need at most 128 invocations in a "
            "workgroup (the limit of the device), but got 256");
  kernel = plainKernel();
  kernel.pushConstants = 33;
  EXPECT_EQ(errorOf(minimalDevice(), kernel),
            "expected kernel 'k' to need at most 128 bytes of push constants "
            "(the limit of the device), but got 132");
  kernel = plainKernel();
  kernel.sharedMemory = 20000;
  EXPECT_EQ(errorOf(minimalDevice(), kernel),
            "expected kernel 'k' to need at most 16384 bytes of shared memory "
            "(the limit of the device), but got 20000");
}

TEST(DevicePlanTest, ADeviceThatLeavesLoopsTakesNoLongerOnes) {
  KernelNeeds kernel = plainKernel();
  kernel.loopIterations = 65536;
  EXPECT_EQ(errorOf(minimalDevice(), kernel), "");
  DeviceSnapshot device = minimalDevice();
  device.maxLoopIterations = 65535;
  EXPECT_EQ(errorOf(device, kernel),
            "expected kernel 'k' to need at most 65535 iterations of the loops "
            "of an invocation (the limit of the device), but got 65536");
  kernel.loopIterations = 0;
  EXPECT_EQ(errorOf(device, kernel), "");
}

TEST(DevicePlanTest, SubgroupsHaveAtLeastTheLanesOfTheKernel) {
  KernelNeeds kernel = plainKernel();
  kernel.subgroupLanes = 8;
  EXPECT_EQ(errorOf(minimalDevice(), kernel),
            "expected a device with subgroups of 8 lanes, required by kernel "
            "'k', but got 4");
  DeviceSnapshot device = minimalDevice();
  device.subgroupSize = device.minSubgroupSize = device.maxSubgroupSize = 64;
  EXPECT_THAT(planDevice(device, {kernel})->requiredSubgroupSizes,
              ElementsAre(0));
}

TEST(DevicePlanTest, AsksForASubgroupSizeWhereTheDriverMightChooseASmallerOne) {
  DeviceSnapshot device = minimalDevice();
  device.minSubgroupSize = 8;
  device.subgroupSize = device.maxSubgroupSize = 32;
  device.canRequireSubgroupSize = true;
  device.features = {Feature::SubgroupSizeControl};
  device.extensions = {"VK_EXT_subgroup_size_control"};
  KernelNeeds kernel = plainKernel();
  kernel.subgroupLanes = 16;
  Expected<DevicePlan> plan = planDevice(device, {kernel});
  ASSERT_TRUE(plan.ok()) << plan.status().message();
  EXPECT_THAT(plan->requiredSubgroupSizes, ElementsAre(16));
  EXPECT_THAT(plan->features, ElementsAre(Feature::SubgroupSizeControl));
  EXPECT_THAT(plan->extensions, ElementsAre("VK_EXT_subgroup_size_control"));
}

TEST(DevicePlanTest, VersionsAreChecked) {
  KernelNeeds kernel = plainKernel();
  kernel.spirvMinor = 5;
  EXPECT_EQ(errorOf(minimalDevice(), kernel),
            "expected kernel 'k' to be SPIR-V 1.3 or older on this device, but "
            "got 1.5");
  DeviceSnapshot old = minimalDevice();
  old.apiVersion = VK_API_VERSION_1_0;
  EXPECT_EQ(errorOf(old, plainKernel()),
            "expected a device of Vulkan 1.1 or newer, but 'minimal' has 1.0");
}

TEST(DevicePlanTest, TheBestDeviceIsDiscrete) {
  std::vector<DeviceSnapshot> devices(4);
  devices[0].type = VK_PHYSICAL_DEVICE_TYPE_CPU;
  devices[1].type = VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU;
  devices[2].type = VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU;
  devices[3].type = VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU;
  EXPECT_EQ(bestDevice(devices), 2u);
}

TEST(MemoryTest, IntegratedDevicesNeedNoStaging) {
  DeviceSnapshot device = minimalDevice();
  constexpr VkMemoryPropertyFlags local = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT,
                                  host = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
                                         VK_MEMORY_PROPERTY_HOST_COHERENT_BIT,
                                  cached = VK_MEMORY_PROPERTY_HOST_CACHED_BIT;
  device.memory.memoryTypeCount = 4;
  device.memory.memoryTypes[0] = {local, 0};
  device.memory.memoryTypes[1] = {host, 1};
  device.memory.memoryTypes[2] = {host | cached, 1};
  device.memory.memoryTypes[3] = {local | host | cached, 0};
  device.type = VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU;
  EXPECT_TRUE(chooseMemoryTypes(device, 15)->unified);
  EXPECT_EQ(chooseMemoryTypes(device, 15)->device, 3u);
  device.type = VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU;
  Expected<MemoryTypes> types = chooseMemoryTypes(device, 15);
  EXPECT_FALSE(types->unified);
  EXPECT_EQ(types->device, 0u);
  EXPECT_EQ(types->upload, 1u);
  EXPECT_EQ(types->download, 2u);
  EXPECT_FALSE(chooseMemoryTypes(device, 1).ok());
}

TEST(MemoryTest, LayoutAlignsAndSplits) {
  Layout layout = layOut({{100, 64}, {10, 64}, {200, 64}, {500, 64}}, 256);
  ASSERT_EQ(layout.placements.size(), 4u);
  EXPECT_EQ(layout.placements[1].slab, 0u);
  EXPECT_EQ(layout.placements[1].offset, 128u);
  EXPECT_EQ(layout.placements[2].slab, 1u); // 192 + 200 is beyond 256
  EXPECT_EQ(layout.placements[3].slab, 2u); // larger than any slab
  EXPECT_THAT(layout.slabs, ElementsAre(138, 200, 500));
}

TEST(PipelineCacheTest, OnlyTheHeaderOfTheDeviceIsTrusted) {
  DeviceSnapshot device = minimalDevice();
  device.vendor = 7;
  device.device = 9;
  VkPipelineCacheHeaderVersionOne header = {
      sizeof(header), VK_PIPELINE_CACHE_HEADER_VERSION_ONE, 7, 9, {}};
  std::vector<char> data(sizeof(header) + 8);
  std::memcpy(data.data(), &header, sizeof(header));
  EXPECT_TRUE(isCacheOf(device, data));
  device.device = 10;
  EXPECT_FALSE(isCacheOf(device, data));
  device.device = 9;
  device.pipelineCacheUUID[3] = 1;
  EXPECT_FALSE(isCacheOf(device, data));
  data.resize(10);
  EXPECT_FALSE(isCacheOf(device, data));
}
