//===- Bundle.cpp - Reads and checks a bundle -----------------------------===//
//
// Part of moe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Bundle/Bundle.h"
#include "../Bundle/Checksum.h"

#include <cstring>
#include <set>

using namespace moe::runtime;

namespace {
constexpr uint32_t kVersion = 1;
/// A program of many thousand commands is legal: only the size of the file
/// bounds the number of tables.
constexpr unsigned kMaxDepth = 64;
constexpr unsigned kMaxTables = 64u << 20;
} // namespace

/// Adds where an error lies to its message.
static Status within(const std::string &place, const Status &error) {
  return makeError(error.code(), place, ": ", error.message());
}

static Status checkKernel(const moe::bundle::Kernel &kernel,
                          spirv::Module &module) {
  const auto &words = *kernel.spirv();
  MOE_ASSIGN_OR_RETURN(module, spirv::parse(words.data(), words.size()));
  if (kernel.workgroup_size()->size() != 3)
    return makeError(Code::InvalidArgument,
                     "expected a workgroup size of 3 dims, but got ",
                     kernel.workgroup_size()->size());
  const spirv::EntryPoint *entry =
      module.findKernel(kernel.entry_point()->str());
  if (!entry)
    return makeError(Code::InvalidArgument, "expected a compute entry point '",
                     kernel.entry_point()->str(), "', but got ",
                     module.entryPoints.size(), " entry points without it");
  for (unsigned i = 0; i < 3; ++i) {
    uint32_t size = kernel.workgroup_size()->Get(i);
    if (size == 0 || size != entry->localSize[i])
      return makeError(Code::InvalidArgument, "expected workgroup size ",
                       entry->localSize[i], " in dim ", i,
                       " (LocalSize of the entry point), but got ", size);
  }
  return Status();
}

Expected<Bundle> moe::runtime::Bundle::open(const void *data, size_t size) {
  if (!data || size < 16)
    return makeError(Code::InvalidArgument,
                     "expected a bundle of 16 bytes or more, but got ",
                     data ? size : 0);
  Bundle bundle;
  bundle.storage.resize((size + 7) / 8);
  std::memcpy(bundle.storage.data(), data, size);
  const auto *bytes = reinterpret_cast<const uint8_t *>(bundle.storage.data());
  if (!bundle::BundleBufferHasIdentifier(bytes))
    return makeError(Code::InvalidArgument,
                     "expected a bundle (file identifier MOEB), but got "
                     "another kind of file");
  flatbuffers::Verifier verifier(bytes, size, kMaxDepth, kMaxTables);
  if (!bundle::VerifyBundleBuffer(verifier))
    return makeError(Code::InvalidArgument,
                     "expected a well-formed bundle, but got ", size,
                     " bytes that are truncated or damaged");
  const bundle::Bundle &root = bundle.root();
  if (root.version() != kVersion)
    return makeError(Code::InvalidArgument, "expected bundle version ",
                     kVersion, ", but got ", root.version());
  if (!bundle::sealHolds(bytes, size))
    return makeError(Code::InvalidArgument,
                     "expected a bundle with the checksum it was sealed with, "
                     "but got damaged content");

  std::set<std::string> names;
  bundle.modules.resize(bundle.numKernels());
  for (size_t i = 0; i < bundle.numKernels(); ++i) {
    const bundle::Kernel &kernel = bundle.kernel(i);
    std::string name = kernel.name()->str();
    if (Status error = checkKernel(kernel, bundle.modules[i]); !error.ok())
      return within(join("kernel '", name, "'"), error);
  }
  for (size_t i = 0; i < bundle.numPrograms(); ++i) {
    const bundle::Program &program = bundle.program(i);
    std::string name = program.name()->str();
    if (!names.insert(name).second)
      return makeError(Code::InvalidArgument,
                       "expected programs of different names, but got two '",
                       name, "'");
    Status error = checkProgram(program, *root.kernels());
    if (!error.ok())
      return within(join("program '", name, "'"), error);
  }
  return bundle;
}
