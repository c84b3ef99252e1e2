//===- PipelineCache.cpp - Compiled kernels kept on disk ------------------===//
//
// Part of moe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Vulkan/PipelineCache.h"
#include "Vulkan/Result.h"

#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>

using namespace moe::runtime;

namespace {
/// A file larger than this is not one of ours.
constexpr uint64_t kMaxCacheBytes = 256u << 20;
} // namespace

bool moe::runtime::isCacheOf(const DeviceSnapshot &device,
                             const std::vector<char> &data) {
  VkPipelineCacheHeaderVersionOne header;
  if (data.size() < sizeof(header))
    return false;
  std::memcpy(&header, data.data(), sizeof(header));
  return header.headerSize == sizeof(header) &&
         header.headerVersion == VK_PIPELINE_CACHE_HEADER_VERSION_ONE &&
         header.vendorID == device.vendor && header.deviceID == device.device &&
         std::memcmp(header.pipelineCacheUUID, device.pipelineCacheUUID.data(),
                     VK_UUID_SIZE) == 0;
}

/// One file per driver and device, so that they do not displace one another.
static std::string fileNameOf(const DeviceSnapshot &device) {
  std::ostringstream name;
  name << std::hex << device.vendor << '-' << device.device << '-';
  for (uint8_t byte : device.pipelineCacheUUID)
    name << (byte >> 4) << (byte & 15);
  name << ".vkcache";
  return name.str();
}

/// The bytes after which a checksum follows in the file: a driver's own header
/// does not cover the rest.
static uint64_t checksumOf(const std::vector<char> &data) {
  uint64_t hash = 0xCBF29CE484222325ull;
  for (char c : data)
    hash = (hash ^ uint8_t(c)) * 0x100000001B3ull;
  return hash;
}

static std::vector<char> readTrusted(const std::string &path,
                                     const DeviceSnapshot &device) {
  std::error_code error;
  uint64_t size = std::filesystem::file_size(path, error);
  uint64_t checksum = 0;
  if (error || size < sizeof(checksum) || size > kMaxCacheBytes)
    return {};
  std::vector<char> data(size - sizeof(checksum));
  std::ifstream file(path, std::ios::binary);
  file.read(data.data(), std::streamsize(data.size()));
  file.read(reinterpret_cast<char *>(&checksum), sizeof(checksum));
  bool trusted =
      file && checksum == checksumOf(data) && isCacheOf(device, data);
  return trusted ? data : std::vector<char>();
}

Expected<PipelineCache> PipelineCache::create(Device &device,
                                              const std::string &directory) {
  PipelineCache result(device);
  std::vector<char> data;
  if (!directory.empty()) {
    result.path = directory + "/" + fileNameOf(device.snapshot());
    data = readTrusted(result.path, device.snapshot());
  }
  result.loadedBytes = data.size();
  VkPipelineCacheCreateInfo info = {
      VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO};
  info.initialDataSize = data.size();
  info.pInitialData = data.data();
  VkPipelineCache cache = VK_NULL_HANDLE;
  MOE_RETURN_IF_ERROR(check(
      device.call().vkCreatePipelineCache(device.get(), &info, nullptr, &cache),
      "vkCreatePipelineCache"));
  result.cache = device.own(cache, device.call().vkDestroyPipelineCache);
  return result;
}

void PipelineCache::save() {
  if (path.empty())
    return;
  size_t size = 0;
  auto get = device->call().vkGetPipelineCacheData;
  if (get(device->get(), cache.get(), &size, nullptr) != VK_SUCCESS)
    return;
  std::vector<char> data(size);
  if (get(device->get(), cache.get(), &size, data.data()) != VK_SUCCESS ||
      size == loadedBytes)
    return;
  data.resize(size);
  uint64_t checksum = checksumOf(data);

  std::error_code error;
  std::filesystem::path target(path);
  std::filesystem::create_directories(target.parent_path(), error);
  // A name of its own and a rename: a reader sees the old or the new file.
  std::string temporary = join(path, ".", std::random_device()(), ".tmp");
  {
    std::ofstream file(temporary, std::ios::binary);
    file.write(data.data(), std::streamsize(data.size()));
    file.write(reinterpret_cast<const char *>(&checksum), sizeof(checksum));
    file.close();
    if (file) {
      std::filesystem::rename(temporary, target, error);
      if (!error) {
        loadedBytes = size;
        return;
      }
    }
  }
  std::filesystem::remove(temporary, error);
}
