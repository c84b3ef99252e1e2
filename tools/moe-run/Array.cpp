//===- Array.cpp - An array on the host -----------------------------------===//
//
// Part of moe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Array.h"

#include <cstring>
#include <new>

using namespace moe::run;

/// Larger arrays are taken for a slip of the keyboard.
static constexpr size_t kMaxElements = size_t(1) << 36;

const char *moe::run::nameOf(moe_type type) {
  static const char *const names[] = {"f32", "i32", "f16", "bf16",
                                      "i8",  "u8",  "i64", "i16"};
  return unsigned(type) <= MOE_TYPE_I16 ? names[type] : "unknown";
}

std::string ArrayType::str() const {
  std::string text;
  for (int64_t dim : shape)
    text += dim < 0 ? std::string("?x") : join(dim, "x");
  return text + nameOf(type);
}

Expected<size_t> ArrayType::numElements() const {
  size_t count = 1;
  for (int64_t dim : shape) {
    if (dim == 0)
      return size_t(0);
    if (dim < 0 || size_t(dim) > kMaxElements / count)
      return makeError(Code::InvalidArgument, "expected an array of at most ",
                       kMaxElements, " elements, but got ", str());
    count *= size_t(dim);
  }
  return count;
}

Expected<Array> Array::create(ArrayType type) {
  Array array;
  MOE_ASSIGN_OR_RETURN(array.count, type.numElements());
  array.arrayType = std::move(type);
  array.words.reset(new (std::nothrow) uint32_t[array.count + 1]);
  if (!array.words)
    return makeError(Code::InvalidArgument, "expected memory for ",
                     array.arrayType.str(), ", but there is too little");
  std::memset(array.words.get(), 0, (array.count + 1) * sizeof(uint32_t));
  return array;
}

moe_tensor Array::tensor() const {
  return {sizeof(moe_tensor), data(), arrayType.shape.size(),
          arrayType.shape.data(), arrayType.type};
}
