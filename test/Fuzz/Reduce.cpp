//===- Reduce.cpp - A smaller text that ends alike ------------------------===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Reduce.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

std::string
mlir::moe::fuzz::reduceLines(std::string text,
                             function_ref<bool(const std::string &)> holds) {
  SmallVector<StringRef> lines;
  StringRef(text).split(lines, '\n', -1, /*KeepEmpty=*/false);
  for (size_t count = lines.size() / 2; count >= 1; count /= 2) {
    for (bool again = true; again;) {
      again = false;
      for (size_t at = 0; at + count <= lines.size();) {
        SmallVector<StringRef> fewer(lines.begin(), lines.begin() + at);
        fewer.append(lines.begin() + at + count, lines.end());
        if (holds(llvm::join(fewer, "\n") + "\n")) {
          lines = fewer;
          again = true;
        } else {
          at += count;
        }
      }
    }
  }
  return llvm::join(lines, "\n") + "\n";
}
