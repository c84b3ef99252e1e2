//===- moe-opt.cpp - Runs passes and pipelines
//-----------------------------===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "mlir/InitAllPasses.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "moe/InitAll.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  mlir::moe::registerAllDialects(registry);
  mlir::registerAllPasses();
  mlir::moe::registerAllPasses();
  return mlir::asMainReturnCode(mlir::MlirOptMain(
      argc, argv, "moe optimizer: mixture-of-experts layers to GPU kernels\n",
      registry));
}
