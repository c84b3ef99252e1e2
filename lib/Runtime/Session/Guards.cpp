//===- Guards.cpp - Bytes that no kernel may write ------------------------===//
//
// Part of moe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Session/Guards.h"

#include <algorithm>
#include <cstring>
#include <set>

using namespace moe::runtime;

Expected<std::unique_ptr<Guards>>
Guards::create(Device &device, uint32_t memoryType, const Bundle &bundle,
               const bundle::Program &program, const ResolvedProgram &resolved,
               const RecordingBuffers &buffers) {
  std::unique_ptr<Guards> result(new Guards(device, memoryType));
  result->addRegions(resolved, buffers);
  // A region may begin within a word.
  for (const Region &region : result->regions)
    result->patternBytes =
        std::max(result->patternBytes, region.bytes + sizeof(kPattern));
  result->patternBytes = (result->patternBytes + 3) / 4 * 4;
  result->addSnapshots(bundle, program.name()->str(), resolved);

  const Snapshot &last = result->snapshots.back();
  uint64_t total = last.offset;
  for (size_t region : last.regions)
    total += result->regions[region].bytes;
  VkMemoryRequirements requirements;
  MOE_ASSIGN_OR_RETURN(
      result->host,
      createBuffer(device, total, "copies of guards", requirements));
  MOE_RETURN_IF_ERROR(result->pool.grow({requirements.size}));
  MOE_RETURN_IF_ERROR(result->pool.bind(result->host, {0, 0}));
  for (uint64_t at = 0; at < result->patternBytes; at += sizeof(kPattern))
    std::memcpy(result->host.mapped + at, &kPattern, sizeof(kPattern));
  return result;
}

void Guards::addRegions(const ResolvedProgram &resolved,
                        const RecordingBuffers &buffers) {
  for (uint32_t i = 0; i < resolved.buffers.size(); ++i) {
    const ResolvedBuffer &buffer = resolved.buffers[i];
    names.push_back(buffer.name);
    sizes.push_back(buffer.bytes);
    uint64_t base = buffers.base(i), end = base + buffer.bytes;
    regions.push_back({i, /*before=*/true, buffers.get(i), 0, base});
    regions.push_back(
        {i, /*before=*/false, buffers.get(i), end, buffers.size(i) - end});
  }
}

void Guards::addSnapshots(const Bundle &bundle, const std::string &program,
                          const ResolvedProgram &resolved) {
  uint64_t offset = patternBytes;
  auto add = [&](std::string writer, const std::set<uint32_t> &buffers) {
    Snapshot snapshot = {std::move(writer), {}, offset};
    for (uint32_t buffer : buffers) {
      for (size_t region : {2 * size_t(buffer), 2 * size_t(buffer) + 1}) {
        snapshot.regions.push_back(region);
        offset += regions[region].bytes;
      }
    }
    snapshots.push_back(std::move(snapshot));
  };
  for (const ResolvedCommand &command : resolved.commands) {
    const auto *dispatch = std::get_if<ResolvedDispatch>(&command);
    if (!dispatch)
      continue;
    std::set<uint32_t> buffers;
    for (const ResolvedRange &range : dispatch->bindings)
      buffers.insert(range.buffer);
    std::string kernel = bundle.kernel(dispatch->kernel).name()->str();
    std::string label =
        dispatch->label == kernel ? "" : join(" (", dispatch->label, ")");
    add(join("kernel '", kernel, "'", label, " of program '", program, "'"),
        buffers);
  }
  std::set<uint32_t> all;
  for (uint32_t i = 0; i < resolved.buffers.size(); ++i)
    all.insert(i);
  add(join("program '", program, "'"), all);
}

void Guards::recordFills(VkCommandBuffer commands) const {
  for (const Region &region : regions) {
    VkBufferCopy copy = {patternOffset(region), region.offset, region.bytes};
    device.call().vkCmdCopyBuffer(commands, host.buffer.get(), region.handle, 1,
                                  &copy);
  }
}

void Guards::recordCopies(VkCommandBuffer commands, size_t index) const {
  uint64_t offset = snapshots[index].offset;
  for (size_t i : snapshots[index].regions) {
    const Region &region = regions[i];
    VkBufferCopy copy = {region.offset, offset, region.bytes};
    device.call().vkCmdCopyBuffer(commands, region.handle, host.buffer.get(), 1,
                                  &copy);
    offset += region.bytes;
  }
}

Status Guards::check() const {
  for (const Snapshot &snapshot : snapshots) {
    const uint8_t *got = host.mapped + snapshot.offset;
    for (size_t i : snapshot.regions) {
      const Region &region = regions[i];
      if (std::memcmp(got, host.mapped + patternOffset(region), region.bytes))
        return describe(snapshot, region, got);
      got += region.bytes;
    }
  }
  return Status();
}

Status Guards::describe(const Snapshot &snapshot, const Region &region,
                        const uint8_t *got) const {
  // The byte next to the buffer.
  const uint8_t *want = host.mapped + patternOffset(region);
  int64_t at = region.before ? int64_t(region.bytes) - 1 : 0;
  while (got[at] == want[at])
    at += region.before ? -1 : 1;
  at += region.before ? -int64_t(region.bytes) : int64_t(sizes[region.buffer]);
  return makeError(Code::Validation, snapshot.writer,
                   ": expected to write inside of buffer '",
                   names[region.buffer], "' of ", sizes[region.buffer],
                   " bytes, but got a write to byte ", at);
}
