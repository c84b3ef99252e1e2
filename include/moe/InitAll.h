//===- InitAll.h - Registers dialects, passes and pipelines -----*- C++ -*-===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef MOE_INITALL_H
#define MOE_INITALL_H

#include "mlir/IR/DialectRegistry.h"

namespace mlir::moe {

/// The dialects of the project and every upstream dialect, with what they need
/// to be inlined, bufferized and so on.
void registerAllDialects(DialectRegistry &registry);

/// Only what `buildCompilePipeline` needs: quicker to load.
void registerCompilerDialects(DialectRegistry &registry);

/// The passes and pipelines of the project.
void registerAllPasses();

} // namespace mlir::moe

#endif // MOE_INITALL_H
