//===- Bundle.h - A bundle that has been read and checked -------*- C++ -*-===//
//
// Part of moe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MOE_RUNTIME_BUNDLE_BUNDLE_H
#define MOE_RUNTIME_BUNDLE_BUNDLE_H

#include "Bundle/Spirv.h"
#include "Support/Status.h"
#include "moe-bundle/bundle_generated.h"

#include <vector>

namespace moe::runtime {

/// An immutable bundle in memory of its own. Once one exists, each index in it
/// is in range, each expression is well-formed, each command agrees with its
/// kernel, and each kernel's SPIR-V has the entry point that it names: code
/// that reads it needs no further check.
class Bundle {
public:
  static Expected<Bundle> open(const void *data, size_t size);

  const bundle::Bundle &root() const {
    return *bundle::GetBundle(storage.data());
  }
  const bundle::Kernel &kernel(size_t index) const {
    return *root().kernels()->Get(unsigned(index));
  }
  const bundle::Program &program(size_t index) const {
    return *root().programs()->Get(unsigned(index));
  }
  size_t numKernels() const { return root().kernels()->size(); }
  size_t numPrograms() const { return root().programs()->size(); }

  /// What the SPIR-V of a kernel says of itself.
  const spirv::Module &module(size_t kernel) const { return modules[kernel]; }

private:
  Bundle() = default;

  /// Words, so that every field is aligned.
  std::vector<uint64_t> storage;
  std::vector<spirv::Module> modules;
};

/// The checks of one program against the kernels; part of `Bundle::open`.
Status checkProgram(
    const bundle::Program &program,
    const flatbuffers::Vector<flatbuffers::Offset<bundle::Kernel>> &kernels);

} // namespace moe::runtime

#endif // MOE_RUNTIME_BUNDLE_BUNDLE_H
