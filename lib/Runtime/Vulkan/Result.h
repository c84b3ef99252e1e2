//===- Result.h - VkResult to Status ----------------------------*- C++ -*-===//
//
// Part of moe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MOE_RUNTIME_VULKAN_RESULT_H
#define MOE_RUNTIME_VULKAN_RESULT_H

#include "Support/Status.h"

#include <volk.h>

namespace moe::runtime {

/// The name of a VkResult as the specification spells it.
const char *nameOf(VkResult result);

/// Success for VK_SUCCESS; else a device error: "<call> failed with
/// VK_ERROR_…". `context`, when it is given, says for what the call was made.
Status check(VkResult result, const char *call,
             const std::string &context = std::string());

} // namespace moe::runtime

#endif // MOE_RUNTIME_VULKAN_RESULT_H
