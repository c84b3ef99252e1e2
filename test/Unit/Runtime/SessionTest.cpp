//===- SessionTest.cpp - Programs that run on a device --------------------===//
//
// Part of moe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestBundle.h"
#include "moe-runtime/runtime.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace {
/// An error, destroyed at the end of the test's statement.
struct Result {
  moe_status_code code;
  std::string message;
};

Result take(moe_status *status) {
  Result result = {moe_status_get_code(status), moe_status_message(status)};
  moe_status_destroy(status);
  return result;
}

/// A session of the test bundle. The tests are skipped without a device.
class SessionTest : public testing::Test {
protected:
  void SetUp() override {
    moe_device_list *devices = nullptr;
    Result listed = take(moe_devices_enumerate(&devices));
    bool none = listed.code != MOE_STATUS_OK || !moe_device_list_count(devices);
    moe_device_list_destroy(devices);
    if (none)
      GTEST_SKIP() << "no Vulkan device";
    std::vector<uint8_t> bundle = moe::test::makeTestBundle(/*seal=*/true);
    moe_session_options options = {sizeof(options), -1, nullptr,
                                   MOE_VALIDATION_OFF, /*profile=*/1};
    Result created = take(
        moe_session_create(bundle.data(), bundle.size(), &options, &session));
    ASSERT_EQ(created.code, MOE_STATUS_OK) << created.message;
  }
  void TearDown() override { moe_session_destroy(session); }

  size_t find(const char *name) {
    size_t program = 0;
    EXPECT_EQ(take(moe_session_find_program(session, name, &program)).code,
              MOE_STATUS_OK);
    return program;
  }

  /// Runs a program of inputs of rank 1 and one output of rank 1.
  Result run(const char *name, std::vector<std::vector<float> *> inputs,
             std::vector<float> &output) {
    std::vector<int64_t> shapes;
    for (std::vector<float> *input : inputs)
      shapes.push_back(int64_t(input->size()));
    std::vector<moe_tensor> tensors;
    for (size_t i = 0; i < inputs.size(); ++i)
      tensors.push_back(
          {sizeof(moe_tensor), inputs[i]->data(), 1, &shapes[i], MOE_TYPE_F32});
    return runTensors(name, tensors, output);
  }

  Result runTensors(const char *name, const std::vector<moe_tensor> &tensors,
                    std::vector<float> &output) {
    int64_t length = int64_t(output.size());
    moe_tensor result = {sizeof(result), output.data(), 1, &length,
                         MOE_TYPE_F32};
    return take(moe_session_run(session, find(name), tensors.data(),
                                tensors.size(), &result, 1));
  }

  moe_statistics statistics() {
    moe_statistics result = {sizeof(result)};
    moe_session_statistics(session, &result);
    return result;
  }

  moe_session *session = nullptr;
};

std::vector<float> ramp(size_t length) {
  std::vector<float> values(length);
  for (size_t i = 0; i < length; ++i)
    values[i] = float(i) + 0.5f;
  return values;
}
} // namespace

TEST_F(SessionTest, OneSessionRunsEveryLength) {
  uint64_t pipelines = statistics().pipelines;
  EXPECT_EQ(pipelines, 2u);
  for (size_t length : {7, 513, 0, 1, 7, 100000}) {
    std::vector<float> x = ramp(length), y(length);
    Result result = run("double", {&x}, y);
    ASSERT_EQ(result.code, MOE_STATUS_OK) << result.message;
    for (size_t i = 0; i < length; ++i)
      ASSERT_EQ(y[i], 2 * x[i]) << "element " << i << " of " << length;
  }
  moe_statistics after = statistics();
  EXPECT_EQ(after.pipelines, pipelines);
  EXPECT_EQ(after.submits, 6u);
  EXPECT_EQ(after.waits, 6u);
}

TEST_F(SessionTest, ARecordingIsReplayed) {
  std::vector<float> x = ramp(64), y(64);
  run("double", {&x}, y);
  uint64_t recordings = statistics().recordings;
  x = ramp(64);
  x[3] = -4;
  run("double", {&x}, y);
  EXPECT_EQ(statistics().recordings, recordings);
  EXPECT_EQ(y[3], -8);
}

TEST_F(SessionTest, TransientsAndIndirectGrids) {
  std::vector<float> x = ramp(700), y(700);
  Result result = run("quadruple", {&x}, y);
  ASSERT_EQ(result.code, MOE_STATUS_OK) << result.message;
  EXPECT_EQ(y[0], 4 * x[0]);
  EXPECT_EQ(y[699], 4 * x[699]);
}

TEST_F(SessionTest, AnInputStaysOnTheDevice) {
  std::vector<float> x = ramp(3), w = ramp(8), y(8);
  ASSERT_EQ(run("weights", {&x, &w}, y).code, MOE_STATUS_OK);
  std::vector<float> longer = ramp(500);
  int64_t length = 500, eight = 8;
  moe_tensor kept = {sizeof(kept), nullptr, 1, &eight, MOE_TYPE_F32};
  moe_tensor other = {sizeof(other), longer.data(), 1, &length, MOE_TYPE_F32};
  y.assign(8, 0);
  Result result = runTensors("weights", {other, kept}, y);
  ASSERT_EQ(result.code, MOE_STATUS_OK) << result.message;
  EXPECT_EQ(y[7], 2 * w[7]);
}

TEST_F(SessionTest, AnOutputWithoutDataIsNotCopied) {
  std::vector<float> x = ramp(4);
  int64_t length = 4;
  moe_tensor in = {sizeof(in), x.data(), 1, &length, MOE_TYPE_F32};
  moe_tensor out = {sizeof(out), nullptr, 1, &length, MOE_TYPE_F32};
  EXPECT_EQ(
      take(moe_session_run(session, find("double"), &in, 1, &out, 1)).code,
      MOE_STATUS_OK);
  in.size = 4;
  EXPECT_EQ(
      take(moe_session_run(session, find("double"), &in, 1, &out, 1)).message,
      "expected the size of input 0 to be that of moe_tensor, 40, but got 4");
}

TEST_F(SessionTest, AnInputThatWasNeverGivenIsMissed) {
  int64_t length = 3;
  moe_tensor x = {sizeof(x), nullptr, 1, &length, MOE_TYPE_F32};
  std::vector<float> y(3);
  Result result = runTensors("double", {x}, y);
  EXPECT_EQ(result.code, MOE_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(result.message,
            "expected data of input 0, but got none, and no earlier run has "
            "left it on the device");
}

TEST_F(SessionTest, ConstantsAreThere) {
  std::vector<float> x = ramp(1), y(8);
  ASSERT_EQ(run("constant", {&x}, y).code, MOE_STATUS_OK);
  EXPECT_EQ(y[7], 14);
}

TEST_F(SessionTest, AFaultIsAnErrorOfItsRunOnly) {
  std::vector<float> x = {-3, 1}, y(2);
  Result result = run("checked", {&x}, y);
  EXPECT_EQ(result.code, MOE_STATUS_RUNTIME_FAULT);
  EXPECT_EQ(result.message,
            "kernel 'check': expected slot 5 (token 2, choice 1) to be 0 or "
            "more, but got -3");
  x = {3, 1};
  EXPECT_EQ(run("checked", {&x}, y).code, MOE_STATUS_OK);
  EXPECT_EQ(y[0], 3);
}

TEST_F(SessionTest, WrongArgumentsAreNamed) {
  std::vector<float> x = ramp(4), w = ramp(9), y(8);
  EXPECT_EQ(run("weights", {&x, &w}, y).message,
            "expected dim 0 of input 1 to equal 8, but got 9");
  EXPECT_EQ(run("weights", {&x}, y).message,
            "expected 2 inputs of program 'weights', but got 1");
  EXPECT_EQ(run("double", {&x}, y).message,
            "expected dim 0 of output 0 to equal 4 (dim 0 of input 0), but got "
            "8");
  int64_t shape[] = {4, 4};
  moe_tensor matrix = {sizeof(matrix), x.data(), 2, shape, MOE_TYPE_F32};
  EXPECT_EQ(runTensors("double", {matrix}, y).message,
            "expected input 0 to have rank 1, but got 2");
  moe_tensor ints = {sizeof(ints), x.data(), 1, shape, MOE_TYPE_I32};
  EXPECT_EQ(runTensors("double", {ints}, y).message,
            "expected input 0 to be f32, but got i32");
}

TEST_F(SessionTest, AssertsAreCheckedBeforeTheRun) {
  int64_t length = (1 << 20) + 1;
  moe_tensor x = {sizeof(x), nullptr, 1, &length, MOE_TYPE_F32};
  int64_t shape = 0;
  Result result =
      take(moe_session_output_shape(session, find("double"), &x, 1, 0, &shape));
  EXPECT_EQ(result.message, "expected dim 0 of input 0 to be at most 1048576, "
                            "but got 1048577");
}

TEST_F(SessionTest, ProgramsDescribeThemselves) {
  moe_program_info info = {sizeof(info)};
  ASSERT_EQ(take(moe_session_program(session, find("weights"), &info)).code,
            MOE_STATUS_OK);
  EXPECT_STREQ(info.name, "weights");
  ASSERT_EQ(info.num_inputs, 2u);
  EXPECT_EQ(info.inputs[0].shape[0], -1);
  EXPECT_EQ(info.inputs[1].shape[0], 8);
  EXPECT_EQ(info.num_outputs, 1u);
  size_t program = 0;
  EXPECT_EQ(take(moe_session_find_program(session, "none", &program)).message,
            "expected an entry of the bundle ('double', 'quadruple', 'hazard', "
            "'weights', 'constant', 'checked', 'outside'), but got 'none'");
}

TEST_F(SessionTest, DispatchesAreTimed) {
  std::vector<float> x = ramp(64), y(64);
  ASSERT_EQ(run("quadruple", {&x}, y).code, MOE_STATUS_OK);
  moe_timings timings = {sizeof(timings)};
  ASSERT_EQ(take(moe_session_timings(session, &timings)).code, MOE_STATUS_OK);
  ASSERT_EQ(timings.count, 2u);
  EXPECT_STREQ(timings.dispatches[0].kernel, "scale");
  EXPECT_STREQ(timings.dispatches[1].label, "indirect y = 2 x");
  EXPECT_EQ(timings.dispatches[0].flops, 64);
  EXPECT_EQ(timings.arena_bytes, 4096u);
  EXPECT_GE(timings.device_milliseconds, timings.dispatches[0].milliseconds);
}

// More tuples of dims than recordings are kept, in pools that grow.
TEST_F(SessionTest, RecordingsComeAndGo) {
  for (int round = 0; round < 2; ++round) {
    for (size_t length = 1; length < 900; length += 60) {
      std::vector<float> x = ramp(length), y(length);
      Result result = run("quadruple", {&x}, y);
      ASSERT_EQ(result.code, MOE_STATUS_OK) << result.message;
      ASSERT_EQ(y[length - 1], 4 * x[length - 1]);
    }
  }
}
