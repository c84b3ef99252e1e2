//===- Run.h - Passes and changes of a text ---------------------*- C++ -*-===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef MOE_TEST_FUZZ_RUN_H
#define MOE_TEST_FUZZ_RUN_H

#include "Child.h"
#include "Random.h"

#include "mlir/IR/MLIRContext.h"

namespace mlir::moe::fuzz {

/// Tells text and passes, then parses the text and runs the passes. A pass is
/// `name` or `name{options}`; `export` stands for writing the bundle and
/// listing it. Where `printed` is given, it gets the module behind the passes.
End runPasses(MLIRContext &context, llvm::StringRef text,
              llvm::ArrayRef<std::string> passes,
              std::string *printed = nullptr);

/// Changes `text` by up to `count` changes of its module, of which each leaves
/// it valid.
End mutateText(MLIRContext &context, std::string &text, unsigned count,
               Random &random);

} // namespace mlir::moe::fuzz

#endif // MOE_TEST_FUZZ_RUN_H
