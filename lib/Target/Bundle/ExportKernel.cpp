//===- ExportKernel.cpp - A spirv.module as a kernel of a bundle ----------===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "BundleWriter.h"

#include "mlir/Target/SPIRV/Serialization.h"
#include <set>

using namespace mlir;
using namespace mlir::moe;
namespace fb = ::moe::bundle;

static FailureOr<spirv::EntryPointOp> getEntryPoint(spirv::ModuleOp module) {
  auto entries = llvm::to_vector(module.getOps<spirv::EntryPointOp>());
  if (entries.size() != 1)
    return module.emitOpError("expected one entry point for each kernel, but "
                              "got ")
           << entries.size();
  return entries.front();
}

static FailureOr<std::vector<uint32_t>>
getWorkgroupSize(spirv::ModuleOp module) {
  for (auto mode : module.getOps<spirv::ExecutionModeOp>()) {
    if (mode.getExecutionMode() != spirv::ExecutionMode::LocalSize)
      continue;
    std::vector<uint32_t> size;
    for (auto value : mode.getValues().getAsRange<IntegerAttr>())
      size.push_back(value.getInt());
    if (size.size() == 3)
      return size;
  }
  return module.emitOpError("expected an execution mode LocalSize with three "
                            "sizes, but got none");
}

/// Bindings are numbered from 0 in set 0, and several variables (views of
/// different types) may share one.
static FailureOr<unsigned> countBindings(spirv::ModuleOp module) {
  std::set<uint32_t> bound;
  for (auto variable : module.getOps<spirv::GlobalVariableOp>()) {
    std::optional<uint32_t> binding = variable.getBinding();
    if (!binding)
      continue;
    if (variable.getDescriptorSet().value_or(0) != 0)
      return variable.emitOpError("expected descriptor set 0, but got ")
             << *variable.getDescriptorSet();
    bound.insert(*binding);
  }
  for (auto [number, binding] : llvm::enumerate(bound))
    if (binding != number)
      return module.emitOpError("expected bindings to be numbered from 0 "
                                "without a gap, but got none with number ")
             << number;
  return bound.size();
}

// Bytes of a type of workgroup memory. Upstream knows no size for a struct
// without an explicit layout, which is how memref.alloc arrives here.
static std::optional<int64_t> sizeOf(Type type) {
  if (auto record = dyn_cast<spirv::StructType>(type)) {
    int64_t total = 0;
    for (Type member : record.getElementTypes()) {
      std::optional<int64_t> bytes = sizeOf(member);
      if (!bytes)
        return std::nullopt;
      total += *bytes;
    }
    return total;
  }
  auto known = dyn_cast<spirv::SPIRVType>(type);
  return known ? known.getSizeInBytes() : std::nullopt;
}

static FailureOr<unsigned> countSharedBytes(spirv::ModuleOp module) {
  unsigned total = 0;
  for (auto variable : module.getOps<spirv::GlobalVariableOp>()) {
    auto pointer = dyn_cast<spirv::PointerType>(variable.getType());
    if (!pointer || pointer.getStorageClass() != spirv::StorageClass::Workgroup)
      continue;
    std::optional<int64_t> bytes = sizeOf(pointer.getPointeeType());
    if (!bytes)
      return variable.emitOpError("expected workgroup memory of a known size, "
                                  "but got ")
             << pointer.getPointeeType();
    total += *bytes;
  }
  return total;
}

static unsigned getCount(spirv::ModuleOp module, StringRef attribute) {
  auto count = module->getAttrOfType<IntegerAttr>(attribute);
  return count ? count.getInt() : 0;
}

FailureOr<flatbuffers::Offset<fb::Kernel>>
mlir::moe::writeKernel(flatbuffers::FlatBufferBuilder &builder,
                       spirv::ModuleOp module, WrittenKernels &kernels) {
  FailureOr<spirv::EntryPointOp> entry = getEntryPoint(module);
  if (failed(entry))
    return failure();
  FailureOr<std::vector<uint32_t>> workgroupSize = getWorkgroupSize(module);
  FailureOr<unsigned> numBindings = countBindings(module);
  FailureOr<unsigned> sharedBytes = countSharedBytes(module);
  if (failed(workgroupSize) || failed(numBindings) || failed(sharedBytes))
    return failure();

  std::string name = entry->getFn().str();
  unsigned numPushConstants = getCount(module, "moe_rt.push_constants");
  WrittenKernel written{kernels.size(), *numBindings, numPushConstants};
  if (!kernels.try_emplace(name, written).second)
    return module.emitOpError("expected kernels of different names, but got "
                              "two '")
           << name << "'";
  SmallVector<uint32_t> words;
  if (failed(spirv::serialize(module, words)))
    return failure();

  auto nameOffset = builder.CreateString(name);
  auto spirv = builder.CreateVector(words.data(), words.size());
  auto size = builder.CreateVector(*workgroupSize);
  fb::KernelBuilder kernel(builder);
  kernel.add_name(nameOffset);
  kernel.add_entry_point(nameOffset);
  kernel.add_spirv(spirv);
  kernel.add_workgroup_size(size);
  kernel.add_num_bindings(*numBindings);
  kernel.add_num_push_constants(numPushConstants);
  kernel.add_shared_memory(*sharedBytes);
  kernel.add_subgroup_lanes(getCount(module, "moe_rt.lanes"));
  kernel.add_loop_iterations(getCount(module, "moe_rt.loop_iterations"));
  return kernel.Finish();
}
