//===- moe-lsp-server.cpp - Editor support for all dialects ---------------===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"
#include "moe/InitAll.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  mlir::moe::registerAllDialects(registry);
  return mlir::failed(mlir::MlirLspServerMain(argc, argv, registry));
}
