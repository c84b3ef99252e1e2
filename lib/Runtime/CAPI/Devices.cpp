//===- Devices.cpp - The C API of errors and devices ----------------------===//
//
// Part of moe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CAPI/Convert.h"
#include "Session/Session.h"

using namespace moe::runtime;

static_assert(int(Code::Internal) == MOE_STATUS_INTERNAL);

struct moe_device_list {
  std::vector<DeviceSnapshot> devices;
  std::vector<std::vector<uint8_t>> facts;
};

const char *moe_runtime_version(void) { return MOE_VERSION; }

//===----------------------------------------------------------------------===//
// Status
//===----------------------------------------------------------------------===//

moe_status_code moe_status_get_code(const moe_status *status) {
  return status ? moe_status_code(status->status.code()) : MOE_STATUS_OK;
}

const char *moe_status_message(const moe_status *status) {
  return status ? status->status.message().c_str() : "";
}

void moe_status_destroy(moe_status *status) { delete status; }

//===----------------------------------------------------------------------===//
// Devices
//===----------------------------------------------------------------------===//

moe_status *moe_devices_enumerate(moe_device_list **list) {
  Expected<std::vector<DeviceSnapshot>> devices = listDevices();
  if (!devices.ok())
    return toC(devices.status());
  auto result = std::make_unique<moe_device_list>();
  result->devices = std::move(*devices);
  for (const DeviceSnapshot &device : result->devices)
    result->facts.push_back(serializeFacts(device));
  *list = result.release();
  return nullptr;
}

void moe_device_list_destroy(moe_device_list *list) { delete list; }

size_t moe_device_list_count(const moe_device_list *list) {
  return list->devices.size();
}

int moe_device_list_best(const moe_device_list *list) {
  return list->devices.empty() ? -1 : int(bestDevice(list->devices));
}

const char *moe_device_name(const moe_device_list *list, size_t index) {
  return index < list->devices.size() ? list->devices[index].name.c_str()
                                      : nullptr;
}

const char *moe_device_type(const moe_device_list *list, size_t index) {
  return index < list->devices.size() ? nameOf(list->devices[index].type)
                                      : nullptr;
}

const void *moe_device_facts(const moe_device_list *list, size_t index,
                             size_t *size) {
  if (index >= list->facts.size())
    return nullptr;
  *size = list->facts[index].size();
  return list->facts[index].data();
}
