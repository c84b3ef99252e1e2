//===- Pipelines.cpp - The stages from tensors to bundles ------------------===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "moe/Pipelines/Pipelines.h"

#include "SetTargetEnv.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Transforms/Passes.h"
#include "moe/Conversion/Passes.h"
#include "moe/Dialect/MoE/Transforms/Passes.h"
#include "moe/Dialect/MoERT/IR/MoERT.h"
#include "moe/Dialect/MoERT/Transforms/Passes.h"
#include "moe/Schedule/Passes.h"

using namespace mlir;
using namespace mlir::moe;

static void addCleanup(OpPassManager &pm) {
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
}

void moe::buildKernelsPipeline(OpPassManager &pm) {
  pm.addPass(createInlinerPass());
  OpPassManager &func = pm.nest<func::FuncOp>();
  func.addPass(createCheckSupportedPass());
  func.addPass(createCheckOperandsPass());
  func.addPass(createNormalizeOpsPass());
  addCleanup(func);
  func.addPass(createLinalgElementwiseOpFusionPass());
  addCleanup(func);
  func.addPass(createFormKernelsPass());
}

void moe::buildSchedulePipeline(OpPassManager &pm, const CompilePipelineOptions &options) {
  OpPassManager &func = pm.nest<func::FuncOp>();
  func.addPass(createSelectSchedulePass(options.target));
  if (!options.reference)
    func.addPass(createMaterializeTilesPass());
  func.addPass(createCheckSchedulePass(options.target));
}

void moe::buildLinalgPipeline(OpPassManager &pm, const CompilePipelineOptions &options) {
  OpPassManager &func = pm.nest<func::FuncOp>();
  func.addPass(createConvertMoEToLinalgPass());
  if (options.stopAfter != Stage::Linalg)
    return;
  func.addPass(createInlineKernelsPass());
  func.addPass(createExpandKernelOpsPass());
  addCleanup(func);
}

void moe::buildGPUPipeline(OpPassManager &pm) {
  pm.addPass(createConvertLinalgToGPUPass());
  OpPassManager &kernels = pm.nest<gpu::GPUModuleOp>();
  addCleanup(kernels);
}

void moe::buildSPIRVPipeline(OpPassManager &pm, const CompilePipelineOptions &options) {
  pm.addPass(createSetTargetEnvPass(options.target));
  pm.addPass(createConvertGPUToSPIRVKernelsPass());
}

void moe::buildProgramPipeline(OpPassManager &pm) {
  OpPassManager &program = pm.nest<moe_rt::ProgramOp>();
  addCleanup(program);
  program.addPass(moe_rt::createInsertBarriersPass());
  program.addPass(moe_rt::createPlanMemoryPass());
  addCleanup(program);
  program.addPass(moe_rt::createCheckHazardsPass());
}

void moe::buildCompilePipeline(OpPassManager &pm, const CompilePipelineOptions &options) {
  for (Stage stage : {Stage::Kernels, Stage::Schedule, Stage::Linalg, Stage::GPU, Stage::SPIRV,
                      Stage::Program}) {
    switch (stage) {
    case Stage::Kernels: buildKernelsPipeline(pm); break;
    case Stage::Schedule: buildSchedulePipeline(pm, options); break;
    case Stage::Linalg: buildLinalgPipeline(pm, options); break;
    case Stage::GPU: buildGPUPipeline(pm); break;
    case Stage::SPIRV: buildSPIRVPipeline(pm, options); break;
    case Stage::Program: buildProgramPipeline(pm); break;
    }
    if (stage == options.stopAfter)
      return;
  }
}
