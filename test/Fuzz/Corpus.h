//===- Corpus.h - The inputs that mutations start from ----------*- C++ -*-===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef MOE_TEST_FUZZ_CORPUS_H
#define MOE_TEST_FUZZ_CORPUS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringMap.h"
#include <string>
#include <vector>

namespace mlir::moe::fuzz {

/// One part of a test file, between two `// -----`, without its comments.
struct Part {
  std::string file;
  std::string text;
  /// The passes and pipelines of the file's RUN lines.
  std::vector<std::string> passes;
};

struct Corpus {
  std::vector<Part> parts;
  /// Token -> the tokens that follow it somewhere, each as often as it does.
  llvm::StringMap<std::vector<std::string>> followers;
};

/// Reads all .mlir files below `folder`, in the order of their paths. `known`
/// are the passes that a RUN line may name.
Corpus readCorpus(llvm::StringRef folder, llvm::ArrayRef<std::string> known);

/// Words (`arith.addf`, `%x#0`, `@f`, `f32`), numbers, strings, and all other
/// characters one by one. They point into `text`; blanks belong to none.
std::vector<llvm::StringRef> tokenize(llvm::StringRef text);

} // namespace mlir::moe::fuzz

#endif // MOE_TEST_FUZZ_CORPUS_H
