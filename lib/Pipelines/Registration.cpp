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

using ErrorHandler = function_ref<LogicalResult(const Twine &)>;

// The options as the builders want them.
static FailureOr<CompilePipelineOptions> parse(StringRef given,
                                               ErrorHandler emitError) {
  TextOptions text;
  std::string message;
  llvm::raw_string_ostream stream(message);
  if (failed(text.parseFromString(given, stream)))
    return LogicalResult(emitError(StringRef(message).rtrim()));
  CompilePipelineOptions options;
  std::optional<TargetInfo> target = lookupTarget(text.target);
  if (!target)
    return LogicalResult(
        emitError("expected a target of " + llvm::join(getTargetNames(), ", ") +
                  ", but got '" + text.target.getValue() + "'"));
  options.target = *target;
  std::optional<Stage> stage = parseStage(text.stopAfter);
  if (!stage)
    return LogicalResult(emitError(
        "expected stop-after to be kernels, schedule, linalg, gpu, spirv or "
        "program, but got '" +
        text.stopAfter.getValue() + "'"));
  options.stopAfter = *stage;
  options.reference = text.reference;
  return options;
}

// Upstream's registration knows no pipeline whose options can be wrong.
static void registerStage(StringRef flag, StringRef description,
                          void (*build)(OpPassManager &,
                                        const CompilePipelineOptions &)) {
  registerPassPipeline(
      flag, description,
      [build](OpPassManager &pm, StringRef text, ErrorHandler emitError) {
        FailureOr<CompilePipelineOptions> options = parse(text, emitError);
        if (succeeded(options))
          build(pm, *options);
        return LogicalResult(options);
      },
      [](function_ref<void(const detail::PassOptions &)> handle) {
        handle(TextOptions());
      });
}

void moe::registerPipelines() {
  registerStage("moe-compile-pipeline",
                "Compiles functions on tensors to device kernels and host "
                "programs",
                buildCompilePipeline);
  registerStage("moe-kernels-pipeline",
                "Stage 1: tensor ops to moe.kernel regions",
                buildKernelsPipeline);
  registerStage("moe-schedule-pipeline",
                "Stage 2: kernels to kernels with schedules and tile tables",
                buildSchedulePipeline);
  registerStage("moe-linalg-pipeline",
                "Stage 3: scheduled kernels to linalg on tensors",
                buildLinalgPipeline);
  registerStage("moe-gpu-pipeline",
                "Stage 4: kernels to gpu.func and moe_rt.program",
                buildGPUPipeline);
  registerStage("moe-spirv-pipeline", "Stage 5: gpu.func to spirv.module",
                buildSPIRVPipeline);
  registerStage("moe-program-pipeline",
                "Stage 6: plans memory and barriers of moe_rt.program",
                buildProgramPipeline);
}
