//===- GuardsTest.cpp - Guards around buffers -----------------------------===//
//
// Part of moe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// With inputs and outputs in unified memory, where there is such, and through
// staging buffers.
//
//===----------------------------------------------------------------------===//

#include "Session/Session.h"
#include "TestBundle.h"

#include <gtest/gtest.h>

using namespace moe::runtime;

namespace {
class GuardsTest : public testing::TestWithParam<bool> {
protected:
  void SetUp() override {
    std::vector<uint8_t> bundle = moe::test::makeTestBundle(/*seal=*/true);
    SessionOptions options;
    options.guardBytes = 64;
    options.forceStaging = GetParam();
    auto created = Session::create(bundle.data(), bundle.size(), options);
    if (!created.ok())
      GTEST_SKIP() << created.status().message();
    session = std::move(*created);
  }

  Status run(const std::string &name, std::vector<float> &x,
             std::vector<float> &y) {
    size_t index = 0;
    while (session->content().program(index).name()->str() != name)
      ++index;
    return session->run(index, {argument(x)}, {argument(y)});
  }

  static Argument argument(std::vector<float> &values) {
    Argument result;
    result.data = values.data();
    result.shape = {int64_t(values.size())};
    return result;
  }

  std::unique_ptr<Session> session;
};
} // namespace

INSTANTIATE_TEST_SUITE_P(Memory, GuardsTest, testing::Bool(),
                         [](const auto &info) {
                           return info.param ? "Staging" : "AnyMemory";
                         });

TEST_P(GuardsTest, RightProgramsAreAsWithoutThem) {
  for (size_t length : {1, 700, 0, 30, 700}) {
    std::vector<float> x(length, 1.5f), y(length);
    Status status = run("quadruple", x, y);
    ASSERT_TRUE(status.ok()) << status.message();
    EXPECT_EQ(y, std::vector<float>(length, 6.0f));
  }
  std::vector<float> x(1), y(8);
  Status status = run("constant", x, y);
  ASSERT_TRUE(status.ok()) << status.message();
  EXPECT_EQ(y[7], 14.0f);
}

TEST_P(GuardsTest, AWriteOutsideIsAnErrorOfThatRun) {
  std::vector<float> y(4);
  for (size_t length : {5, 4, 40, 4}) {
    std::vector<float> x(length, 1.0f);
    Status status = run("outside", x, y);
    if (length == 4) {
      ASSERT_TRUE(status.ok()) << status.message();
      EXPECT_EQ(y, std::vector<float>(4, 2.0f));
      continue;
    }
    EXPECT_EQ(status.code(), Code::Validation);
    EXPECT_EQ(status.message(),
              "kernel 'scale' of program 'outside': expected to write inside "
              "of buffer 'y' of 16 bytes, but got a write to byte 16");
  }
}
