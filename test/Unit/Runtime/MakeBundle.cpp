//===- MakeBundle.cpp - Writes the test bundle to a file ------------------===//
//
// Part of moe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For the tests of moe-run that need a bundle but no compiler.
//
//===----------------------------------------------------------------------===//

#include "TestBundle.h"

#include <cstdio>

int main(int argc, char **argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: moe-test-bundle FILE\n");
    return 2;
  }
  std::vector<uint8_t> bytes = moe::test::makeTestBundle(/*seal=*/true);
  std::FILE *file = std::fopen(argv[1], "wb");
  bool written =
      file && std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size();
  return file && std::fclose(file) == 0 && written ? 0 : 1;
}
