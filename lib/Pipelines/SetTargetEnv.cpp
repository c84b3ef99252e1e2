//===- SetTargetEnv.cpp - Attaches the target to a module
//------------------===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "SetTargetEnv.h"

#include "mlir/Dialect/SPIRV/IR/SPIRVDialect.h"
#include "mlir/Dialect/SPIRV/IR/TargetAndABI.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;
using namespace mlir::moe;

namespace {
/// Sets `spirv.target_env` unless the module brings its own.
struct SetTargetEnvPass
    : PassWrapper<SetTargetEnvPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(SetTargetEnvPass)
  explicit SetTargetEnvPass(const TargetInfo &target) : target(target) {}

  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<spirv::SPIRVDialect>();
  }
  void runOnOperation() override {
    if (!getOperation()->hasAttr(spirv::getTargetEnvAttrName()))
      getOperation()->setAttr(spirv::getTargetEnvAttrName(),
                              toTargetEnv(&getContext(), target));
  }

  TargetInfo target;
};
} // namespace

std::unique_ptr<Pass> moe::createSetTargetEnvPass(const TargetInfo &target) {
  return std::make_unique<SetTargetEnvPass>(target);
}
