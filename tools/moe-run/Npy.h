//===- Npy.h - NumPy's file format ------------------------------*- C++ -*-===//
//
// Part of moe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MOE_TOOLS_MOE_RUN_NPY_H
#define MOE_TOOLS_MOE_RUN_NPY_H

#include "Array.h"

namespace moe::run {

/// What the header of a .npy file says.
struct NpyHeader {
  ArrayType type;
  /// Where the elements begin in the file.
  size_t dataOffset = 0;
};

/// Reads the header from the first bytes of a file. Takes little-endian float32
/// and int32 in C order; for other types the error names the cast.
Expected<NpyHeader> parseNpyHeader(const std::string &bytes);

/// Reads the header of a file, and checks the file's size against it.
Expected<NpyHeader> readNpyHeader(const std::string &path);

Expected<Array> readNpy(const std::string &path);
Status writeNpy(const std::string &path, const Array &array);

} // namespace moe::run

#endif // MOE_TOOLS_MOE_RUN_NPY_H
