//===- MoeRunTest.cpp - Inputs, comparison and options of moe-run ---------===//
//
// Part of moe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Compare.h"
#include "Input.h"
#include "Options.h"
#include "Random.h"
#include "Report.h"

#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <limits>

using namespace moe::run;

static std::string errorOfInput(const std::string &text) {
  return Input::parse(text).status().message();
}

static Array makeArray(const std::vector<float> &values) {
  Expected<Array> array =
      Array::create({MOE_TYPE_F32, {int64_t(values.size())}});
  for (size_t i = 0; i < values.size(); ++i)
    array->floats()[i] = values[i];
  return std::move(*array);
}

//===----------------------------------------------------------------------===//
// Inputs
//===----------------------------------------------------------------------===//

TEST(InputTest, RulesFillArrays) {
  Expected<Array> list = Input::parse("2x2xi32=0,1,-2,3")->load();
  EXPECT_EQ(list->type().str(), "2x2xi32");
  EXPECT_EQ(list->ints()[2], -2);
  EXPECT_EQ(Input::parse("4xf32=ones")->load()->floats()[3], 1.0f);
  EXPECT_EQ(Input::parse("4xf32=0.5")->load()->floats()[3], 0.5f);
  EXPECT_EQ(Input::parse("3x2xi32=range")->load()->ints()[5], 5);
  EXPECT_EQ(Input::parse("f32=7")->load()->type().str(), "f32");
  EXPECT_EQ(Input::parse("0x8xf32=random(1)")->load()->size(), 0u);
}

TEST(InputTest, ErrorsSayWhatWasExpected) {
  EXPECT_EQ(errorOfInput("2x2xi32=0,1"),
            "expected 4 numbers for 2x2xi32, but got 2");
  EXPECT_EQ(errorOfInput("2xi32=0.5"),
            "expected an integer of 32 bits, but got '0.5'");
  EXPECT_EQ(errorOfInput("2xi32=random(7)"),
            "expected f32 for random numbers, but got 2xi32");
  EXPECT_EQ(errorOfInput("2xf32=random(x)"),
            "expected a seed of 64 bits, but got 'x'");
  EXPECT_EQ(errorOfInput("2xf32="), "expected random(SEED), zeros, ones, range "
                                    "or numbers, but got ''");
  EXPECT_EQ(errorOfInput("2x3xf16=0"),
            "expected a type like 4x8xf32 or 4xi32, but got '2x3xf16'");
  EXPECT_EQ(errorOfInput("no/such.npy"),
            "'no/such.npy': expected a file that can be read, but got none");
  EXPECT_NE(Input::parse("999999999999x999999999999xf32=zeros")
                ->load()
                .status()
                .message(),
            "");
}

// Values of the stream of seed 7; test/Python/test_random.py has the same.
TEST(RandomTest, TheStreamIsFixed) {
  const struct {
    uint64_t index;
    uint32_t bits;
  } golden[] = {{0, 0x3f165b1c}, {1, 0xbf817815},    {2, 0x3f92d979},
                {3, 0x3fdd0f46}, {1000, 0xbde5769f}, {999999, 0x3f567cb5}};
  for (const auto &entry : golden) {
    float value = float(normal(7, entry.index));
    uint32_t bits;
    std::memcpy(&bits, &value, 4);
    EXPECT_EQ(bits, entry.bits) << entry.index;
  }
}

TEST(RandomTest, TheQuantileIsThatOfTheNormalDistribution) {
  EXPECT_EQ(ppnd16(0.5), 0.0);
  EXPECT_NEAR(ppnd16(0.975), 1.959963984540054, 1e-15);
  EXPECT_NEAR(ppnd16(1e-20), -9.262340089798408, 1e-14);
  EXPECT_EQ(ppnd16(0.25), -ppnd16(0.75));
  EXPECT_TRUE(std::isfinite(ppnd16(1.0)));
  for (double x = 1e-300; x < 1e300; x *= 3.7)
    EXPECT_NEAR(portableLog(x), std::log(x),
                1e-13 + 1e-15 * std::fabs(std::log(x)));
}

//===----------------------------------------------------------------------===//
// Comparison
//===----------------------------------------------------------------------===//

TEST(CompareTest, TheWorstElementIsNamed) {
  Array got = makeArray({1, 2, 3.5, 4.1f}), expected = makeArray({1, 2, 3, 4});
  Difference difference = compare(got, expected, {1e-5, 1e-6});
  EXPECT_EQ(difference.count, 2u);
  EXPECT_EQ(
      describe(difference, got, expected),
      "2 of 4 elements differ, the worst at [2]: expected 3, but got 3.5");
  EXPECT_EQ(compare(got, expected, {0, 0.5}).count, 0u);
  EXPECT_EQ(compare(got, expected, {0.2, 0}).count, 0u);
}

TEST(CompareTest, NaNAndInfinityAgreeWithThemselvesOnly) {
  float nan = std::numeric_limits<float>::quiet_NaN(),
        infinity = std::numeric_limits<float>::infinity();
  Array specials = makeArray({nan, infinity, -infinity});
  EXPECT_EQ(compare(specials, specials, {}).count, 0u);
  Array others = makeArray({0, -infinity, 1e30f});
  EXPECT_EQ(compare(specials, others, {1e10, 1e10}).count, 3u);
  EXPECT_EQ(compare(others, specials, {1e10, 1e10}).count, 3u);
}

TEST(CompareTest, IndicesAreRowMajor) {
  EXPECT_EQ(indexOf(23, {2, 3, 4}), "[1, 2, 3]");
  EXPECT_EQ(indexOf(0, {}), "[]");
}

//===----------------------------------------------------------------------===//
// Options and reports
//===----------------------------------------------------------------------===//

TEST(OptionsTest, ValuesAreStored) {
  Expected<Options> options = parseOptions(
      {"f.moeb", "--entry=layer", "--input", "a.npy", "--input=b.npy",
       "--rtol=1e-3", "--repeat=5", "--validate=sync", "--profile"});
  ASSERT_TRUE(options.ok()) << options.status().message();
  EXPECT_EQ(options->file, "f.moeb");
  EXPECT_EQ(options->inputs, (std::vector<std::string>{"a.npy", "b.npy"}));
  EXPECT_EQ(options->tolerance.relative, 1e-3);
  EXPECT_EQ(options->repeat, 5u);
  EXPECT_EQ(options->validation, MOE_VALIDATION_SYNC);
  EXPECT_TRUE(options->profile);
}

TEST(OptionsTest, BadUsageIsNamed) {
  auto errorOf = [](const std::vector<std::string> &arguments) {
    return parseOptions(arguments).status().message();
  };
  EXPECT_EQ(errorOf({}), "expected a bundle or a .mlir file, but got none; "
                         "--help tells more");
  EXPECT_EQ(errorOf({"f", "--bad"}),
            "unknown option '--bad'; --help lists them");
  EXPECT_EQ(errorOf({"f", "g"}), "expected one file, but got 'f' and 'g'");
  EXPECT_EQ(errorOf({"f", "--repeat=0"}), "expected --repeat=N, but got '0'");
  EXPECT_EQ(errorOf({"f", "--validate=yes"}),
            "expected --validate=on|sync|gpu, but got 'yes'");
  EXPECT_EQ(errorOf({"f", "--profile=1"}),
            "expected no value of --profile, but got '1'");
  EXPECT_EQ(errorOf({"f", "--input"}),
            "expected --input=VALUE, but got no value");
}

TEST(ReportTest, TheTableIsAligned) {
  moe_timing dispatches[] = {{"scale", "y = 2 x", 0, 1, 2e9, 0},
                             {"k", "z", 1, 3, 0, 4e6}};
  moe_timings timings = {sizeof(timings), 5, 64, 2, dispatches};
  Measurements measurements;
  measurements.add(6, timings);
  EXPECT_EQ(measurements.table(), "dispatch    kernel      ms  GFLOP/s  GB/s\n"
                                  "y = 2 x     scale   1.0000  2000.00     -\n"
                                  "z           k       3.0000        -  1.33\n"
                                  "total of 2          4.0000   500.00  1.00\n"
                                  "arena 64 bytes\n");
  EXPECT_EQ(measurements.summary(), "wall 6.000 ms, device 5.000 ms (one run)");
  EXPECT_EQ(median({3, 1, 2, 10}), 2.5);
}
