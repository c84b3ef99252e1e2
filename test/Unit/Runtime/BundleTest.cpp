//===- BundleTest.cpp - Reading bundles that may be damaged ---------------===//
//
// Part of moe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Bundle/Bundle.h"
#include "TestBundle.h"

#include <gtest/gtest.h>

using namespace moe::runtime;
using moe::bundle::BufferKind;
using moe::test::BundleWriter;

static Expected<Bundle> open(const std::vector<uint8_t> &bytes) {
  return Bundle::open(bytes.data(), bytes.size());
}

static std::string errorOf(const std::vector<uint8_t> &bytes) {
  return open(bytes).status().message();
}

namespace {
/// A bundle of one program y = 2 x, with the kernel as `spirv` and the rest
/// says.
std::vector<uint8_t> makeDouble(uint32_t workgroup, uint32_t bindings,
                                uint32_t pushConstants, uint32_t yBuffer = 1,
                                uint32_t version = 1) {
  BundleWriter writer;
  writer.addKernel("scale", moe::test::readSpirv("scale"), workgroup, bindings,
                   pushConstants);
  writer.beginProgram("double");
  uint32_t x = writer.addBuffer("x", BufferKind::Input, true);
  writer.addBuffer("y", BufferKind::Output, true);
  writer.addTensor(true, true, 0, x);
  writer.addTensor(false, true, 0, 1);
  writer.addScale(x, yBuffer, true);
  writer.endProgram(0);
  return writer.finish(/*seal=*/false, version);
}
} // namespace

TEST(BundleTest, OpensAWellFormedBundle) {
  for (bool sealed : {false, true}) {
    Expected<Bundle> bundle = open(moe::test::makeTestBundle(sealed));
    ASSERT_TRUE(bundle.ok()) << bundle.status().message();
    EXPECT_EQ(bundle->numKernels(), 2u);
    EXPECT_EQ(bundle->numPrograms(), 7u);
    EXPECT_EQ(bundle->program(0).name()->str(), "double");
    EXPECT_EQ(bundle->module(0).capabilities, std::vector<uint32_t>{1});
  }
}

TEST(BundleTest, OtherFilesAreRefused) {
  EXPECT_EQ(errorOf({}), "expected a bundle of 16 bytes or more, but got 0");
  EXPECT_EQ(errorOf(std::vector<uint8_t>(100, 'a')),
            "expected a bundle (file identifier MOEB), but got another kind of "
            "file");
}

TEST(BundleTest, OtherVersionsAreRefused) {
  EXPECT_EQ(errorOf(makeDouble(64, 2, 1, 1, 2)),
            "expected bundle version 1, but got 2");
}

TEST(BundleTest, WorkgroupSizeIsThatOfTheSpirv) {
  EXPECT_EQ(errorOf(makeDouble(32, 2, 1)),
            "kernel 'scale': expected workgroup size 64 in dim 0 (LocalSize of "
            "the entry point), but got 32");
}

TEST(BundleTest, CommandsAgreeWithTheirKernels) {
  EXPECT_EQ(errorOf(makeDouble(64, 3, 1)),
            "program 'double': command 0 (kernel 'scale'): expected 3 bindings,"
            " but got 2");
  EXPECT_EQ(errorOf(makeDouble(64, 2, 4)),
            "program 'double': command 0 (kernel 'scale'): expected 4 push "
            "constants, but got 1");
  EXPECT_EQ(errorOf(makeDouble(64, 2, 1, 9)),
            "program 'double': command 0 (kernel 'scale'): expected the index "
            "of a buffer below 2, but got 9");
}

TEST(BundleTest, TheSealFindsEveryFlippedBit) {
  std::vector<uint8_t> bytes = moe::test::makeTestBundle(/*seal=*/true);
  for (size_t at = 0; at < bytes.size(); at += 7) {
    std::vector<uint8_t> damaged = bytes;
    damaged[at] ^= uint8_t(1u << (at % 8));
    EXPECT_FALSE(open(damaged).ok()) << "at byte " << at;
  }
}

TEST(BundleTest, EveryTruncationIsRefused) {
  std::vector<uint8_t> bytes = moe::test::makeTestBundle(/*seal=*/true);
  for (size_t size = 0; size < bytes.size(); size += 3)
    EXPECT_FALSE(open({bytes.begin(), bytes.begin() + long(size)}).ok())
        << "of " << size << " bytes";
}

// Without a seal damage may go unnoticed, but the reader never leaves the file.
TEST(BundleTest, UnsealedDamageNeverCrashes) {
  std::vector<uint8_t> bytes = moe::test::makeTestBundle(/*seal=*/false);
  for (size_t at = 0; at < bytes.size(); ++at) {
    for (uint8_t value : {0x00, 0x01, 0x7F, 0x80, 0xFF}) {
      std::vector<uint8_t> damaged = bytes;
      damaged[at] = value;
      (void)open(damaged).ok();
    }
  }
}

TEST(BundleTest, UnsealedWordsOfGarbageNeverCrash) {
  std::vector<uint8_t> bytes = moe::test::makeTestBundle(/*seal=*/false);
  uint32_t state = 12345;
  for (int round = 0; round < 20000; ++round) {
    std::vector<uint8_t> damaged = bytes;
    for (int i = 0; i < 4; ++i) {
      state = state * 1664525u + 1013904223u;
      damaged[state % damaged.size()] = uint8_t(state >> 24);
    }
    (void)open(damaged).ok();
  }
}
