//===- Buffers.cpp - The buffers of a program -----------------------------===//
//
// Part of moe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Session/Buffers.h"
#include "Support/Expr.h"
#include "Vulkan/Result.h"

#include <algorithm>
#include <cstring>

using namespace moe::runtime;
using moe::bundle::BufferKind;

/// Slabs are split beyond this size, so that no single allocation is asked for
/// more than it must hold.
static constexpr uint64_t kMaxSlabBytes = 512u << 20;

Pools::Pools(Device &device, const MemoryTypes &types)
    : arena(device, "transient buffers", types.device, false),
      io(device, "inputs and outputs", types.device, types.unified),
      upload(device, "staged inputs", types.upload, true),
      download(device, "staged outputs", types.download, true),
      unified(types.unified) {}

//===----------------------------------------------------------------------===//
// PersistentBuffers
//===----------------------------------------------------------------------===//

Expected<std::unique_ptr<PersistentBuffers>>
PersistentBuffers::create(Device &device, const MemoryTypes &types,
                          const bundle::Program &program, uint64_t guard) {
  std::unique_ptr<PersistentBuffers> result(
      new PersistentBuffers(device, types));
  std::vector<MemoryRequest> requests;
  for (uint32_t i = 0; i < program.buffers()->size(); ++i) {
    const bundle::Buffer &buffer = *program.buffers()->Get(i);
    bool persists =
        buffer.kind() == BufferKind::Constant ||
        (buffer.kind() == BufferKind::Input && isConstant(*buffer.bytes()));
    if (!persists)
      continue;
    MOE_ASSIGN_OR_RETURN(int64_t bytes, evaluate(*buffer.bytes(), {}));
    if (bytes < 0)
      return makeError(Code::InvalidArgument, "expected bytes of buffer '",
                       buffer.name()->str(), "' to be 0 or more, but got ",
                       bytes);
    VkMemoryRequirements requirements;
    MOE_ASSIGN_OR_RETURN(PlacedBuffer placed,
                         createBuffer(device, uint64_t(bytes),
                                      buffer.name()->str(), requirements,
                                      guard));
    requests.push_back({requirements.size, requirements.alignment});
    result->buffers.emplace(i, std::move(placed));
  }
  Layout layout = layOut(requests, kMaxSlabBytes);
  MOE_RETURN_IF_ERROR(result->pool.grow(layout.slabs));
  size_t next = 0;
  for (auto &[index, buffer] : result->buffers)
    MOE_RETURN_IF_ERROR(result->pool.bind(buffer, layout.placements[next++]));
  MOE_RETURN_IF_ERROR(result->writeConstants(device, types, program));
  return result;
}

const PlacedBuffer *PersistentBuffers::find(uint32_t index) const {
  auto it = buffers.find(index);
  return it == buffers.end() ? nullptr : &it->second;
}

/// Copies `data` into a buffer through a staging buffer of its own.
static Status stage(Device &device, const MemoryTypes &types,
                    const PlacedBuffer &buffer,
                    const flatbuffers::Vector<uint8_t> &data) {
  VkMemoryRequirements requirements;
  MOE_ASSIGN_OR_RETURN(
      PlacedBuffer staging,
      createBuffer(device, data.size(), "staged constant", requirements));
  Pool pool(device, "staged constants", types.upload, true);
  MOE_RETURN_IF_ERROR(pool.grow({requirements.size}));
  MOE_RETURN_IF_ERROR(pool.bind(staging, {0, 0}));
  std::memcpy(staging.mapped, data.data(), data.size());

  MOE_ASSIGN_OR_RETURN(VkCommandBuffer commands, device.allocateCommands());
  VkCommandBufferBeginInfo begin = {
      VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
  VkBufferCopy region = {0, buffer.base, data.size()};
  device.call().vkBeginCommandBuffer(commands, &begin);
  device.call().vkCmdCopyBuffer(commands, staging.buffer.get(),
                                buffer.buffer.get(), 1, &region);
  Status status =
      check(device.call().vkEndCommandBuffer(commands), "vkEndCommandBuffer");
  if (status.ok())
    status = device.submitAndWait(commands);
  if (!device.isLost())
    device.freeCommands(commands);
  return status;
}

Status PersistentBuffers::writeConstants(Device &device,
                                         const MemoryTypes &types,
                                         const bundle::Program &program) {
  for (auto &[index, buffer] : buffers) {
    const auto *data = program.buffers()->Get(index)->data();
    if (program.buffers()->Get(index)->kind() != BufferKind::Constant ||
        !data || data->size() == 0)
      continue;
    if (buffer.mapped)
      std::memcpy(buffer.mapped, data->data(), data->size());
    else
      MOE_RETURN_IF_ERROR(stage(device, types, buffer, *data));
  }
  return Status();
}

//===----------------------------------------------------------------------===//
// RecordingBuffers
//===----------------------------------------------------------------------===//

Status RecordingBuffers::Group::add(Device &device, uint32_t index,
                                    uint64_t bytes, const std::string &name,
                                    uint64_t guard) {
  VkMemoryRequirements requirements;
  MOE_ASSIGN_OR_RETURN(PlacedBuffer buffer,
                       createBuffer(device, bytes, name, requirements, guard));
  requests.push_back({requirements.size, requirements.alignment});
  buffers.emplace(index, std::move(buffer));
  return Status();
}

void RecordingBuffers::Group::layOut() {
  layout = moe::runtime::layOut(requests, kMaxSlabBytes);
}

Status RecordingBuffers::Group::bind(Pool &pool) {
  MOE_RETURN_IF_ERROR(pool.grow(layout.slabs));
  size_t next = 0;
  for (auto &[index, buffer] : buffers)
    MOE_RETURN_IF_ERROR(pool.bind(buffer, layout.placements[next++]));
  return Status();
}

/// A transient lies where the compiler has put it.
Status RecordingBuffers::addTransient(Device &device, uint32_t index,
                                      const ResolvedBuffer &buffer) {
  MOE_RETURN_IF_ERROR(arena.add(device, index, buffer.bytes, buffer.name));
  const MemoryRequest &request = arena.requests.back();
  if (buffer.arenaOffset % request.alignment)
    return makeError(Code::Device, "expected buffer '", buffer.name,
                     "' to lie in the arena at a multiple of ",
                     request.alignment,
                     " bytes (the alignment of the device)"
                     ", but got ",
                     buffer.arenaOffset);
  arena.layout.placements.push_back({0, buffer.arenaOffset});
  if (arena.layout.slabs.empty())
    arena.layout.slabs.push_back(0);
  arena.layout.slabs[0] =
      std::max(arena.layout.slabs[0], buffer.arenaOffset + request.bytes);
  return Status();
}

Expected<RecordingBuffers>
RecordingBuffers::create(Device &device, const ResolvedProgram &program,
                         const PersistentBuffers &persistent,
                         const BufferOptions &options,
                         const std::vector<uint32_t> &uploads,
                         const std::vector<uint32_t> &downloads) {
  RecordingBuffers result;
  result.persistent = &persistent;
  for (uint32_t i = 0; i < program.buffers.size(); ++i) {
    const ResolvedBuffer &buffer = program.buffers[i];
    if (persistent.find(i))
      continue;
    bool transient = buffer.kind == BufferKind::Transient;
    if (transient && !options.guard) {
      MOE_RETURN_IF_ERROR(result.addTransient(device, i, buffer));
      continue;
    }
    Group &group = transient ? result.arena : result.io;
    MOE_RETURN_IF_ERROR(
        group.add(device, i, buffer.bytes, buffer.name, options.guard));
  }
  if (!options.unified) {
    for (uint32_t i : uploads)
      MOE_RETURN_IF_ERROR(result.upload.add(device, i, program.buffers[i].bytes,
                                            program.buffers[i].name));
    for (uint32_t i : downloads)
      MOE_RETURN_IF_ERROR(result.download.add(
          device, i, program.buffers[i].bytes, program.buffers[i].name));
  }
  if (options.guard)
    result.arena.layOut();
  result.io.layOut();
  result.upload.layOut();
  result.download.layOut();
  return result;
}

bool RecordingBuffers::fit(const Pools &pools) const {
  return pools.arena.fits(arena.layout.slabs) &&
         pools.io.fits(io.layout.slabs) &&
         pools.upload.fits(upload.layout.slabs) &&
         pools.download.fits(download.layout.slabs);
}

Status RecordingBuffers::bind(Pools &pools) {
  MOE_RETURN_IF_ERROR(arena.bind(pools.arena));
  MOE_RETURN_IF_ERROR(io.bind(pools.io));
  MOE_RETURN_IF_ERROR(upload.bind(pools.upload));
  return download.bind(pools.download);
}

const PlacedBuffer &RecordingBuffers::find(uint32_t index) const {
  if (const PlacedBuffer *buffer = persistent->find(index))
    return *buffer;
  auto it = arena.buffers.find(index);
  return it != arena.buffers.end() ? it->second
                                   : io.buffers.find(index)->second;
}

VkBuffer RecordingBuffers::get(uint32_t index) const {
  return find(index).buffer.get();
}

uint64_t RecordingBuffers::base(uint32_t index) const {
  return find(index).base;
}

uint64_t RecordingBuffers::size(uint32_t index) const {
  return find(index).size;
}

VkBuffer RecordingBuffers::staging(uint32_t index, Direction direction) const {
  const Group &group = direction == Direction::Up ? upload : download;
  auto it = group.buffers.find(index);
  return it == group.buffers.end() ? VK_NULL_HANDLE : it->second.buffer.get();
}

uint8_t *RecordingBuffers::host(uint32_t index, Direction direction) const {
  const Group &group = direction == Direction::Up ? upload : download;
  auto it = group.buffers.find(index);
  return it == group.buffers.end() ? find(index).mapped : it->second.mapped;
}
