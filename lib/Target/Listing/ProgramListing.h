//===- ProgramListing.h - Programs of a bundle for people -------*- C++ -*-===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// What is printed here comes from a file: it has passed the FlatBuffers
// verifier, but its numbers may still point anywhere.
//
//===----------------------------------------------------------------------===//

#ifndef MOE_LIB_TARGET_LISTING_PROGRAMLISTING_H
#define MOE_LIB_TARGET_LISTING_PROGRAMLISTING_H

#include "moe-bundle/bundle_generated.h"

#include "llvm/Support/raw_ostream.h"

namespace mlir::moe {

using Kernels = flatbuffers::Vector<flatbuffers::Offset<::moe::bundle::Kernel>>;
using Symbols = flatbuffers::Vector<flatbuffers::Offset<::moe::bundle::Symbol>>;

/// An expression in infix form; "?" for one that is not well formed.
std::string getInfix(const ::moe::bundle::Expr &expr, const Symbols *symbols);

void printProgram(const ::moe::bundle::Program &program, const Kernels &kernels,
                  llvm::raw_ostream &os);

} // namespace mlir::moe

#endif // MOE_LIB_TARGET_LISTING_PROGRAMLISTING_H
