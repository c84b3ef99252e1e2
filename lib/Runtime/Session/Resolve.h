//===- Resolve.h - A program for one tuple of dims --------------*- C++ -*-===//
//
// Part of moe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MOE_RUNTIME_SESSION_RESOLVE_H
#define MOE_RUNTIME_SESSION_RESOLVE_H

#include "Bundle/Bundle.h"
#include "Support/Status.h"

#include <array>
#include <string>
#include <variant>
#include <vector>

namespace moe::runtime {

/// The limits of a device that depend on the dims.
struct DeviceLimits {
  uint64_t maxStorageRange = 0;
  uint64_t minStorageAlignment = 1;
  std::array<uint32_t, 3> maxWorkgroupCount = {0, 0, 0};
};

struct ResolvedBuffer {
  std::string name;
  bundle::BufferKind kind = bundle::BufferKind::Input;
  uint64_t bytes = 0;
  uint64_t arenaOffset = 0;
  /// The size depends on no dim.
  bool isStatic = false;
};

struct ResolvedRange {
  uint32_t buffer = 0;
  uint64_t offset = 0;
  uint64_t bytes = 0;
};

struct ResolvedDispatch {
  uint32_t kernel = 0;
  std::string label;
  bool indirect = false;
  std::array<uint32_t, 3> grid = {0, 0, 0}; // when direct
  ResolvedRange gridRange;                  // when indirect
  std::vector<ResolvedRange> bindings;
  std::vector<uint32_t> pushConstants;
  double flops = 0;
  double bytes = 0;
};

struct ResolvedBarrier {};

struct ResolvedFill {
  ResolvedRange range;
  uint32_t value = 0;
};

struct ResolvedCopy {
  ResolvedRange source;
  ResolvedRange destination;
};

using ResolvedCommand =
    std::variant<ResolvedDispatch, ResolvedBarrier, ResolvedFill, ResolvedCopy>;

/// A program whose every expression is a number. Nothing in it is empty or out
/// of bounds: dispatches with an empty grid, fills and copies of nothing are
/// gone.
struct ResolvedProgram {
  std::vector<ResolvedBuffer> buffers;
  uint64_t arenaBytes = 0;
  std::vector<ResolvedCommand> commands;
};

/// Evaluates `program` of `bundle`, and checks it against the limits. Touches
/// no Vulkan object.
Expected<ResolvedProgram> resolve(const Bundle &bundle,
                                  const bundle::Program &program,
                                  const std::vector<int64_t> &symbols,
                                  const DeviceLimits &limits);

} // namespace moe::runtime

#endif // MOE_RUNTIME_SESSION_RESOLVE_H
