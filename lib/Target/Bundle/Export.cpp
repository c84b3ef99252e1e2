//===- Export.cpp - Writes host programs and kernels as a bundle ----------===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "moe/Target/Bundle/Export.h"

#include "../../Bundle/Checksum.h"
#include "BundleWriter.h"
#include "DeviceFactsWriter.h"

#include "llvm/Config/llvm-config.h"

using namespace mlir;
using namespace mlir::moe;
namespace fb = ::moe::bundle;

/// Raised with every change of the schema that an old reader would misread.
static constexpr uint32_t bundleVersion = 1;

FailureOr<std::vector<uint8_t>>
mlir::moe::exportBundle(ModuleOp module, const ExportOptions &options) {
  flatbuffers::FlatBufferBuilder builder;
  WrittenKernels written;
  std::vector<flatbuffers::Offset<fb::Kernel>> kernels;
  std::vector<flatbuffers::Offset<fb::Program>> programs;
  WalkResult result = module.walk([&](spirv::ModuleOp op) {
    auto kernel = writeKernel(builder, op, written);
    if (failed(kernel))
      return WalkResult::interrupt();
    kernels.push_back(*kernel);
    return WalkResult::skip();
  });
  if (result.wasInterrupted())
    return failure();
  for (auto op : module.getOps<moe_rt::ProgramOp>()) {
    auto program = writeProgram(builder, op, written);
    if (failed(program))
      return failure();
    programs.push_back(*program);
  }
  if (programs.empty())
    return module.emitError("expected a moe_rt.program to write, but got none: "
                            "run --moe-compile-pipeline first, on a module "
                            "with a public function");

  auto producer = builder.CreateString("moe " MOE_VERSION
                                       " (LLVM " LLVM_VERSION_STRING ")");
  auto target = writeDeviceFacts(builder, options.target);
  // Any value but zero keeps a place for the checksum.
  fb::FinishBundleBuffer(builder,
                         fb::CreateBundle(builder, bundleVersion, producer,
                                          target, builder.CreateVector(kernels),
                                          builder.CreateVector(programs),
                                          /*checksum=*/1));
  std::vector<uint8_t> bytes(builder.GetBufferPointer(),
                             builder.GetBufferPointer() + builder.GetSize());
  fb::seal(bytes.data(), bytes.size());
  return bytes;
}
