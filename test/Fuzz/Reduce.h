//===- Reduce.h - A smaller text that ends alike ----------------*- C++ -*-===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef MOE_TEST_FUZZ_REDUCE_H
#define MOE_TEST_FUZZ_REDUCE_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include <string>

namespace mlir::moe::fuzz {

/// Leaves out lines of `text`, ever fewer at a time, as long as `holds` for the
/// rest.
std::string reduceLines(std::string text,
                        llvm::function_ref<bool(const std::string &)> holds);

} // namespace mlir::moe::fuzz

#endif // MOE_TEST_FUZZ_REDUCE_H
