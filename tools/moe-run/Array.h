//===- Array.h - An array on the host ---------------------------*- C++ -*-===//
//
// Part of moe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MOE_TOOLS_MOE_RUN_ARRAY_H
#define MOE_TOOLS_MOE_RUN_ARRAY_H

#include "Support/Status.h"
#include "moe-runtime/runtime.h"

#include <memory>
#include <string>
#include <vector>

namespace moe::run {

using runtime::Code;
using runtime::Expected;
using runtime::join;
using runtime::makeError;
using runtime::Status;

/// Type and shape, as "512x1024xf32" spells them. The tool handles f32 and i32.
struct ArrayType {
  moe_type type = MOE_TYPE_F32;
  std::vector<int64_t> shape;

  std::string str() const;
  /// The number of elements; an error when their bytes do not fit in memory.
  Expected<size_t> numElements() const;
};

/// A dense row-major array of 32-bit elements.
class Array {
public:
  /// The elements are zeros.
  static Expected<Array> create(ArrayType type);

  const ArrayType &type() const { return arrayType; }
  size_t size() const { return count; }
  float *floats() const { return reinterpret_cast<float *>(words.get()); }
  int32_t *ints() const { return reinterpret_cast<int32_t *>(words.get()); }
  /// Never null, so that the array of an empty tensor has an address too.
  void *data() const { return words.get(); }
  moe_tensor tensor() const;

private:
  ArrayType arrayType;
  size_t count = 0;
  std::unique_ptr<uint32_t[]> words;
};

/// "f32", "i32", …
const char *nameOf(moe_type type);

} // namespace moe::run

#endif // MOE_TOOLS_MOE_RUN_ARRAY_H
