//===- SpirvTools.h - Disassembles and validates SPIR-V ---------*- C++ -*-===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef MOE_LIB_TARGET_LISTING_SPIRVTOOLS_H
#define MOE_LIB_TARGET_LISTING_SPIRVTOOLS_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/ArrayRef.h"
#include <string>

namespace mlir::moe {

struct SpirvVerdict {
  enum Kind {
    Valid,
    Invalid,
    Unknown, ///< the installed library does not know a capability of the module
  } kind;
  std::string message; ///< of the library, when the kind is not Valid

  /// "valid", "invalid: …" or "not validated: …".
  std::string toString() const;
};

/// Validates a module for Vulkan of `apiVersion` (in Vulkan's packing).
SpirvVerdict validateSpirv(ArrayRef<uint32_t> words, uint32_t apiVersion);

/// The text of a module; a comment that says why when it has none.
std::string disassembleSpirv(ArrayRef<uint32_t> words);

} // namespace mlir::moe

#endif // MOE_LIB_TARGET_LISTING_SPIRVTOOLS_H
