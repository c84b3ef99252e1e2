//===- NpyTest.cpp - NumPy's file format ----------------------------------===//
//
// Part of moe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Npy.h"

#include <cstdio>
#include <cstring>
#include <fstream>
#include <gtest/gtest.h>

using namespace moe::run;

/// A version 1 header around a dictionary.
static std::string npy(const std::string &dict) {
  std::string bytes("\x93NUMPY\x01\x00", 8);
  bytes += char(dict.size() & 0xFF);
  bytes += char(dict.size() >> 8);
  return bytes + dict;
}

static std::string errorOf(const std::string &bytes) {
  return parseNpyHeader(bytes).status().message();
}

static std::string errorOfType(const std::string &descr) {
  return errorOf(npy("{'descr': '" + descr +
                     "', 'fortran_order': False, 'shape': (3,), }"));
}

TEST(NpyTest, ReadsTheHeader) {
  std::string bytes =
      npy("{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }    \n");
  Expected<NpyHeader> header = parseNpyHeader(bytes);
  ASSERT_TRUE(header.ok()) << header.status().message();
  EXPECT_EQ(header->type.str(), "3x4xf32");
  EXPECT_EQ(header->dataOffset, bytes.size());
  EXPECT_EQ(parseNpyHeader(
                npy("{'descr': '<i4', 'fortran_order': False, 'shape': (), }"))
                ->type.str(),
            "i32");
}

TEST(NpyTest, OtherTypesAreRefusedWithTheirCast) {
  EXPECT_EQ(errorOfType("<i8"), "expected float32 or int32, but got int64; "
                                "cast it with .astype(numpy.int32)");
  EXPECT_EQ(errorOfType("<u4"), "expected float32 or int32, but got uint32; "
                                "cast it with .astype(numpy.int32)");
  EXPECT_EQ(errorOfType("<f8"), "expected float32 or int32, but got float64; "
                                "cast it with .astype(numpy.float32)");
  EXPECT_EQ(errorOfType("<c8"),
            "expected float32 or int32, but got the type '<c8'");
}

TEST(NpyTest, FortranOrderIsRefused) {
  EXPECT_EQ(
      errorOf(npy("{'descr': '<f4', 'fortran_order': True, 'shape': (3, 4)}")),
      "expected an array in C order, but got Fortran order; store it with "
      "numpy.ascontiguousarray");
}

TEST(NpyTest, DamagedHeadersAreRefused) {
  EXPECT_EQ(errorOf("PK\x03\x04 and more"),
            "expected a .npy file, but got another kind of file");
  for (const char *dict :
       {"", "{}", "{'descr': '<f4'}", "{'descr': [('a', '<f4')]}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (3,",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': "
        "(99999999999999999999999,)}"})
    EXPECT_NE(errorOf(npy(dict)), "") << dict;
  std::string whole =
      npy("{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }");
  for (size_t size = 0; size < whole.size(); ++size)
    EXPECT_NE(errorOf(whole.substr(0, size)), "") << size;
}

TEST(NpyTest, WritesWhatItReads) {
  std::string path = testing::TempDir() + "moe_npy_test.npy";
  Expected<Array> array = Array::create({MOE_TYPE_I32, {2, 3}});
  ASSERT_TRUE(array.ok());
  for (int i = 0; i < 6; ++i)
    array->ints()[i] = i - 3;
  ASSERT_TRUE(writeNpy(path, *array).ok());
  Expected<Array> read = readNpy(path);
  ASSERT_TRUE(read.ok()) << read.status().message();
  EXPECT_EQ(read->type().str(), "2x3xi32");
  EXPECT_EQ(std::memcmp(read->data(), array->data(), 24), 0);

  // A file that ends too soon.
  std::ofstream(path, std::ios::binary | std::ios::app) << "more";
  EXPECT_NE(readNpy(path).status().message().find(
                "expected 24 bytes of data (2x3xi32), but got 28"),
            std::string::npos);
  std::remove(path.c_str());
  EXPECT_FALSE(readNpy(path).ok());
}
