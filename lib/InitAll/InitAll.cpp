//===- InitAll.cpp - Registers dialects, passes and pipelines
//--------------===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "moe/InitAll.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/Extensions/InlinerExtension.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVDialect.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "moe/Autodiff/Passes.h"
#include "moe/Autodiff/Rules.h"
#include "moe/Conversion/Passes.h"
#include "moe/Dialect/MoE/IR/MoE.h"
#include "moe/Dialect/MoE/Transforms/Passes.h"
#include "moe/Dialect/MoERT/IR/MoERT.h"
#include "moe/Dialect/MoERT/Transforms/Passes.h"
#include "moe/Pipelines/Pipelines.h"
#include "moe/Schedule/Passes.h"

using namespace mlir;

void moe::registerAllDialects(DialectRegistry &registry) {
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  registry.insert<moe::MoEDialect, moe_rt::MoERTDialect>();
  registerDerivativeRules(registry);
}

void moe::registerCompilerDialects(DialectRegistry &registry) {
  registry.insert<affine::AffineDialect, arith::ArithDialect, func::FuncDialect,
                  gpu::GPUDialect, linalg::LinalgDialect, math::MathDialect,
                  memref::MemRefDialect, moe::MoEDialect, moe_rt::MoERTDialect,
                  scf::SCFDialect, spirv::SPIRVDialect, tensor::TensorDialect,
                  vector::VectorDialect>();
  func::registerInlinerExtension(registry);
}

void moe::registerAllPasses() {
  registerMoEAutodiffPasses();
  registerMoEConversionPasses();
  registerMoESchedulePasses();
  registerMoETransformsPasses();
  moe_rt::registerMoERTPasses();
  registerPipelines();
}
