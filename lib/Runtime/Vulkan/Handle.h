//===- Handle.h - Owns one object of a device -------------------*- C++ -*-===//
//
// Part of moe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MOE_RUNTIME_VULKAN_HANDLE_H
#define MOE_RUNTIME_VULKAN_HANDLE_H

#include <utility>
#include <volk.h>

namespace moe::runtime {

/// A VkBuffer, VkFence, … and the function that destroys it; all of these
/// functions have one signature. The device must outlive the handle.
template <typename T> class Handle {
public:
  using Destroy = void(VKAPI_PTR *)(VkDevice, T, const VkAllocationCallbacks *);

  Handle() = default;
  Handle(VkDevice device, T object, Destroy destroy)
      : device(device), object(object), destroy(destroy) {}
  Handle(Handle &&other) noexcept { swap(other); }
  Handle &operator=(Handle &&other) noexcept {
    Handle(std::move(other)).swap(*this);
    return *this;
  }
  ~Handle() {
    if (object)
      destroy(device, object, nullptr);
  }

  T get() const { return object; }
  explicit operator bool() const { return object != VK_NULL_HANDLE; }

private:
  void swap(Handle &other) {
    std::swap(device, other.device);
    std::swap(object, other.object);
    std::swap(destroy, other.destroy);
  }

  VkDevice device = VK_NULL_HANDLE;
  T object = VK_NULL_HANDLE;
  Destroy destroy = nullptr;
};

} // namespace moe::runtime

#endif // MOE_RUNTIME_VULKAN_HANDLE_H
