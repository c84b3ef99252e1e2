//===- Registration.cpp - The pipelines as moe-opt sees them
//---------------===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "mlir/Pass/PassRegistry.h"
#include "moe/Pipelines/Pipelines.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace mlir::moe;

std::optional<Stage> moe::parseStage(StringRef name) {
  return llvm::StringSwitch<std::optional<Stage>>(name)
      .Case("kernels", Stage::Kernels)
      .Case("schedule", Stage::Schedule)
      .Case("linalg", Stage::Linalg)
      .Case("gpu", Stage::GPU)
      .Case("spirv", Stage::SPIRV)
      .Case("program", Stage::Program)
      .Default(std::nullopt);
}

namespace {
struct TextOptions : PassPipelineOptions<TextOptions> {
  Option<std::string> target{*this, "target",
                             llvm::cl::desc("the named target to compile for"),
                             llvm::cl::init("lavapipe")};
  Option<std::string> stopAfter{
      *this, "stop-after",
      llvm::cl::desc("the last stage to run: kernels, schedule, linalg, gpu, "
                     "spirv, program"),
      llvm::cl::init("program")};
  Option<bool> reference{
      *this, "reference",
      llvm::cl::desc("lower grouped products by the slow row-wise form"),
      llvm::cl::init(false)};
};
} // namespace

// The options as the builders want them; a name that does not exist ends the
// tool with the list of those that do.
static CompilePipelineOptions parse(const TextOptions &text) {
  CompilePipelineOptions options;
  std::optional<TargetInfo> target = lookupTarget(text.target);
  if (!target)
    llvm::reportFatalUsageError(Twine("expected a target of ") +
                                llvm::join(getTargetNames(), ", ") +
                                ", but got '" + text.target + "'");
  options.target = *target;
  std::optional<Stage> stage = parseStage(text.stopAfter);
  if (!stage)
    llvm::reportFatalUsageError(
        Twine("expected stop-after to be kernels, schedule, linalg, "
              "gpu, spirv or program, but got '") +
        text.stopAfter + "'");
  options.stopAfter = *stage;
  options.reference = text.reference;
  return options;
}

void moe::registerPipelines() {
  PassPipelineRegistration<TextOptions>(
      "moe-compile-pipeline",
      "Compiles functions on tensors to device kernels and host programs",
      [](OpPassManager &pm, const TextOptions &text) {
        buildCompilePipeline(pm, parse(text));
      });
  PassPipelineRegistration<TextOptions>(
      "moe-kernels-pipeline", "Stage 1: tensor ops to moe.kernel regions",
      [](OpPassManager &pm, const TextOptions &text) {
        buildKernelsPipeline(pm, parse(text));
      });
  PassPipelineRegistration<TextOptions>(
      "moe-schedule-pipeline",
      "Stage 2: kernels to kernels with schedules and tile tables",
      [](OpPassManager &pm, const TextOptions &text) {
        buildSchedulePipeline(pm, parse(text));
      });
  PassPipelineRegistration<TextOptions>(
      "moe-linalg-pipeline", "Stage 3: scheduled kernels to linalg on tensors",
      [](OpPassManager &pm, const TextOptions &text) {
        buildLinalgPipeline(pm, parse(text));
      });
  PassPipelineRegistration<TextOptions>(
      "moe-gpu-pipeline", "Stage 4: kernels to gpu.func and moe_rt.program",
      [](OpPassManager &pm, const TextOptions &text) {
        buildGPUPipeline(pm, parse(text));
      });
  PassPipelineRegistration<TextOptions>(
      "moe-spirv-pipeline", "Stage 5: gpu.func to spirv.module",
      [](OpPassManager &pm, const TextOptions &text) {
        buildSPIRVPipeline(pm, parse(text));
      });
  PassPipelineRegistration<TextOptions>(
      "moe-program-pipeline",
      "Stage 6: plans memory and barriers of moe_rt.program",
      [](OpPassManager &pm, const TextOptions &text) {
        buildProgramPipeline(pm, parse(text));
      });
}
