//===- Pass.cpp - gpu.func kernels -> spirv.module
//--------------------------===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"

#include "mlir/Conversion/ArithToSPIRV/ArithToSPIRV.h"
#include "mlir/Conversion/FuncToSPIRV/FuncToSPIRV.h"
#include "mlir/Conversion/GPUToSPIRV/GPUToSPIRV.h"
#include "mlir/Conversion/MathToSPIRV/MathToSPIRV.h"
#include "mlir/Conversion/MemRefToSPIRV/MemRefToSPIRV.h"
#include "mlir/Conversion/SCFToSPIRV/SCFToSPIRV.h"
#include "mlir/Conversion/VectorToSPIRV/VectorToSPIRV.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVDialect.h"
#include "mlir/Dialect/SPIRV/IR/TargetAndABI.h"
#include "mlir/Dialect/SPIRV/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "moe/Conversion/Passes.h"
#include "moe/Dialect/MoERT/IR/MoERT.h"

namespace mlir::moe {
#define GEN_PASS_DEF_CONVERTGPUTOSPIRVKERNELSPASS
#include "moe/Conversion/Passes.h.inc"
} // namespace mlir::moe

using namespace mlir;
using namespace mlir::moe;

// An index is 32 bits wide in SPIR-V, and the type converter would cut a wider
// constant without a word. From 2^31 on its sign would change too, which the
// signed comparisons and divisions of a body see.
static LogicalResult checkIndexConstants(gpu::GPUModuleOp module) {
  WalkResult result = module.walk([](arith::ConstantOp op) {
    if (!getElementTypeOrSelf(op.getType()).isIndex())
      return WalkResult::advance();
    auto fits = [](const APInt &value) { return value.isSignedIntN(32); };
    APInt wide;
    if (auto scalar = dyn_cast<IntegerAttr>(op.getValue())) {
      if (fits(scalar.getValue()))
        return WalkResult::advance();
      wide = scalar.getValue();
    } else if (auto many = dyn_cast<DenseIntElementsAttr>(op.getValue())) {
      auto values = many.getValues<APInt>();
      auto found = llvm::find_if_not(values, fits);
      if (found == values.end())
        return WalkResult::advance();
      wide = *found;
    } else {
      return WalkResult::advance();
    }
    op.emitError("expected an index constant of a kernel to fit 32 bits, but "
                 "got ")
        << wide.getSExtValue();
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

// A push constant is one of those that its function declares.
static LogicalResult checkPushConstants(gpu::GPUModuleOp module) {
  WalkResult result = module.walk([](moe_rt::PushConstantOp op) -> WalkResult {
    auto func = op->getParentOfType<FunctionOpInterface>();
    auto count = func
                     ? func->getAttrOfType<IntegerAttr>("moe_rt.push_constants")
                     : IntegerAttr();
    if (!count)
      return op.emitOpError("expected its function to say by "
                            "'moe_rt.push_constants' how many there are, but "
                            "got none");
    uint64_t total = count.getValue().getLimitedValue();
    if (op.getPosition() >= total)
      return op.emitOpError("expected a position below ")
             << total << ", as its function says, but got " << op.getPosition();
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

// Converts one gpu.module, which becomes a spirv.module beside it.
static LogicalResult convertModule(gpu::GPUModuleOp module,
                                   spirv::TargetEnvAttr target) {
  if (failed(checkIndexConstants(module)) || failed(checkPushConstants(module)))
    return failure();
  MLIRContext *context = module.getContext();
  SPIRVConversionOptions options;
  options.emulateUnsupportedFloatTypes = false;
  options.emulateLT32BitScalarTypes = false;
  SPIRVTypeConverter converter(target, options);
  for (auto func : module.getOps<gpu::GPUFuncOp>())
    for (Type type : func.getArgumentTypes())
      if (!converter.convertType(type))
        return func.emitError(
                   "expected arguments that the target can store, but got ")
               << type;
  if (failed(checkOps(module, converter)))
    return failure();
  std::unique_ptr<ConversionTarget> legal = SPIRVConversionTarget::get(target);
  RewritePatternSet patterns(context);
  ScfToSPIRVContext scf;
  populateGPUToSPIRVPatterns(converter, patterns);
  arith::populateArithToSPIRVPatterns(converter, patterns);
  populateMathToSPIRVPatterns(converter, patterns);
  populateMemRefToSPIRVPatterns(converter, patterns);
  populateSCFToSPIRVPatterns(converter, scf, patterns);
  populateVectorToSPIRVPatterns(converter, patterns);
  populateFuncToSPIRVPatterns(converter, patterns);
  populateLoopPatterns(converter, patterns);
  populateOwnSPIRVPatterns(converter, patterns);
  // What SPIR-V has no instruction for.
  arith::populateCeilFloorDivExpandOpsPatterns(patterns);
  return applyFullConversion(module, *legal, std::move(patterns));
}

// A gpu.module with one kernel each, so that a pipeline compiles only its own.
static SmallVector<gpu::GPUModuleOp> splitModule(gpu::GPUModuleOp module) {
  SmallVector<gpu::GPUModuleOp> modules;
  OpBuilder builder(module);
  for (auto func :
       llvm::make_early_inc_range(module.getOps<gpu::GPUFuncOp>())) {
    auto own = gpu::GPUModuleOp::create(builder, func.getLoc(), func.getName());
    func->moveBefore(own.getBody(), own.getBody()->end());
    modules.push_back(own);
  }
  module.erase();
  return modules;
}

namespace {
struct ConvertGPUToSPIRVKernelsPass
    : moe::impl::ConvertGPUToSPIRVKernelsPassBase<
          ConvertGPUToSPIRVKernelsPass> {
  using Base::Base;

  LogicalResult initialize(MLIRContext *) override {
    finish.addPass(spirv::createSPIRVLowerABIAttributesPass());
    finish.addPass(spirv::createSPIRVUpdateVCEPass());
    return success();
  }
  void runOnOperation() override;

  OpPassManager finish{spirv::ModuleOp::getOperationName()};
};
} // namespace

void ConvertGPUToSPIRVKernelsPass::runOnOperation() {
  ModuleOp module = getOperation();
  SmallVector<gpu::GPUModuleOp> kernels;
  for (auto gpuModule :
       llvm::make_early_inc_range(module.getOps<gpu::GPUModuleOp>()))
    llvm::append_range(kernels, splitModule(gpuModule));
  spirv::TargetEnvAttr target = spirv::lookupTargetEnvOrDefault(module);
  for (gpu::GPUModuleOp kernel : kernels) {
    auto func = *kernel.getOps<gpu::GPUFuncOp>().begin();
    NamedAttrList facts;
    for (StringRef name :
         {"moe_rt.push_constants", "moe_rt.lanes", "moe_rt.loop_iterations"})
      if (Attribute value = func->getAttr(name))
        facts.append(name, value);
    std::string name = kernel.getName().str();
    Operation *before = kernel->getPrevNode();
    if (failed(convertModule(kernel, target)))
      return signalPassFailure();
    // The conversion puts a spirv.module in the gpu.module's place.
    Operation *made =
        before ? before->getNextNode() : &module.getBody()->front();
    auto result = dyn_cast<spirv::ModuleOp>(made);
    if (!result) {
      module.emitError("expected the conversion of kernel '")
          << name << "' to leave a spirv.module";
      return signalPassFailure();
    }
    result.setName(name);
    if (failed(runPipeline(finish, result)) ||
        failed(finishModule(result, target)))
      return signalPassFailure();
    for (NamedAttribute fact : facts)
      result->setAttr(fact.getName(), fact.getValue());
  }
}
