//===- ModuleMutator.h - Changes of a parsed module -------------*- C++ -*-===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef MOE_TEST_FUZZ_MODULEMUTATOR_H
#define MOE_TEST_FUZZ_MODULEMUTATOR_H

#include "Random.h"

#include "mlir/IR/BuiltinOps.h"

namespace mlir::moe::fuzz {

/// One random change that leaves syntax and types as they were, or changes a
/// type wherever it stands: of element types, sizes, operands, uses, integers
/// and other attributes; or an op goes, is doubled, or is moved. The module may
/// be invalid after it.
void mutateModule(ModuleOp module, Random &random);

} // namespace mlir::moe::fuzz

#endif // MOE_TEST_FUZZ_MODULEMUTATOR_H
