//===- Resolve.cpp - A program for one tuple of dims ----------------------===//
//
// Part of moe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Session/Resolve.h"
#include "Support/Expr.h"

#include <limits>

using namespace moe::runtime;
using moe::bundle::Command;

namespace {
class Resolver {
public:
  Resolver(const Bundle &bundle, const moe::bundle::Program &program,
           const std::vector<int64_t> &symbols, const DeviceLimits &limits)
      : bundle(bundle), program(program), symbols(symbols), limits(limits) {}

  Expected<ResolvedProgram> run();

private:
  Expected<uint64_t> size(const moe::bundle::Expr &expr,
                          const std::string &what) const;
  Status buffers();
  Expected<ResolvedRange> range(uint32_t buffer,
                                const moe::bundle::Expr &offset, uint64_t bytes,
                                const std::string &what) const;
  Expected<ResolvedRange> binding(const moe::bundle::Binding &binding,
                                  const std::string &what) const;
  template <typename DispatchTable>
  Expected<ResolvedDispatch> common(const DispatchTable &dispatch) const;
  Status grid(const moe::bundle::Dispatch &dispatch,
              ResolvedDispatch &result) const;
  Status direct(const moe::bundle::Dispatch &dispatch);
  Status indirect(const moe::bundle::DispatchIndirect &dispatch);
  Status fill(const moe::bundle::Fill &fill);
  Status copy(const moe::bundle::Copy &copy);

  const Bundle &bundle;
  const moe::bundle::Program &program;
  const std::vector<int64_t> &symbols;
  const DeviceLimits &limits;
  ResolvedProgram result;
};
} // namespace

Expected<uint64_t> Resolver::size(const moe::bundle::Expr &expr,
                                  const std::string &what) const {
  Expected<int64_t> value = evaluate(expr, symbols);
  if (!value.ok())
    return makeError(value.status().code(), what, ": ",
                     value.status().message());
  if (*value < 0)
    return makeError(Code::InvalidArgument, "expected ", what,
                     " to be 0 or more, but got ", *value);
  return uint64_t(*value);
}

Status Resolver::buffers() {
  // Vulkan binds no empty range, so an empty transient gets a place of its own
  // past the arena, where it does not seem to overlap one that is in use.
  constexpr uint64_t place = 256; // at least the alignment of any device
  uint64_t pastArena = (result.arenaBytes / place + 1) * place;
  for (const moe::bundle::Buffer *buffer : *program.buffers()) {
    ResolvedBuffer resolved;
    resolved.name = buffer->name()->str();
    resolved.kind = buffer->kind();
    resolved.isStatic = isConstant(*buffer->bytes());
    std::string what = join("bytes of buffer '", resolved.name, "'");
    MOE_ASSIGN_OR_RETURN(resolved.bytes, size(*buffer->bytes(), what));
    if (resolved.kind == moe::bundle::BufferKind::Transient) {
      what = join("offset of buffer '", resolved.name, "'");
      MOE_ASSIGN_OR_RETURN(resolved.arenaOffset, size(*buffer->offset(), what));
      if (resolved.bytes > result.arenaBytes ||
          resolved.arenaOffset > result.arenaBytes - resolved.bytes)
        return makeError(Code::InvalidArgument, "expected buffer '",
                         resolved.name, "' to lie in the arena of ",
                         result.arenaBytes, " bytes, but got ", resolved.bytes,
                         " bytes at offset ", resolved.arenaOffset);
      if (resolved.bytes == 0) {
        resolved.arenaOffset = pastArena;
        pastArena += place;
      }
    }
    result.buffers.push_back(std::move(resolved));
  }
  return Status();
}

Expected<ResolvedRange> Resolver::range(uint32_t buffer,
                                        const moe::bundle::Expr &offset,
                                        uint64_t bytes,
                                        const std::string &what) const {
  ResolvedRange range;
  range.buffer = buffer;
  range.bytes = bytes;
  MOE_ASSIGN_OR_RETURN(range.offset, size(offset, what));
  const ResolvedBuffer &target = result.buffers[buffer];
  if (bytes > target.bytes || range.offset > target.bytes - bytes)
    return makeError(Code::InvalidArgument, "expected ", what,
                     " to lie in buffer '", target.name, "' of ", target.bytes,
                     " bytes, but got ", bytes, " bytes at offset ",
                     range.offset);
  return range;
}

Expected<ResolvedRange> Resolver::binding(const moe::bundle::Binding &binding,
                                          const std::string &what) const {
  MOE_ASSIGN_OR_RETURN(uint64_t bytes, size(*binding.bytes(), what));
  MOE_ASSIGN_OR_RETURN(
      ResolvedRange range,
      this->range(binding.buffer(), *binding.offset(), bytes, what));
  const std::string &name = result.buffers[range.buffer].name;
  if (range.bytes > limits.maxStorageRange)
    return makeError(Code::Device, "expected ", what, " to bind at most ",
                     limits.maxStorageRange, " bytes of buffer '", name,
                     "' (the storage range of the device), but got ",
                     range.bytes);
  if (range.bytes && range.offset % limits.minStorageAlignment)
    return makeError(Code::Device, "expected ", what, " to bind buffer '", name,
                     "' at a multiple of ", limits.minStorageAlignment,
                     " bytes (the alignment of the device), but got ",
                     range.offset);
  return range;
}

/// Kernels read a push constant as a number with a sign.
static Expected<uint32_t> pushWord(int64_t value, const std::string &what) {
  if (value < std::numeric_limits<int32_t>::min() ||
      value > std::numeric_limits<int32_t>::max())
    return makeError(Code::InvalidArgument, "expected ", what,
                     " to fit in 32 bits, but got ", value);
  return uint32_t(value);
}

template <typename DispatchTable>
Expected<ResolvedDispatch>
Resolver::common(const DispatchTable &dispatch) const {
  ResolvedDispatch resolved;
  resolved.kernel = dispatch.kernel();
  std::string kernel = bundle.kernel(resolved.kernel).name()->str();
  resolved.label = dispatch.label() ? dispatch.label()->str() : kernel;
  for (const moe::bundle::Binding *item : *dispatch.bindings()) {
    MOE_ASSIGN_OR_RETURN(
        ResolvedRange range,
        binding(*item, join("binding ", resolved.bindings.size(),
                            " of kernel '", kernel, "'")));
    resolved.bindings.push_back(range);
  }
  for (const moe::bundle::Expr *expr : *dispatch.push_constants()) {
    std::string what = join("push constant ", resolved.pushConstants.size(),
                            " of kernel '", kernel, "'");
    Expected<int64_t> value = evaluate(*expr, symbols);
    if (!value.ok())
      return makeError(Code::InvalidArgument, what, ": ",
                       value.status().message());
    MOE_ASSIGN_OR_RETURN(uint32_t word, pushWord(*value, what));
    resolved.pushConstants.push_back(word);
  }
  // What the profile shows never fails a run.
  for (auto [expr, target] : {std::pair(dispatch.flops(), &resolved.flops),
                              std::pair(dispatch.bytes(), &resolved.bytes)}) {
    if (!expr)
      continue;
    if (Expected<int64_t> value = evaluate(*expr, symbols); value.ok())
      *target = double(*value);
  }
  return resolved;
}

Status Resolver::grid(const moe::bundle::Dispatch &dispatch,
                      ResolvedDispatch &resolved) const {
  std::string kernel = bundle.kernel(resolved.kernel).name()->str();
  for (unsigned dim = 0; dim < 3; ++dim) {
    std::string what = join("grid dim ", dim, " of kernel '", kernel, "'");
    MOE_ASSIGN_OR_RETURN(uint64_t count,
                         size(*dispatch.grid()->Get(dim), what));
    if (count > limits.maxWorkgroupCount[dim])
      return makeError(Code::Device, "expected ", what, " to be at most ",
                       limits.maxWorkgroupCount[dim],
                       " (the limit of the device), but got ", count);
    resolved.grid[dim] = uint32_t(count);
  }
  return Status();
}

Status Resolver::direct(const moe::bundle::Dispatch &dispatch) {
  MOE_ASSIGN_OR_RETURN(ResolvedDispatch resolved, common(dispatch));
  MOE_RETURN_IF_ERROR(grid(dispatch, resolved));
  if (resolved.grid[0] && resolved.grid[1] && resolved.grid[2])
    result.commands.push_back(std::move(resolved));
  return Status();
}

Status Resolver::indirect(const moe::bundle::DispatchIndirect &dispatch) {
  MOE_ASSIGN_OR_RETURN(ResolvedDispatch resolved, common(dispatch));
  std::string what = join("grid of kernel '",
                          bundle.kernel(resolved.kernel).name()->str(), "'");
  resolved.indirect = true;
  MOE_ASSIGN_OR_RETURN(
      resolved.gridRange,
      range(dispatch.grid_buffer(), *dispatch.grid_offset(), 12, what));
  if (resolved.gridRange.offset % 4)
    return makeError(Code::InvalidArgument, "expected ", what,
                     " to lie at a multiple of 4 bytes, but got ",
                     resolved.gridRange.offset);
  result.commands.push_back(std::move(resolved));
  return Status();
}

Status Resolver::fill(const moe::bundle::Fill &fill) {
  ResolvedFill resolved;
  resolved.value = fill.value();
  MOE_ASSIGN_OR_RETURN(uint64_t bytes, size(*fill.bytes(), "bytes of a fill"));
  MOE_ASSIGN_OR_RETURN(resolved.range,
                       range(fill.buffer(), *fill.offset(), bytes, "a fill"));
  if (resolved.range.offset % 4 || bytes % 4)
    return makeError(Code::InvalidArgument, "expected a fill of buffer '",
                     result.buffers[fill.buffer()].name,
                     "' in multiples of 4 bytes, but got ", bytes,
                     " bytes at offset ", resolved.range.offset);
  if (bytes)
    result.commands.push_back(resolved);
  return Status();
}

Status Resolver::copy(const moe::bundle::Copy &copy) {
  ResolvedCopy resolved;
  MOE_ASSIGN_OR_RETURN(uint64_t bytes, size(*copy.bytes(), "bytes of a copy"));
  MOE_ASSIGN_OR_RETURN(resolved.source,
                       range(copy.source(), *copy.source_offset(), bytes,
                             "the source of a copy"));
  MOE_ASSIGN_OR_RETURN(resolved.destination,
                       range(copy.destination(), *copy.destination_offset(),
                             bytes, "the destination of a copy"));
  if (bytes)
    result.commands.push_back(resolved);
  return Status();
}

Expected<ResolvedProgram> Resolver::run() {
  MOE_ASSIGN_OR_RETURN(result.arenaBytes,
                       size(*program.arena_bytes(), "bytes of the arena"));
  MOE_RETURN_IF_ERROR(buffers());
  for (unsigned i = 0; i < program.commands()->size(); ++i) {
    const void *table = program.commands()->Get(i);
    switch (Command(program.commands_type()->Get(i))) {
    case Command::Dispatch:
      MOE_RETURN_IF_ERROR(
          direct(*static_cast<const moe::bundle::Dispatch *>(table)));
      break;
    case Command::DispatchIndirect:
      MOE_RETURN_IF_ERROR(
          indirect(*static_cast<const moe::bundle::DispatchIndirect *>(table)));
      break;
    case Command::Barrier:
      result.commands.push_back(ResolvedBarrier());
      break;
    case Command::Fill:
      MOE_RETURN_IF_ERROR(fill(*static_cast<const moe::bundle::Fill *>(table)));
      break;
    case Command::Copy:
      MOE_RETURN_IF_ERROR(copy(*static_cast<const moe::bundle::Copy *>(table)));
      break;
    case Command::NONE:
      break; // refused when the bundle was opened
    }
  }
  return std::move(result);
}

Expected<ResolvedProgram>
moe::runtime::resolve(const Bundle &bundle, const bundle::Program &program,
                      const std::vector<int64_t> &symbols,
                      const DeviceLimits &limits) {
  return Resolver(bundle, program, symbols, limits).run();
}
