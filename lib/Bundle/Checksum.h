//===- Checksum.h - Seals a bundle against damage ---------------*- C++ -*-===//
//
// Part of moe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A driver trusts the SPIR-V that it is given, so a damaged kernel must not
// reach it. The writer fills `Bundle.checksum` with any value other than zero,
// finishes the buffer, and seals it; the reader compares. This finds damage,
// not malice. Shared by the compiler and the runtime: it needs the schema only.
//
//===----------------------------------------------------------------------===//

#ifndef MOE_BUNDLE_CHECKSUM_H
#define MOE_BUNDLE_CHECKSUM_H

#include "moe-bundle/bundle_generated.h"

#include <cstdint>
#include <cstring>

namespace moe::bundle {

/// The checksum of `size` bytes in which the 8 bytes from `hole` count as zero.
inline uint64_t checksumWithHole(const uint8_t *data, size_t size,
                                 size_t hole) {
  uint64_t hash = 0xCBF29CE484222325ull ^ size;
  for (size_t at = 0; at < size; at += 8) {
    uint64_t word = 0;
    for (size_t i = 0; i < 8 && at + i < size; ++i) {
      bool inHole = at + i >= hole && at + i < hole + 8;
      word |= uint64_t(inHole ? 0 : data[at + i]) << (8 * i);
    }
    hash = (hash ^ word) * 0x9E3779B97F4A7C15ull;
    hash ^= hash >> 29;
  }
  return hash == 0 ? 1 : hash;
}

/// Where the checksum lies in a verified bundle; `size` when it is not there.
inline size_t checksumOffset(const uint8_t *data, size_t size) {
  const auto *root = flatbuffers::GetRoot<flatbuffers::Table>(data);
  const uint8_t *field = root->GetAddressOf(Bundle::VT_CHECKSUM);
  return field ? size_t(field - data) : size;
}

/// Writes the checksum of a finished bundle into its place. False when the
/// bundle was built without a value in that field.
inline bool seal(uint8_t *data, size_t size) {
  size_t hole = checksumOffset(data, size);
  if (hole == size)
    return false;
  uint64_t checksum = checksumWithHole(data, size, hole);
  flatbuffers::WriteScalar(data + hole, checksum);
  return true;
}

/// True when the bundle is not sealed or its checksum is right.
inline bool sealHolds(const uint8_t *data, size_t size) {
  size_t hole = checksumOffset(data, size);
  if (hole == size)
    return true;
  uint64_t stored = flatbuffers::ReadScalar<uint64_t>(data + hole);
  return stored == 0 || stored == checksumWithHole(data, size, hole);
}

} // namespace moe::bundle

#endif // MOE_BUNDLE_CHECKSUM_H
