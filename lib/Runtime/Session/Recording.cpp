//===- Recording.cpp - A program recorded for one tuple of dims -----------===//
//
// Part of moe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Session/Recording.h"
#include "Vulkan/Result.h"

#include <algorithm>

using namespace moe::runtime;

namespace {
constexpr VkPipelineStageFlags kDeviceStages =
    VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT |
    VK_PIPELINE_STAGE_DRAW_INDIRECT_BIT;
constexpr VkAccessFlags kDeviceAccesses =
    VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT |
    VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT |
    VK_ACCESS_INDIRECT_COMMAND_READ_BIT;
} // namespace

Expected<std::unique_ptr<Recording>>
Recording::create(Device &device, ResolvedProgram program,
                  RecordingBuffers buffers, std::unique_ptr<Guards> guards,
                  const Transfers &transfers,
                  const std::vector<Pipeline> &pipelines, bool timeDispatches) {
  std::unique_ptr<Recording> result(new Recording(
      device, std::move(program), std::move(buffers), std::move(guards)));
  MOE_RETURN_IF_ERROR(result->createDescriptorPool(pipelines));
  MOE_RETURN_IF_ERROR(result->createQueries(timeDispatches));
  MOE_ASSIGN_OR_RETURN(result->commands, device.allocateCommands());
  MOE_RETURN_IF_ERROR(result->record(transfers, pipelines));
  return result;
}

Recording::~Recording() {
  if (commands)
    device.freeCommands(commands);
}

Status Recording::createDescriptorPool(const std::vector<Pipeline> &pipelines) {
  uint32_t sets = 0, descriptors = 0;
  for (const ResolvedCommand &command : program.commands) {
    if (const auto *dispatch = std::get_if<ResolvedDispatch>(&command)) {
      ++sets;
      descriptors += uint32_t(dispatch->bindings.size());
    }
  }
  if (sets == 0)
    return Status();
  VkDescriptorPoolSize size = {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                               std::max(descriptors, 1u)};
  VkDescriptorPoolCreateInfo info = {
      VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO};
  info.maxSets = sets;
  info.poolSizeCount = 1;
  info.pPoolSizes = &size;
  VkDescriptorPool pool = VK_NULL_HANDLE;
  MOE_RETURN_IF_ERROR(check(
      device.call().vkCreateDescriptorPool(device.get(), &info, nullptr, &pool),
      "vkCreateDescriptorPool"));
  descriptorPool = device.own(pool, device.call().vkDestroyDescriptorPool);
  return Status();
}

/// Two timestamps around the whole program, and two around each dispatch.
Status Recording::createQueries(bool timed) {
  if (device.plan().timestampBits == 0)
    return Status();
  timeDispatches = timed;
  numQueries = 2;
  if (timed)
    for (const ResolvedCommand &command : program.commands)
      numQueries += std::holds_alternative<ResolvedDispatch>(command) ? 2 : 0;
  VkQueryPoolCreateInfo info = {VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO};
  info.queryType = VK_QUERY_TYPE_TIMESTAMP;
  info.queryCount = numQueries;
  VkQueryPool pool = VK_NULL_HANDLE;
  MOE_RETURN_IF_ERROR(check(
      device.call().vkCreateQueryPool(device.get(), &info, nullptr, &pool),
      "vkCreateQueryPool"));
  queryPool = device.own(pool, device.call().vkDestroyQueryPool);
  return Status();
}

void Recording::recordTimestamp() {
  if (queryPool)
    device.call().vkCmdWriteTimestamp(commands,
                                      VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT,
                                      queryPool.get(), nextQuery++);
}

/// Orders everything before it and what follows in `stages`.
void Recording::recordBarrier(VkPipelineStageFlags stages,
                              VkAccessFlags accesses) {
  VkMemoryBarrier barrier = {VK_STRUCTURE_TYPE_MEMORY_BARRIER};
  barrier.srcAccessMask =
      VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT |
      VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_TRANSFER_READ_BIT;
  barrier.dstAccessMask = accesses;
  device.call().vkCmdPipelineBarrier(commands, kDeviceStages, stages, 0, 1,
                                     &barrier, 0, nullptr, 0, nullptr);
}

void Recording::recordTransfers(const std::vector<uint32_t> &list,
                                Direction direction) {
  for (uint32_t index : list) {
    VkBuffer staging = buffers.staging(index, direction);
    bool up = direction == Direction::Up;
    uint64_t base = buffers.base(index);
    VkBufferCopy region = {up ? 0 : base, up ? base : 0,
                           program.buffers[index].bytes};
    if (!staging || region.size == 0)
      continue;
    VkBuffer local = buffers.get(index);
    device.call().vkCmdCopyBuffer(commands, up ? staging : local,
                                  up ? local : staging, 1, &region);
  }
}

/// Each dispatch is then alone between two barriers.
void Recording::recordGuards(size_t index) {
  if (!guards)
    return;
  recordBarrier(kDeviceStages, kDeviceAccesses);
  guards->recordCopies(commands, index);
  recordBarrier(kDeviceStages, kDeviceAccesses);
}

VkDescriptorBufferInfo Recording::describe(const ResolvedRange &range) const {
  VkDescriptorBufferInfo info = {buffers.get(range.buffer), beginOf(range),
                                 range.bytes};
  // Vulkan has no empty range; a kernel does not touch one.
  if (range.bytes == 0) {
    info.offset = buffers.base(range.buffer);
    info.range = kMinBufferBytes;
  }
  // Devices that check ranges let a kernel reach the guard behind its data.
  uint64_t limit = device.snapshot().limits.maxStorageBufferRange;
  uint64_t rest = buffers.size(range.buffer) - info.offset;
  if (guards && rest <= limit &&
      range.offset + range.bytes == program.buffers[range.buffer].bytes)
    info.range = rest;
  return info;
}

Expected<VkDescriptorSet> Recording::writeSet(const ResolvedDispatch &dispatch,
                                              VkDescriptorSetLayout layout) {
  VkDescriptorSetAllocateInfo info = {
      VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO};
  info.descriptorPool = descriptorPool.get();
  info.descriptorSetCount = 1;
  info.pSetLayouts = &layout;
  VkDescriptorSet set = VK_NULL_HANDLE;
  MOE_RETURN_IF_ERROR(
      check(device.call().vkAllocateDescriptorSets(device.get(), &info, &set),
            "vkAllocateDescriptorSets", dispatch.label));
  size_t count = dispatch.bindings.size();
  std::vector<VkDescriptorBufferInfo> ranges(count);
  std::vector<VkWriteDescriptorSet> writes(
      count, {VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET});
  for (size_t i = 0; i < count; ++i) {
    ranges[i] = describe(dispatch.bindings[i]);
    writes[i].dstSet = set;
    writes[i].dstBinding = uint32_t(i);
    writes[i].descriptorCount = 1;
    writes[i].descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
    writes[i].pBufferInfo = &ranges[i];
  }
  device.call().vkUpdateDescriptorSets(device.get(), uint32_t(count),
                                       writes.data(), 0, nullptr);
  return set;
}

Status Recording::recordCommand(const ResolvedDispatch &dispatch,
                                const std::vector<Pipeline> &pipelines) {
  const VolkDeviceTable &call = device.call();
  const Pipeline &pipeline = pipelines[dispatch.kernel];
  MOE_ASSIGN_OR_RETURN(VkDescriptorSet set,
                       writeSet(dispatch, pipeline.setLayout()));
  device.setName(VK_OBJECT_TYPE_DESCRIPTOR_SET, reinterpret_cast<uint64_t>(set),
                 dispatch.label);
  call.vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE,
                         pipeline.get());
  call.vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE,
                               pipeline.layout(), 0, 1, &set, 0, nullptr);
  if (!dispatch.pushConstants.empty())
    call.vkCmdPushConstants(commands, pipeline.layout(),
                            VK_SHADER_STAGE_COMPUTE_BIT, 0,
                            uint32_t(dispatch.pushConstants.size() * 4),
                            dispatch.pushConstants.data());
  if (timeDispatches)
    recordTimestamp();
  if (dispatch.indirect)
    call.vkCmdDispatchIndirect(commands, buffers.get(dispatch.gridRange.buffer),
                               beginOf(dispatch.gridRange));
  else
    call.vkCmdDispatch(commands, dispatch.grid[0], dispatch.grid[1],
                       dispatch.grid[2]);
  if (timeDispatches)
    recordTimestamp();
  return Status();
}

Status Recording::record(const Transfers &transfers,
                         const std::vector<Pipeline> &pipelines) {
  const VolkDeviceTable &call = device.call();
  VkCommandBufferBeginInfo begin = {
      VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
  MOE_RETURN_IF_ERROR(check(call.vkBeginCommandBuffer(commands, &begin),
                            "vkBeginCommandBuffer"));
  if (queryPool)
    call.vkCmdResetQueryPool(commands, queryPool.get(), 0, numQueries);
  if (guards)
    guards->recordFills(commands);
  recordTransfers(transfers.uploads, Direction::Up);
  recordBarrier(kDeviceStages, kDeviceAccesses);
  recordTimestamp();
  size_t dispatches = 0;
  for (const ResolvedCommand &command : program.commands) {
    if (const auto *dispatch = std::get_if<ResolvedDispatch>(&command)) {
      MOE_RETURN_IF_ERROR(recordCommand(*dispatch, pipelines));
      recordGuards(dispatches++);
    } else if (const auto *fill = std::get_if<ResolvedFill>(&command)) {
      call.vkCmdFillBuffer(commands, buffers.get(fill->range.buffer),
                           beginOf(fill->range), fill->range.bytes,
                           fill->value);
    } else if (const auto *copy = std::get_if<ResolvedCopy>(&command)) {
      VkBufferCopy region = {beginOf(copy->source), beginOf(copy->destination),
                             copy->source.bytes};
      call.vkCmdCopyBuffer(commands, buffers.get(copy->source.buffer),
                           buffers.get(copy->destination.buffer), 1, &region);
    } else {
      recordBarrier(kDeviceStages, kDeviceAccesses);
    }
  }
  recordTimestamp();
  recordBarrier(kDeviceStages | VK_PIPELINE_STAGE_HOST_BIT,
                kDeviceAccesses | VK_ACCESS_HOST_READ_BIT);
  recordTransfers(transfers.downloads, Direction::Down);
  recordGuards(dispatches);
  recordBarrier(VK_PIPELINE_STAGE_HOST_BIT, VK_ACCESS_HOST_READ_BIT);
  return check(call.vkEndCommandBuffer(commands), "vkEndCommandBuffer");
}

Status Recording::run() {
  MOE_RETURN_IF_ERROR(device.submitAndWait(commands));
  readTimestamps();
  return guards ? guards->check() : Status();
}

void Recording::readTimestamps() {
  timestamps.clear();
  if (!queryPool)
    return;
  std::vector<uint64_t> ticks(numQueries);
  VkResult result = device.call().vkGetQueryPoolResults(
      device.get(), queryPool.get(), 0, numQueries,
      ticks.size() * sizeof(uint64_t), ticks.data(), sizeof(uint64_t),
      VK_QUERY_RESULT_64_BIT);
  // Times are a help: a run is good without them.
  if (result != VK_SUCCESS)
    return;
  uint32_t bits = device.plan().timestampBits;
  uint64_t mask = bits >= 64 ? ~0ull : (1ull << bits) - 1;
  double period = device.snapshot().limits.timestampPeriod;
  for (uint64_t tick : ticks)
    timestamps.push_back(double((tick - ticks[0]) & mask) * period * 1e-6);
}

double Recording::deviceMilliseconds() const {
  return timestamps.empty() ? 0 : timestamps.back();
}

std::vector<Timing> Recording::timings() const {
  std::vector<Timing> result;
  if (!timeDispatches || timestamps.empty())
    return result;
  size_t next = 1;
  for (const ResolvedCommand &command : program.commands) {
    const auto *dispatch = std::get_if<ResolvedDispatch>(&command);
    if (!dispatch)
      continue;
    Timing timing;
    timing.kernel = dispatch->kernel;
    timing.label = dispatch->label;
    timing.startMilliseconds = timestamps[next];
    timing.milliseconds =
        std::max(0.0, timestamps[next + 1] - timestamps[next]);
    timing.flops = dispatch->flops;
    timing.bytes = dispatch->bytes;
    result.push_back(std::move(timing));
    next += 2;
  }
  return result;
}
