//===- Listing.cpp - Bundles for people -----------------------------------===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "moe/Target/Listing/Listing.h"

#include "../../Bundle/Checksum.h"
#include "ProgramListing.h"
#include "SpirvTools.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::moe;
namespace fb = ::moe::bundle;

/// The version of the schema that is understood here.
static constexpr uint32_t bundleVersion = 1;

namespace {
/// A verified copy of a bundle. FlatBuffers reads words in place, so it is
/// aligned.
class BundleCopy {
public:
  explicit BundleCopy(ArrayRef<uint8_t> bytes)
      : storage((bytes.size() + 7) / 8), size(bytes.size()) {
    llvm::copy(bytes, data());
  }

  /// What is wrong with the bytes; empty for a bundle.
  std::string findFault() {
    flatbuffers::Verifier verifier(data(), size, /*max_depth=*/64,
                                   /*max_tables=*/1u << 26);
    constexpr size_t smallest = 8; // a root and the identifier
    if (size < smallest || !fb::BundleBufferHasIdentifier(data()) ||
        !fb::VerifyBundleBuffer(verifier))
      return "expected a bundle, but got " + std::to_string(size) +
             " bytes that are damaged or something else";
    if (get().version() != bundleVersion)
      return "expected bundle version " + std::to_string(bundleVersion) +
             ", but got " + std::to_string(get().version());
    if (!fb::sealHolds(data(), size))
      return "expected a bundle with the checksum it was sealed with, but got "
             "damaged content";
    return "";
  }

  const fb::Bundle &get() { return *fb::GetBundle(data()); }

private:
  uint8_t *data() { return reinterpret_cast<uint8_t *>(storage.data()); }

  std::vector<uint64_t> storage;
  size_t size;
};
} // namespace

static void printSizes(const flatbuffers::Vector<uint32_t> *sizes,
                       llvm::raw_ostream &os) {
  if (sizes)
    llvm::interleave(*sizes, os, "x");
}

static void printTarget(const fb::DeviceFacts &facts, llvm::raw_ostream &os) {
  uint32_t version = facts.api_version();
  os << "target '" << facts.name()->str() << "': Vulkan " << (version >> 22)
     << '.' << (version >> 12 & 0x3FF) << ", subgroup " << facts.subgroup_size()
     << ", workgroup ";
  printSizes(facts.max_workgroup_size(), os);
  os << " (" << facts.max_workgroup_invocations() << "), shared memory "
     << facts.max_shared_memory() << ", push constants "
     << facts.max_push_constants() << ", storage buffers "
     << facts.max_storage_buffers() << " of " << facts.max_storage_range()
     << " bytes";
  if (facts.max_loop_iterations())
    os << ", loop iterations " << facts.max_loop_iterations();
  os << '\n';
}

static SpirvVerdict validate(const fb::Bundle &bundle,
                             const fb::Kernel &kernel) {
  uint32_t version = bundle.target() ? bundle.target()->api_version() : 0;
  ArrayRef<uint32_t> words(kernel.spirv()->data(), kernel.spirv()->size());
  return validateSpirv(words, version);
}

static void printKernel(const fb::Bundle &bundle, const fb::Kernel &kernel,
                        llvm::raw_ostream &os) {
  os << "kernel @" << kernel.name()->str() << ": workgroup ";
  printSizes(kernel.workgroup_size(), os);
  os << ", " << kernel.num_bindings() << " bindings, "
     << kernel.num_push_constants() << " push constants, shared memory "
     << kernel.shared_memory();
  if (kernel.subgroup_lanes())
    os << ", subgroup lanes " << kernel.subgroup_lanes();
  if (kernel.loop_iterations())
    os << ", loop iterations " << kernel.loop_iterations();
  os << "\n  " << validate(bundle, kernel).toString() << '\n';
  ArrayRef<uint32_t> words(kernel.spirv()->data(), kernel.spirv()->size());
  os << disassembleSpirv(words);
}

LogicalResult mlir::moe::printBundle(ArrayRef<uint8_t> bytes,
                                     llvm::raw_ostream &os,
                                     std::string &error) {
  BundleCopy copy(bytes);
  error = copy.findFault();
  if (!error.empty())
    return failure();
  const fb::Bundle &bundle = copy.get();
  os << "bundle version " << bundle.version();
  if (bundle.producer())
    os << " by " << bundle.producer()->str();
  os << '\n';
  if (bundle.target())
    printTarget(*bundle.target(), os);
  for (const fb::Program *program : *bundle.programs()) {
    os << '\n';
    printProgram(*program, *bundle.kernels(), os);
  }
  for (const fb::Kernel *kernel : *bundle.kernels()) {
    os << '\n';
    printKernel(bundle, *kernel, os);
  }
  return success();
}

LogicalResult mlir::moe::validateBundle(ArrayRef<uint8_t> bytes,
                                        llvm::raw_ostream &os,
                                        std::string &error) {
  BundleCopy copy(bytes);
  error = copy.findFault();
  if (!error.empty())
    return failure();
  const fb::Bundle &bundle = copy.get();
  unsigned numInvalid = 0;
  for (const fb::Kernel *kernel : *bundle.kernels()) {
    SpirvVerdict verdict = validate(bundle, *kernel);
    os << kernel->name()->str() << ": " << verdict.toString() << '\n';
    numInvalid += verdict.kind == SpirvVerdict::Invalid;
  }
  if (numInvalid == 0)
    return success();
  error = "expected " + std::to_string(bundle.kernels()->size()) +
          " valid kernels, but got " + std::to_string(numInvalid) +
          " invalid ones";
  return failure();
}
