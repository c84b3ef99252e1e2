//===- Arguments.h - What a caller passes to a program ----------*- C++ -*-===//
//
// Part of moe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MOE_RUNTIME_SESSION_ARGUMENTS_H
#define MOE_RUNTIME_SESSION_ARGUMENTS_H

#include "Support/Status.h"
#include "moe-bundle/bundle_generated.h"

#include <cstdint>
#include <vector>

namespace moe::runtime {

/// An array of the caller's. `data` is null where only the shape matters, and
/// for an input that stays as the last run left it on the device.
struct Argument {
  void *data = nullptr;
  bundle::ElementType type = bundle::ElementType::F32;
  std::vector<int64_t> shape;
};

/// "f32", "i32", …
const char *nameOf(bundle::ElementType type);
uint64_t bytesOf(bundle::ElementType type);

/// Bytes of a dense array; the dims are not negative.
Expected<uint64_t> bytesOf(const Argument &argument);

/// Checks the inputs against the program (number, types, ranks, static dims,
/// asserts) and returns the values of its symbols.
Expected<std::vector<int64_t>> bindSymbols(const bundle::Program &program,
                                           const std::vector<Argument> &inputs);

/// The shape of a tensor for these symbols.
Expected<std::vector<int64_t>> shapeOf(const bundle::Tensor &tensor,
                                       const std::vector<int64_t> &symbols);

/// Checks that the caller's outputs have the types and shapes that the program
/// will write.
Status checkOutputs(const bundle::Program &program,
                    const std::vector<int64_t> &symbols,
                    const std::vector<Argument> &outputs);

/// The reason of a fault: the four status words put into their site's message.
std::string describeFault(const bundle::Program &program,
                          const uint32_t status[4]);

} // namespace moe::runtime

#endif // MOE_RUNTIME_SESSION_ARGUMENTS_H
