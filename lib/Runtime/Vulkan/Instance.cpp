//===- Instance.cpp - The connection to Vulkan ----------------------------===//
//
// Part of moe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Vulkan/Instance.h"
#include "Vulkan/Result.h"

#include <algorithm>
#include <cstring>

using namespace moe::runtime;

static constexpr const char *kValidationLayer = "VK_LAYER_KHRONOS_validation";

void MessageLog::add(std::string message) {
  std::lock_guard<std::mutex> lock(mutex);
  messages.push_back(std::move(message));
}

size_t MessageLog::size() const {
  std::lock_guard<std::mutex> lock(mutex);
  return messages.size();
}

std::string MessageLog::at(size_t index) const {
  std::lock_guard<std::mutex> lock(mutex);
  return index < messages.size() ? messages[index] : std::string();
}

/// Opens libvulkan once per process, whichever thread asks first.
static Status openLoader() {
  static const VkResult opened = volkInitialize();
  if (opened != VK_SUCCESS)
    return makeError(Code::Device, "expected the Vulkan loader (libvulkan.so.1)"
                                   " to be installed, but it cannot be opened");
  if (volkGetInstanceVersion() < VK_API_VERSION_1_1)
    return makeError(Code::Device,
                     "expected a Vulkan loader of version 1.1 or newer, but "
                     "got 1.0");
  return Status();
}

/// Loads the functions of core Vulkan, once: they are the loader's own and find
/// the instance by their argument. Functions of extensions do not exist in
/// every instance, so each instance holds those that it uses.
static void loadCoreFunctions(VkInstance instance) {
  static const bool loaded = (volkLoadInstanceOnly(instance), true);
  (void)loaded;
}

template <typename Function>
static void loadExtension(VkInstance instance, const char *name,
                          Function &function) {
  function = reinterpret_cast<Function>(vkGetInstanceProcAddr(instance, name));
}

static Status requireValidationLayer() {
  uint32_t count = 0;
  vkEnumerateInstanceLayerProperties(&count, nullptr);
  std::vector<VkLayerProperties> layers(count);
  vkEnumerateInstanceLayerProperties(&count, layers.data());
  for (const VkLayerProperties &layer : layers)
    if (std::strcmp(layer.layerName, kValidationLayer) == 0)
      return Status();
  return makeError(Code::Device, "validation needs the layer ",
                   kValidationLayer, ", which is not installed");
}

static VKAPI_ATTR VkBool32 VKAPI_CALL collectMessage(
    VkDebugUtilsMessageSeverityFlagBitsEXT, VkDebugUtilsMessageTypeFlagsEXT,
    const VkDebugUtilsMessengerCallbackDataEXT *data, void *log) {
  std::string text = data->pMessage ? data->pMessage : "";
  std::replace(text.begin(), text.end(), '\n', ' ');
  static_cast<MessageLog *>(log)->add(std::move(text));
  return VK_FALSE;
}

static VkDebugUtilsMessengerCreateInfoEXT messengerInfo(MessageLog &log) {
  VkDebugUtilsMessengerCreateInfoEXT info = {
      VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT};
  info.messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT |
                         VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT;
  // General messages are the loader's own, about other drivers on the machine.
  info.messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT |
                     VK_DEBUG_UTILS_MESSAGE_TYPE_PERFORMANCE_BIT_EXT;
  info.pfnUserCallback = collectMessage;
  info.pUserData = &log;
  return info;
}

static std::vector<VkValidationFeatureEnableEXT>
featuresOf(ValidationMode mode) {
  switch (mode) {
  case ValidationMode::Synchronization:
    return {VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT};
  case ValidationMode::GPUAssisted:
    return {VK_VALIDATION_FEATURE_ENABLE_GPU_ASSISTED_EXT,
            VK_VALIDATION_FEATURE_ENABLE_GPU_ASSISTED_RESERVE_BINDING_SLOT_EXT};
  case ValidationMode::Off:
  case ValidationMode::On:
    break;
  }
  return {};
}

Expected<std::unique_ptr<Instance>> Instance::create(ValidationMode mode) {
  MOE_RETURN_IF_ERROR(openLoader());
  std::unique_ptr<Instance> result(new Instance());

  VkApplicationInfo application = {VK_STRUCTURE_TYPE_APPLICATION_INFO};
  application.pEngineName = "moe";
  application.apiVersion =
      std::min<uint32_t>(volkGetInstanceVersion(), VK_API_VERSION_1_3);
  VkInstanceCreateInfo info = {VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
  info.pApplicationInfo = &application;

  VkDebugUtilsMessengerCreateInfoEXT messenger = messengerInfo(result->log);
  std::vector<VkValidationFeatureEnableEXT> enabled = featuresOf(mode);
  VkValidationFeaturesEXT features = {
      VK_STRUCTURE_TYPE_VALIDATION_FEATURES_EXT};
  features.enabledValidationFeatureCount = uint32_t(enabled.size());
  features.pEnabledValidationFeatures = enabled.data();
  const char *extensions[] = {VK_EXT_DEBUG_UTILS_EXTENSION_NAME,
                              VK_EXT_VALIDATION_FEATURES_EXTENSION_NAME};
  if (mode != ValidationMode::Off) {
    MOE_RETURN_IF_ERROR(requireValidationLayer());
    features.pNext = &messenger;
    info.pNext = &features;
    info.enabledLayerCount = 1;
    info.ppEnabledLayerNames = &kValidationLayer;
    info.enabledExtensionCount = 2;
    info.ppEnabledExtensionNames = extensions;
  }
  MOE_RETURN_IF_ERROR(check(vkCreateInstance(&info, nullptr, &result->instance),
                            "vkCreateInstance"));
  loadCoreFunctions(result->instance);
  if (mode != ValidationMode::Off)
    MOE_RETURN_IF_ERROR(result->createMessenger(messenger));
  return result;
}

Status
Instance::createMessenger(const VkDebugUtilsMessengerCreateInfoEXT &info) {
  PFN_vkCreateDebugUtilsMessengerEXT create = nullptr;
  loadExtension(instance, "vkCreateDebugUtilsMessengerEXT", create);
  loadExtension(instance, "vkDestroyDebugUtilsMessengerEXT", destroyMessenger);
  loadExtension(instance, "vkSetDebugUtilsObjectNameEXT", setName);
  if (!create || !destroyMessenger)
    return makeError(Code::Device, "expected a validation layer with ",
                     VK_EXT_DEBUG_UTILS_EXTENSION_NAME,
                     ", but got one without");
  return check(create(instance, &info, nullptr, &messenger),
               "vkCreateDebugUtilsMessengerEXT");
}

Instance::~Instance() {
  if (messenger)
    destroyMessenger(instance, messenger, nullptr);
  if (instance)
    vkDestroyInstance(instance, nullptr);
}

Expected<std::vector<VkPhysicalDevice>> Instance::physicalDevices() const {
  uint32_t count = 0;
  VkResult result = vkEnumeratePhysicalDevices(instance, &count, nullptr);
  // A loader without any driver answers with this error.
  if (result == VK_ERROR_INITIALIZATION_FAILED)
    count = 0;
  else
    MOE_RETURN_IF_ERROR(check(result, "vkEnumeratePhysicalDevices"));
  std::vector<VkPhysicalDevice> devices(count);
  if (count)
    MOE_RETURN_IF_ERROR(
        check(vkEnumeratePhysicalDevices(instance, &count, devices.data()),
              "vkEnumeratePhysicalDevices"));
  return devices;
}
