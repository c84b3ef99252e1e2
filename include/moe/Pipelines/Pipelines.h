//===- Pipelines.h - The stages from tensors to bundles ---------*- C++ -*-===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// The only place that orders passes. Each stage is a named pipeline that ends
// with a check of the form it leaves.
//
//   kernels   tensor ops               -> moe.kernel regions
//   schedule  kernels                  -> kernels with #moe.schedule, tile
//   tables linalg    scheduled kernels        -> linalg, tensor, scf.forall in
//   kernels gpu       functions of kernels     -> gpu.func, moe_rt.program
//   spirv     gpu.func                 -> spirv.module
//   program   moe_rt.program           -> the same with memory and barriers
//
//===----------------------------------------------------------------------===//

#ifndef MOE_PIPELINES_PIPELINES_H
#define MOE_PIPELINES_PIPELINES_H

#include "mlir/Pass/PassManager.h"
#include "moe/Support/TargetInfo.h"

namespace mlir::moe {

/// The stages, in order; each runs after the ones before it.
enum class Stage { Kernels, Schedule, Linalg, GPU, SPIRV, Program };

/// The stage called `name` ("kernels", "schedule", …).
std::optional<Stage> parseStage(StringRef name);

struct CompilePipelineOptions {
  TargetInfo target;
  /// The last stage to run.
  Stage stopAfter = Stage::Program;
  /// Lower grouped products by the slow row-wise form, for comparison.
  bool reference = false;
};

void buildKernelsPipeline(OpPassManager &pm,
                          const CompilePipelineOptions &options);
void buildSchedulePipeline(OpPassManager &pm,
                           const CompilePipelineOptions &options);
/// Where this is the last stage, its output is for people and for upstream CPU
/// passes: kernels are dissolved and kernel-level ops expanded to loops.
void buildLinalgPipeline(OpPassManager &pm,
                         const CompilePipelineOptions &options);
void buildGPUPipeline(OpPassManager &pm, const CompilePipelineOptions &options);
void buildSPIRVPipeline(OpPassManager &pm,
                        const CompilePipelineOptions &options);
void buildProgramPipeline(OpPassManager &pm,
                          const CompilePipelineOptions &options);

/// All stages, up to `options.stopAfter`.
void buildCompilePipeline(OpPassManager &pm,
                          const CompilePipelineOptions &options);

/// Registers --moe-compile-pipeline and one pipeline for each stage.
void registerPipelines();

} // namespace mlir::moe

#endif // MOE_PIPELINES_PIPELINES_H
