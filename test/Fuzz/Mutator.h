//===- Mutator.h - Changes of a module's text -------------------*- C++ -*-===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef MOE_TEST_FUZZ_MUTATOR_H
#define MOE_TEST_FUZZ_MUTATOR_H

#include "Corpus.h"
#include "Random.h"

namespace mlir::moe::fuzz {

/// `text` after one to four random changes: of numbers, element types, shapes,
/// operands, names of ops, attributes, lines; or with functions and lines of
/// other parts in it. Many changes are made at all places alike, so that types
/// still agree and the module gets past its verifier.
std::string mutate(std::string text, const Corpus &corpus, Random &random);

} // namespace mlir::moe::fuzz

#endif // MOE_TEST_FUZZ_MUTATOR_H
