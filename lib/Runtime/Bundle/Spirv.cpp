//===- Spirv.cpp - What a SPIR-V module says of itself --------------------===//
//
// Part of moe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Bundle/Spirv.h"

using namespace moe::runtime;
using namespace moe::runtime::spirv;

namespace {
// The numbers of the SPIR-V specification that are read here.
constexpr uint32_t kMagic = 0x07230203;
constexpr uint32_t kHeaderWords = 5;
constexpr uint32_t kMaxBound = 0x3FFFFF; // the universal limit of ids
constexpr uint32_t kOpExtension = 10;
constexpr uint32_t kOpEntryPoint = 15;
constexpr uint32_t kOpExecutionMode = 16;
constexpr uint32_t kOpCapability = 17;
constexpr uint32_t kModelGLCompute = 5;
constexpr uint32_t kModeLocalSize = 17;

/// The operands of one instruction.
struct Operands {
  const uint32_t *words;
  uint32_t count;
};

struct LocalSize {
  uint32_t entryPoint;
  std::array<uint32_t, 3> size;
};
} // namespace

const EntryPoint *Module::findKernel(const std::string &name) const {
  for (const EntryPoint &entry : entryPoints)
    if (entry.executionModel == kModelGLCompute && entry.name == name)
      return &entry;
  return nullptr;
}

/// A literal string: bytes in little-endian words, ended by a zero byte.
static Expected<std::string> readString(Operands operands) {
  std::string text;
  for (uint32_t i = 0; i < operands.count; ++i) {
    for (unsigned shift = 0; shift < 32; shift += 8) {
      char c = char((operands.words[i] >> shift) & 0xFF);
      if (c == 0)
        return text;
      text.push_back(c);
    }
  }
  return makeError(Code::InvalidArgument,
                   "expected a string to end inside its instruction, but got ",
                   operands.count, " words without an end");
}

static Status checkHeader(const uint32_t *words, size_t numWords,
                          Module &module) {
  if (numWords < kHeaderWords)
    return makeError(Code::InvalidArgument,
                     "expected a header of 5 words, but got ", numWords);
  if (words[0] != kMagic)
    return makeError(Code::InvalidArgument, "expected the magic number ",
                     kMagic, ", but got ", words[0]);
  module.majorVersion = (words[1] >> 16) & 0xFF;
  module.minorVersion = (words[1] >> 8) & 0xFF;
  if (module.majorVersion != 1 || module.minorVersion > 6 ||
      (words[1] & 0xFF0000FF) != 0)
    return makeError(Code::InvalidArgument,
                     "expected version 1.0 to 1.6, but got version word ",
                     words[1]);
  if (words[3] == 0 || words[3] > kMaxBound)
    return makeError(Code::InvalidArgument, "expected an id bound of 1 to ",
                     kMaxBound, ", but got ", words[3]);
  if (words[4] != 0)
    return makeError(Code::InvalidArgument, "expected schema 0, but got ",
                     words[4]);
  return Status();
}

static Status tooShort(const char *name, uint32_t count) {
  return makeError(Code::InvalidArgument, "expected more operands of ", name,
                   ", but got ", count);
}

static Status readEntryPoint(Operands operands, Module &module) {
  if (operands.count < 3)
    return tooShort("OpEntryPoint", operands.count);
  EntryPoint entry;
  entry.executionModel = operands.words[0];
  entry.id = operands.words[1];
  MOE_ASSIGN_OR_RETURN(entry.name,
                       readString({operands.words + 2, operands.count - 2}));
  module.entryPoints.push_back(std::move(entry));
  return Status();
}

static Status readInstruction(uint32_t opcode, Operands operands,
                              Module &module, std::vector<LocalSize> &sizes) {
  switch (opcode) {
  case kOpCapability:
    if (operands.count != 1)
      return tooShort("OpCapability", operands.count);
    module.capabilities.push_back(operands.words[0]);
    return Status();
  case kOpExtension: {
    MOE_ASSIGN_OR_RETURN(std::string name, readString(operands));
    module.extensions.push_back(std::move(name));
    return Status();
  }
  case kOpEntryPoint:
    return readEntryPoint(operands, module);
  case kOpExecutionMode:
    if (operands.count < 2)
      return tooShort("OpExecutionMode", operands.count);
    if (operands.words[1] != kModeLocalSize)
      return Status();
    if (operands.count != 5)
      return tooShort("OpExecutionMode LocalSize", operands.count);
    sizes.push_back(
        {operands.words[0],
         {operands.words[2], operands.words[3], operands.words[4]}});
    return Status();
  default:
    return Status();
  }
}

Expected<Module> moe::runtime::spirv::parse(const uint32_t *words,
                                            size_t numWords) {
  Module module;
  MOE_RETURN_IF_ERROR(checkHeader(words, numWords, module));
  std::vector<LocalSize> sizes;
  for (size_t at = kHeaderWords; at < numWords;) {
    uint32_t count = words[at] >> 16;
    uint32_t opcode = words[at] & 0xFFFF;
    if (count == 0 || count > numWords - at)
      return makeError(
          Code::InvalidArgument, "expected the instruction at word ", at,
          " to have 1 to ", numWords - at, " words, but got ", count);
    MOE_RETURN_IF_ERROR(
        readInstruction(opcode, {words + at + 1, count - 1}, module, sizes));
    at += count;
  }
  for (const LocalSize &size : sizes)
    for (EntryPoint &entry : module.entryPoints)
      if (entry.id == size.entryPoint)
        entry.localSize = size.size;
  return module;
}
