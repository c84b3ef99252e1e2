//===- AliasTest.cpp - Programs with state --------------------------------===//
//
// Part of moe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Bundle/Bundle.h"
#include "Session/Session.h"
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

/// w = 2 w, of eight elements; x[T] is not read.
static std::vector<uint8_t> makeDoubling() {
  BundleWriter writer;
  writer.addKernel("scale", moe::test::readSpirv("scale"), 64, 2, 1);
  writer.beginProgram("step");
  uint32_t x = writer.addBuffer("x", BufferKind::Input, true);
  uint32_t w = writer.addBuffer("w", BufferKind::Input, false, 32);
  writer.addTensor(true, true, 0, x);
  writer.addTensor(true, false, 8, w);
  writer.addTensor(false, false, 8, w);
  writer.addScale(w, w, false, 8);
  writer.addAlias(1, 0);
  writer.endProgram(0);
  return writer.finish(/*seal=*/true);
}

static Argument argument(std::vector<float> &values, bool given = true) {
  Argument result;
  result.data = given ? values.data() : nullptr;
  result.shape = {int64_t(values.size())};
  return result;
}

// Discrete devices stage what goes up and comes down, others do not.
class StateTest : public testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(Staging, StateTest, testing::Bool());

TEST_P(StateTest, StaysOnTheDeviceBetweenRuns) {
  std::vector<uint8_t> bundle = makeDoubling();
  SessionOptions options;
  options.forceStaging = GetParam();
  options.validation = ValidationMode::Synchronization;
  auto session = Session::create(bundle.data(), bundle.size(), options);
  if (!session.ok()) {
    options.validation = ValidationMode::Off;
    session = Session::create(bundle.data(), bundle.size(), options);
  }
  if (!session.ok())
    GTEST_SKIP() << "no Vulkan device";
  std::vector<float> w(8, 3.0f), y(8);
  auto run = [&](size_t length, bool gives, bool takes) {
    std::vector<float> x(length);
    Status status = (*session)->run(0, {argument(x), argument(w, gives)},
                                    {argument(y, takes)});
    EXPECT_TRUE(status.ok()) << status.message();
  };
  run(5, true, true);
  EXPECT_EQ(y, std::vector<float>(8, 6.0f));
  run(9, false, false); // 12
  run(5, false, true);
  EXPECT_EQ(y, std::vector<float>(8, 24.0f));
  EXPECT_EQ(w, std::vector<float>(8, 3.0f));
  run(0, true, false); // new state: 6
  run(700, false, true);
  EXPECT_EQ(y, std::vector<float>(8, 12.0f));
}
