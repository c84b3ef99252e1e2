//===- StagingTest.cpp - Inputs and outputs through staging buffers -------===//
//
// Part of moe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a discrete device does, on whichever device there is, under
// synchronization validation where the layer is installed.
//
//===----------------------------------------------------------------------===//

#include "Session/Session.h"
#include "TestBundle.h"

#include <gtest/gtest.h>

using namespace moe::runtime;

namespace {
class StagingTest : public testing::Test {
protected:
  void SetUp() override {
    std::vector<uint8_t> bundle = moe::test::makeTestBundle(/*seal=*/true);
    SessionOptions options;
    options.forceStaging = true;
    options.validation = ValidationMode::Synchronization;
    for (ValidationMode mode :
         {ValidationMode::Synchronization, ValidationMode::Off}) {
      options.validation = mode;
      auto created = Session::create(bundle.data(), bundle.size(), options);
      if (created.ok()) {
        session = std::move(*created);
        return;
      }
    }
    GTEST_SKIP() << "no Vulkan device";
  }

  size_t find(const std::string &name) {
    size_t index = 0;
    while (session->content().program(index).name()->str() != name)
      ++index;
    return index;
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

TEST_F(StagingTest, DynamicInputs) {
  for (size_t length : {1, 700, 0, 30}) {
    std::vector<float> x(length, 1.5f), y(length);
    Status status =
        session->run(find("quadruple"), {argument(x)}, {argument(y)});
    ASSERT_TRUE(status.ok()) << status.message();
    EXPECT_EQ(y, std::vector<float>(length, 6.0f));
  }
  EXPECT_EQ(session->counters().submits, 4u);
}

TEST_F(StagingTest, WeightsStay) {
  std::vector<float> x(5), w(8, 2.0f), y(8);
  size_t program = find("weights");
  Status status =
      session->run(program, {argument(x), argument(w)}, {argument(y)});
  ASSERT_TRUE(status.ok()) << status.message();
  x.resize(9);
  Argument kept;
  kept.shape = {8};
  y.assign(8, 0.0f);
  status = session->run(program, {argument(x), kept}, {argument(y)});
  ASSERT_TRUE(status.ok()) << status.message();
  EXPECT_EQ(y, std::vector<float>(8, 4.0f));
}

TEST_F(StagingTest, Constants) {
  std::vector<float> x(1), y(8);
  Status status = session->run(find("constant"), {argument(x)}, {argument(y)});
  ASSERT_TRUE(status.ok()) << status.message();
  EXPECT_EQ(y[7], 14.0f);
}

TEST_F(StagingTest, TheStatusComesDown) {
  std::vector<float> x(3, -1.0f), y(3);
  Status status = session->run(find("checked"), {argument(x)}, {argument(y)});
  EXPECT_EQ(status.code(), Code::RuntimeFault);
  x.assign(3, 1.0f);
  status = session->run(find("checked"), {argument(x)}, {argument(y)});
  ASSERT_TRUE(status.ok()) << status.message();
  EXPECT_EQ(y, x);
}
