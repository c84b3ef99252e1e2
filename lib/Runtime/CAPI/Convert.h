//===- Convert.h - Between the C API and the library ------------*- C++ -*-===//
//
// Part of moe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MOE_RUNTIME_CAPI_CONVERT_H
#define MOE_RUNTIME_CAPI_CONVERT_H

#include "Session/Arguments.h"
#include "Support/Status.h"
#include "moe-runtime/runtime.h"

#include <algorithm>
#include <cstring>

struct moe_status {
  moe::runtime::Status status;
};

namespace moe::runtime {

/// Null for success.
inline moe_status *toC(Status status) {
  return status.ok() ? nullptr : new moe_status{std::move(status)};
}

template <typename... Parts> moe_status *invalid(const Parts &...parts) {
  return toC(makeError(Code::InvalidArgument, parts...));
}

/// Writes `value` to a struct of the caller's, which may be an older and
/// shorter one.
template <typename T> void fill(T *target, T value) {
  size_t size = std::min(target->size, sizeof(T));
  value.size = target->size;
  std::memcpy(static_cast<void *>(target), &value, size);
}

/// The caller's arrays; `role` names them in errors. Their structs may be of a
/// newer and longer kind, all of one size.
Expected<std::vector<Argument>> toArguments(const moe_tensor *tensors,
                                            size_t count, const char *role);

} // namespace moe::runtime

#endif // MOE_RUNTIME_CAPI_CONVERT_H
