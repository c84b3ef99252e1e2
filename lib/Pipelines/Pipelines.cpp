//===- Pipelines.cpp - The stages from tensors to bundles
//------------------===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "moe/Pipelines/Pipelines.h"

#include "SetTargetEnv.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
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

// Upstream takes an index that has become an integer of fewer bits, and then an
// index again, for what it was (MLIR 22.1). In kernels, where an index is of 32
// bits whether it goes through an i32 or not, it may.
static void addTensorCanonicalizer(OpPassManager &pm) {
  GreedyRewriteConfig config;
  config.setUseTopDownTraversal().setRegionSimplificationLevel(
      GreedySimplifyRegionLevel::Normal);
  pm.addPass(createCanonicalizerPass(
      config, {"(anonymous namespace)::IndexCastOfIndexCast",
               "(anonymous namespace)::IndexCastUIOfIndexCastUI"}));
}

static void addTensorCleanup(OpPassManager &pm) {
  addTensorCanonicalizer(pm);
  pm.addPass(createCSEPass());
}

// Storage buffers of the widest fused product: tokens, slots of the rows,
// matrices, bias, tile table, result.
static constexpr uint32_t fusedProductBuffers = 6;

void moe::buildKernelsPipeline(OpPassManager &pm,
                               const CompilePipelineOptions &options) {
  pm.addPass(createInlinerPass(/*opPipelines=*/{}, addTensorCanonicalizer));
  OpPassManager &func = pm.nest<func::FuncOp>();
  func.addPass(createCheckSupportedPass());
  func.addPass(createCheckOperandsPass());
  // Before kernels have schedules, layer ops take their slow forms.
  if (options.reference)
    func.addPass(createConvertMoEToLinalgPass());
  func.addPass(createNormalizeOpsPass());
  addTensorCleanup(func);
  FuseElementwisePassOptions fuse;
  fuse.maxStorageBuffers = options.target.maxStorageBuffers;
  func.addPass(createFuseElementwisePass(fuse));
  addTensorCleanup(func);
  FormKernelsPassOptions form;
  form.fuseDispatch = options.target.maxStorageBuffers >= fusedProductBuffers;
  func.addPass(createFormKernelsPass(form));
  func.addPass(createUpdateInPlacePass());
}

void moe::buildSchedulePipeline(OpPassManager &pm,
                                const CompilePipelineOptions &options) {
  OpPassManager &func = pm.nest<func::FuncOp>();
  func.addPass(createSelectSchedulePass(options.target));
  func.addPass(createMaterializeTilesPass());
  func.addPass(createCheckSchedulePass(options.target));
}

void moe::buildLinalgPipeline(OpPassManager &pm,
                              const CompilePipelineOptions &options) {
  OpPassManager &func = pm.nest<func::FuncOp>();
  func.addPass(createConvertMoEToLinalgPass());
  if (options.stopAfter != Stage::Linalg)
    return;
  func.addPass(createInlineKernelsPass());
  // Without kernels, what they left to the device takes its slow form.
  func.addPass(createConvertMoEToLinalgPass());
  func.addPass(createExpandKernelOpsPass());
  addTensorCleanup(func);
}

void moe::buildGPUPipeline(OpPassManager &pm,
                           const CompilePipelineOptions &options) {
  ConvertLinalgToGPUPassOptions convert;
  convert.maxLoopIterations = options.target.maxLoopIterations;
  convert.shaderInt64 = options.target.shaderInt64;
  pm.addPass(createConvertLinalgToGPUPass(convert));
  FitInterfacesPassOptions fit;
  fit.maxStorageBuffers = options.target.maxStorageBuffers;
  fit.maxPushConstants = options.target.maxPushConstants;
  pm.addPass(createFitInterfacesPass(fit));
  OpPassManager &kernels = pm.nest<gpu::GPUModuleOp>();
  // Expressions are emitted wherever they are read: canonicalizing all copies
  // takes ten times as long as finding them first.
  kernels.addPass(createCSEPass());
  addCleanup(kernels);
}

void moe::buildSPIRVPipeline(OpPassManager &pm,
                             const CompilePipelineOptions &options) {
  pm.addPass(createSetTargetEnvPass(options.target));
  OpPassManager &kernels = pm.nest<gpu::GPUModuleOp>();
  kernels.addPass(createExpandMathPass());
  kernels.addPass(createCSEPass()); // constants, reductions that two ops share
  pm.addPass(createConvertGPUToSPIRVKernelsPass());
}

void moe::buildProgramPipeline(OpPassManager &pm,
                               const CompilePipelineOptions &options) {
  OpPassManager &program = pm.nest<moe_rt::ProgramOp>();
  addCleanup(program);
  program.addPass(createCheckLimitsPass(options.target));
  program.addPass(moe_rt::createInsertBarriersPass());
  program.addPass(moe_rt::createPlanMemoryPass());
  addCleanup(program);
  program.addPass(moe_rt::createCheckHazardsPass());
}

void moe::buildCompilePipeline(OpPassManager &pm,
                               const CompilePipelineOptions &options) {
  for (Stage stage : {Stage::Kernels, Stage::Schedule, Stage::Linalg,
                      Stage::GPU, Stage::SPIRV, Stage::Program}) {
    switch (stage) {
    case Stage::Kernels:
      buildKernelsPipeline(pm, options);
      break;
    case Stage::Schedule:
      buildSchedulePipeline(pm, options);
      break;
    case Stage::Linalg:
      buildLinalgPipeline(pm, options);
      break;
    case Stage::GPU:
      buildGPUPipeline(pm, options);
      break;
    case Stage::SPIRV:
      buildSPIRVPipeline(pm, options);
      break;
    case Stage::Program:
      buildProgramPipeline(pm, options);
      break;
    }
    if (stage == options.stopAfter)
      return;
  }
}
