//===- Load.cpp - Devices, targets and bundles ----------------------------===//
//
// Part of moe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CompilerLibrary.h"
#include "Driver.h"
#include "moe-bundle/bundle_generated.h"

#include <cstdio>
#include <filesystem>
#include <fstream>

using namespace moe::run;

int moe::run::report(const Status &error) {
  std::string line = error.message();
  for (char &c : line)
    if (c == '\n')
      c = ' ';
  std::fprintf(stderr, "moe-run: error: %s\n", line.c_str());
  return error.code() == Code::InvalidArgument ? kExitUsage : kExitDevice;
}

Status moe::run::take(moe_status *status) {
  Status result(Code(moe_status_get_code(status)), moe_status_message(status));
  moe_status_destroy(status);
  return result;
}

namespace {
/// A moe_device_list that destroys itself.
struct DeviceList {
  moe_device_list *list = nullptr;
  ~DeviceList() { moe_device_list_destroy(list); }
};
} // namespace

/// "Vulkan 1.3, subgroup 8, cooperative matrices".
static std::string describe(const moe_device_list *list, size_t index) {
  size_t size = 0;
  const auto *facts = flatbuffers::GetRoot<moe::bundle::DeviceFacts>(
      moe_device_facts(list, index, &size));
  std::string text = join("Vulkan ", facts->api_version() >> 22 & 0x7F, ".",
                          facts->api_version() >> 12 & 0x3FF, ", subgroup ",
                          facts->subgroup_size());
  if (facts->cooperative_matrices() && facts->cooperative_matrices()->size())
    text += ", cooperative matrices";
  return text;
}

int moe::run::listDevices() {
  DeviceList devices;
  if (Status error = take(moe_devices_enumerate(&devices.list)); !error.ok())
    return report(error);
  int best = moe_device_list_best(devices.list);
  for (size_t i = 0; i < moe_device_list_count(devices.list); ++i)
    std::printf("%zu%c  %-10s  %s; %s\n", i, int(i) == best ? '*' : ' ',
                moe_device_type(devices.list, i),
                moe_device_name(devices.list, i),
                describe(devices.list, i).c_str());
  if (best < 0)
    return report(makeError(Code::Device, "expected a Vulkan device, but this "
                                          "machine has none"));
  return kExitGood;
}

/// Fills in the target: its name, or the facts of the device, which live as
/// long as `devices`.
static Status chooseTarget(const Options &options, DeviceList &devices,
                           moe_compile_options &result) {
  result = {sizeof(moe_compile_options), nullptr, nullptr, 0, nullptr};
  if (!options.entry.empty())
    result.entry = options.entry.c_str();
  if (options.target != "auto") {
    result.target = options.target.c_str();
    return Status();
  }
  MOE_RETURN_IF_ERROR(take(moe_devices_enumerate(&devices.list)));
  int index =
      options.device >= 0 ? options.device : moe_device_list_best(devices.list);
  if (index < 0)
    return makeError(Code::Device, "expected a Vulkan device or --target=NAME, "
                                   "but this machine has no device");
  result.facts =
      moe_device_facts(devices.list, size_t(index), &result.facts_size);
  if (!result.facts)
    return makeError(Code::InvalidArgument, "expected a device index below ",
                     moe_device_list_count(devices.list), ", but got ", index);
  return Status();
}

int moe::run::printTargetEnv(const Options &options) {
  DeviceList devices;
  moe_compile_options compileOptions;
  if (Status error = chooseTarget(options, devices, compileOptions);
      !error.ok())
    return report(error);
  Expected<CompilerLibrary> compiler = CompilerLibrary::open();
  if (!compiler.ok())
    return report(compiler.status());
  Compilation result = compiler->targetEnv(compileOptions);
  if (!result.succeeded)
    return report(makeError(Code::InvalidArgument, result.diagnostics));
  std::printf("%s\n", result.diagnostics.c_str());
  return kExitGood;
}

static Expected<std::vector<char>> readFile(const std::string &path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error))
    return makeError(Code::InvalidArgument, "expected a file, but '", path,
                     "' is a folder");
  std::ifstream file(path, std::ios::binary);
  if (!file)
    return makeError(Code::InvalidArgument,
                     "expected a file that can be read, "
                     "but '",
                     path, "' cannot");
  std::vector<char> bytes((std::istreambuf_iterator<char>(file)),
                          std::istreambuf_iterator<char>());
  return bytes;
}

/// True when the bytes have the mark of a bundle behind their first word.
static bool isBundle(const std::vector<char> &bytes) {
  return bytes.size() >= 8 && std::string(&bytes[4], 4) == "MOEB";
}

/// True when the bytes cannot be text: a damaged bundle, most likely.
static bool isBinary(const std::vector<char> &bytes) {
  for (char c : bytes)
    if (c == 0)
      return true;
  return bytes.empty();
}

static Expected<std::vector<char>> compile(const Options &options,
                                           const std::vector<char> &text) {
  DeviceList devices;
  moe_compile_options compileOptions;
  MOE_RETURN_IF_ERROR(chooseTarget(options, devices, compileOptions));
  MOE_ASSIGN_OR_RETURN(CompilerLibrary compiler, CompilerLibrary::open());
  Compilation result = compiler.compile(std::string(text.begin(), text.end()),
                                        options.file, compileOptions);
  if (!result.diagnostics.empty()) {
    std::fputs(result.diagnostics.c_str(), stderr);
    if (result.diagnostics.back() != '\n')
      std::fputc('\n', stderr);
  }
  if (!result.succeeded)
    return makeError(Code::InvalidArgument, "'", options.file,
                     "' does not compile");
  return result.bundle;
}

Expected<std::vector<char>> moe::run::loadBundle(const Options &options) {
  MOE_ASSIGN_OR_RETURN(std::vector<char> bytes, readFile(options.file));
  if (isBundle(bytes))
    return bytes;
  if (isBinary(bytes))
    return makeError(Code::InvalidArgument,
                     "expected a bundle or a .mlir file, but '", options.file,
                     "' is neither");
  return compile(options, bytes);
}
