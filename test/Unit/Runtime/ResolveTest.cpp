//===- ResolveTest.cpp - Programs with numbers in the place of dims -------===//
//
// Part of moe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Session/Resolve.h"
#include "Session/Arguments.h"
#include "TestBundle.h"

#include <gtest/gtest.h>

using namespace moe::runtime;

namespace {
class ResolveTest : public testing::Test {
protected:
  ResolveTest()
      : bytes(moe::test::makeTestBundle(/*seal=*/true)),
        bundle(Bundle::open(bytes.data(), bytes.size())) {}

  const moe::bundle::Program &program(const std::string &name) {
    for (size_t i = 0; i < bundle->numPrograms(); ++i)
      if (bundle->program(i).name()->str() == name)
        return bundle->program(i);
    ADD_FAILURE() << "no program " << name;
    return bundle->program(0);
  }

  Expected<ResolvedProgram> resolve(const std::string &name, int64_t tokens) {
    return moe::runtime::resolve(*bundle, program(name), {tokens}, limits);
  }

  std::string errorOf(const std::string &name, int64_t tokens) {
    return resolve(name, tokens).status().message();
  }

  std::vector<uint8_t> bytes;
  Expected<Bundle> bundle;
  DeviceLimits limits = {1 << 20, 64, {1000, 1000, 1000}};
};
} // namespace

TEST_F(ResolveTest, ExpressionsBecomeNumbers) {
  Expected<ResolvedProgram> resolved = resolve("double", 130);
  ASSERT_TRUE(resolved.ok()) << resolved.status().message();
  EXPECT_EQ(resolved->buffers[0].bytes, 520u);
  ASSERT_EQ(resolved->commands.size(), 1u);
  const auto &dispatch = std::get<ResolvedDispatch>(resolved->commands[0]);
  EXPECT_EQ(dispatch.grid, (std::array<uint32_t, 3>{3, 1, 1}));
  EXPECT_EQ(dispatch.pushConstants, std::vector<uint32_t>{130});
  EXPECT_EQ(dispatch.flops, 130);
  EXPECT_EQ(dispatch.bytes, 1040);
}

TEST_F(ResolveTest, EmptyWorkIsGone) {
  EXPECT_TRUE(resolve("double", 0)->commands.empty());
  // The copy of nothing goes, the fill of the status stays.
  EXPECT_EQ(resolve("checked", 0)->commands.size(), 2u);
}

TEST_F(ResolveTest, OnlySizesWithoutDimsAreStatic) {
  Expected<ResolvedProgram> resolved = resolve("weights", 5);
  EXPECT_FALSE(resolved->buffers[0].isStatic);
  EXPECT_TRUE(resolved->buffers[1].isStatic);
}

TEST_F(ResolveTest, TheStorageRangeIsALimit) {
  limits.maxStorageRange = 400;
  EXPECT_EQ(errorOf("double", 101),
            "expected binding 0 of kernel 'scale' to bind at most 400 bytes of "
            "buffer 'x' (the storage range of the device), but got 404");
}

TEST_F(ResolveTest, TheGridIsALimit) {
  EXPECT_EQ(errorOf("double", 64 * 1000 + 1),
            "expected grid dim 0 of kernel 'scale' to be at most 1000 (the "
            "limit of the device), but got 1001");
}

TEST_F(ResolveTest, TransientsLieInTheArena) {
  EXPECT_EQ(errorOf("quadruple", 1025),
            "expected buffer 'half' to lie in the arena of 4096 bytes, but got "
            "4100 bytes at offset 0");
}

TEST_F(ResolveTest, FaultsAreDescribed) {
  const uint32_t status[] = {1, 0, 13, uint32_t(-7)};
  EXPECT_EQ(describeFault(program("checked"), status),
            "kernel 'check': expected slot 13 (token 6, choice 1) to be 0 or "
            "more, but got -7");
  const uint32_t unknown[] = {1, 9, 0, 0};
  EXPECT_EQ(describeFault(program("checked"), unknown),
            "expected a fault site below 1, but got status {1, 9, 0, 0}");
}
