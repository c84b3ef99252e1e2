//===- SpirvTest.cpp - What a SPIR-V module says of itself ----------------===//
//
// Part of moe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Bundle/Spirv.h"

#include <gtest/gtest.h>

using namespace moe::runtime;
using namespace moe::runtime::spirv;

namespace {
/// The smallest module that has everything that is read.
std::vector<uint32_t> smallModule() {
  return {
      0x07230203,                   // magic
      0x00010300,                   // version 1.3
      0,                            // generator
      5,                            // bound
      0,                            // schema
      0x00020011, 1,                // OpCapability Shader
      0x00020011, 61,               // OpCapability GroupNonUniform
      0x0003000A, 0x5F565053,       // OpExtension "SPV_
      0x00000041,                   //   A"
      0x0005000F, 5,                // OpEntryPoint GLCompute
      1,                            //   %1
      0x6E69616D, 0,                //   "main"
      0x00060010, 1,                // OpExecutionMode %1
      17,         64,         2, 1, //   LocalSize 64 2 1
  };
}

std::string errorOf(const std::vector<uint32_t> &words) {
  return parse(words.data(), words.size()).status().message();
}
} // namespace

TEST(SpirvTest, ReadsWhatItNeeds) {
  std::vector<uint32_t> words = smallModule();
  Expected<Module> module = parse(words.data(), words.size());
  ASSERT_TRUE(module.ok()) << module.status().message();
  EXPECT_EQ(module->majorVersion, 1u);
  EXPECT_EQ(module->minorVersion, 3u);
  EXPECT_EQ(module->capabilities, (std::vector<uint32_t>{1, 61}));
  EXPECT_EQ(module->extensions, std::vector<std::string>{"SPV_A"});
  const EntryPoint *entry = module->findKernel("main");
  ASSERT_NE(entry, nullptr);
  EXPECT_EQ(entry->localSize, (std::array<uint32_t, 3>{64, 2, 1}));
  EXPECT_EQ(module->findKernel("other"), nullptr);
}

TEST(SpirvTest, OnlyComputeEntryPointsAreKernels) {
  std::vector<uint32_t> words = smallModule();
  words[13] = 4; // Fragment
  Expected<Module> module = parse(words.data(), words.size());
  ASSERT_TRUE(module.ok());
  EXPECT_EQ(module->findKernel("main"), nullptr);
}

TEST(SpirvTest, HeaderIsChecked) {
  EXPECT_EQ(errorOf({}), "expected a header of 5 words, but got 0");
  EXPECT_EQ(errorOf({1, 0x00010300, 0, 5, 0}),
            "expected the magic number 119734787, but got 1");
  EXPECT_NE(errorOf({0x07230203, 0x00020000, 0, 5, 0}), "");
  EXPECT_EQ(errorOf({0x07230203, 0x00010300, 0, 0, 0}),
            "expected an id bound of 1 to 4194303, but got 0");
  EXPECT_EQ(errorOf({0x07230203, 0x00010300, 0, 5, 9}),
            "expected schema 0, but got 9");
}

TEST(SpirvTest, InstructionsLieInsideTheModule) {
  // OpCapability that claims three words of the two that are left
  EXPECT_EQ(errorOf({0x07230203, 0x00010300, 0, 5, 0, 0x00030011, 1}),
            "expected the instruction at word 5 to have 1 to 2 words, but got "
            "3");
  // an instruction of no words, which would be read for ever
  EXPECT_EQ(errorOf({0x07230203, 0x00010300, 0, 5, 0, 0}),
            "expected the instruction at word 5 to have 1 to 1 words, but got "
            "0");
}

TEST(SpirvTest, StringsEndInsideTheirInstruction) {
  // OpExtension "AAAA" without the zero byte
  EXPECT_EQ(errorOf({0x07230203, 0x00010300, 0, 5, 0, 0x0002000A, 0x41414141}),
            "expected a string to end inside its instruction, but got 1 words "
            "without an end");
}

TEST(SpirvTest, EveryTruncationIsHandled) {
  std::vector<uint32_t> words = smallModule();
  for (size_t size = 0; size < words.size(); ++size) {
    // A copy of that size, so that a sanitizer sees what is read beyond it.
    std::vector<uint32_t> cut(words.begin(), words.begin() + long(size));
    cut.shrink_to_fit();
    (void)parse(cut.data(), cut.size()).ok();
  }
}
