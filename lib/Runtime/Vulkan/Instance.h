//===- Instance.h - The connection to Vulkan --------------------*- C++ -*-===//
//
// Part of moe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MOE_RUNTIME_VULKAN_INSTANCE_H
#define MOE_RUNTIME_VULKAN_INSTANCE_H

#include "Support/Status.h"

#include <memory>
#include <mutex>
#include <string>
#include <vector>
#include <volk.h>

namespace moe::runtime {

enum class ValidationMode { Off, On, Synchronization, GPUAssisted };

/// What the validation layer has said. Layers may call from any thread.
class MessageLog {
public:
  void add(std::string message);
  size_t size() const;
  std::string at(size_t index) const;

private:
  mutable std::mutex mutex;
  std::vector<std::string> messages;
};

/// A VkInstance, and the messenger that collects the warnings and errors of its
/// validation layer.
class Instance {
public:
  static Expected<std::unique_ptr<Instance>> create(ValidationMode validation);
  ~Instance();
  Instance(const Instance &) = delete;
  Instance &operator=(const Instance &) = delete;

  VkInstance get() const { return instance; }
  /// Null unless the instance validates: names are for its messages.
  PFN_vkSetDebugUtilsObjectNameEXT setObjectName() const { return setName; }
  const MessageLog &messages() const { return log; }

  Expected<std::vector<VkPhysicalDevice>> physicalDevices() const;

private:
  Instance() = default;
  Status createMessenger(const VkDebugUtilsMessengerCreateInfoEXT &info);

  MessageLog log;
  VkInstance instance = VK_NULL_HANDLE;
  VkDebugUtilsMessengerEXT messenger = VK_NULL_HANDLE;
  PFN_vkDestroyDebugUtilsMessengerEXT destroyMessenger = nullptr;
  PFN_vkSetDebugUtilsObjectNameEXT setName = nullptr;
};

} // namespace moe::runtime

#endif // MOE_RUNTIME_VULKAN_INSTANCE_H
