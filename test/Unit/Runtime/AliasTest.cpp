//===- AliasTest.cpp - Programs with state --------------------------------===//
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

namespace {
struct Pair {
  uint32_t input;
  uint32_t output;
};

/// Inputs x[T], v[8], w[8] and results y[T], v, w, x: all results but the
/// first are the memory of an input.
std::string errorOf(const std::vector<Pair> &aliases) {
  BundleWriter writer;
  writer.addKernel("scale", moe::test::readSpirv("scale"), 64, 2, 1);
  writer.beginProgram("step");
  uint32_t x = writer.addBuffer("x", BufferKind::Input, true);
  uint32_t v = writer.addBuffer("v", BufferKind::Input, false, 32);
  uint32_t w = writer.addBuffer("w", BufferKind::Input, false, 32);
  uint32_t y = writer.addBuffer("y", BufferKind::Output, true);
  writer.addTensor(true, true, 0, x);
  writer.addTensor(true, false, 8, v);
  writer.addTensor(true, false, 8, w);
  writer.addTensor(false, true, 0, y);
  writer.addTensor(false, false, 8, v);
  writer.addTensor(false, false, 8, w);
  writer.addTensor(false, true, 0, x);
  writer.addScale(x, y, true);
  for (Pair alias : aliases)
    writer.addAlias(alias.input, alias.output);
  writer.endProgram(0);
  std::vector<uint8_t> bytes = writer.finish(/*seal=*/false);
  return Bundle::open(bytes.data(), bytes.size()).status().message();
}
} // namespace

TEST(AliasTest, StateIsAnInputWithTheBufferOfItsOutput) {
  EXPECT_EQ(errorOf({}), "");
  EXPECT_EQ(errorOf({{1, 1}}), "");
  EXPECT_EQ(errorOf({{2, 2}, {1, 1}}), "");
}

TEST(AliasTest, IndicesAreThoseOfTensors) {
  EXPECT_EQ(errorOf({{1, 1}, {3, 2}}),
            "program 'step': alias 1: expected the index of a input below 3, "
            "but got 3");
  EXPECT_EQ(errorOf({{1, 4}}),
            "program 'step': alias 0: expected the index of a output below 4, "
            "but got 4");
}

TEST(AliasTest, EachInputAndOutputIsOfOneAlias) {
  EXPECT_EQ(errorOf({{1, 1}, {1, 2}}),
            "program 'step': alias 1: expected each input and output once, but "
            "got input 1 and output 2 again");
  EXPECT_EQ(errorOf({{1, 1}, {2, 1}}),
            "program 'step': alias 1: expected each input and output once, but "
            "got input 2 and output 1 again");
}

TEST(AliasTest, BothHaveOneBuffer) {
  EXPECT_EQ(errorOf({{1, 2}}),
            "program 'step': alias 0: expected input 1 and output 2 to have "
            "one buffer, but got 1 and 2");
  EXPECT_EQ(errorOf({{1, 0}}),
            "program 'step': alias 0: expected input 1 and output 0 to have "
            "one buffer, but got 1 and 3");
}

// An input of dynamic size does not stay on the device.
TEST(AliasTest, StateHasAStaticSize) {
  EXPECT_EQ(errorOf({{0, 3}}),
            "program 'step': alias 0: expected bytes of state to be constant, "
            "but got a value that depends on a dim");
}
