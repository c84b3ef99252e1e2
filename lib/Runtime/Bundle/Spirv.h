//===- Spirv.h - What a SPIR-V module says of itself ------------*- C++ -*-===//
//
// Part of moe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MOE_RUNTIME_BUNDLE_SPIRV_H
#define MOE_RUNTIME_BUNDLE_SPIRV_H

#include "Support/Status.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace moe::runtime::spirv {

struct EntryPoint {
  uint32_t id = 0;
  uint32_t executionModel = 0;
  std::string name;
  /// From OpExecutionMode LocalSize; zeros when the module has none.
  std::array<uint32_t, 3> localSize = {0, 0, 0};
};

struct Module {
  uint32_t majorVersion = 0;
  uint32_t minorVersion = 0;
  std::vector<uint32_t> capabilities;
  std::vector<std::string> extensions;
  std::vector<EntryPoint> entryPoints;

  /// The compute entry point of that name, or null.
  const EntryPoint *findKernel(const std::string &name) const;
};

/// Reads the header and the whole instruction stream. Every instruction lies
/// inside the module and every string is terminated; what instructions mean
/// beyond the fields above is the driver's to judge.
Expected<Module> parse(const uint32_t *words, size_t numWords);

} // namespace moe::runtime::spirv

#endif // MOE_RUNTIME_BUNDLE_SPIRV_H
