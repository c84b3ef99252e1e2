//===- Listing.h - Bundles for people ---------------------------*- C++ -*-===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef MOE_TARGET_LISTING_LISTING_H
#define MOE_TARGET_LISTING_LISTING_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/ArrayRef.h"
#include <string>

namespace mlir::moe {

/// Prints everything that a bundle holds: programs with sizes in infix form,
/// kernels with their SPIR-V disassembled and validated. The bytes may be
/// anything; after a failure `error` says what is wrong with them.
LogicalResult printBundle(ArrayRef<uint8_t> bytes, llvm::raw_ostream &os,
                          std::string &error);

/// Validates each kernel and prints a line for it. Fails, with an `error`, when
/// a kernel is invalid or the bytes are no bundle; a kernel that the installed
/// SPIRV-Tools are too old for is no failure.
LogicalResult validateBundle(ArrayRef<uint8_t> bytes, llvm::raw_ostream &os,
                             std::string &error);

} // namespace mlir::moe

#endif // MOE_TARGET_LISTING_LISTING_H
