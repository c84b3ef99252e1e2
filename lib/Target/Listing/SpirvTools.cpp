//===- SpirvTools.cpp - Disassembles and validates SPIR-V -----------------===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "SpirvTools.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ErrorHandling.h"
#include <spirv-tools/libspirv.h>

using namespace mlir;
using namespace mlir::moe;

std::string SpirvVerdict::toString() const {
  switch (kind) {
  case Valid:
    return "valid";
  case Invalid:
    return "invalid: " + message;
  case Unknown:
    return "not validated: " + message;
  }
  llvm_unreachable("covered switch");
}

/// The environment of a Vulkan version. The compiler may use SPIR-V 1.4 on
/// Vulkan 1.1, where the extension for it is common.
static spv_target_env getEnvironment(uint32_t apiVersion) {
  uint32_t minor = apiVersion >> 12 & 0x3FF;
  return minor >= 3   ? SPV_ENV_VULKAN_1_3
         : minor == 2 ? SPV_ENV_VULKAN_1_2
                      : SPV_ENV_VULKAN_1_1_SPIRV_1_4;
}

static std::string getMessage(spv_diagnostic diagnostic) {
  if (!diagnostic || !diagnostic->error)
    return "no message";
  // The instruction that is meant stands on a line of its own.
  SmallVector<StringRef> lines;
  StringRef(diagnostic->error).trim().split(lines, '\n');
  for (StringRef &line : lines)
    line = line.trim();
  return llvm::join(lines, " ");
}

SpirvVerdict mlir::moe::validateSpirv(ArrayRef<uint32_t> words,
                                      uint32_t apiVersion) {
  spv_context context = spvContextCreate(getEnvironment(apiVersion));
  spv_diagnostic diagnostic = nullptr;
  llvm::scope_exit cleanUp([&] {
    spvDiagnosticDestroy(diagnostic);
    spvContextDestroy(context);
  });
  spv_const_binary_t binary = {words.data(), words.size()};
  if (spvValidate(context, &binary, &diagnostic) == SPV_SUCCESS)
    return {SpirvVerdict::Valid, ""};
  std::string message = getMessage(diagnostic);
  // Capabilities come first in a module, so one that the library does not know
  // is what it reports, before it can meet anything else that is new.
  bool isTooNew = StringRef(message).contains("Invalid capability operand");
  return {isTooNew ? SpirvVerdict::Unknown : SpirvVerdict::Invalid, message};
}

std::string mlir::moe::disassembleSpirv(ArrayRef<uint32_t> words) {
  spv_context context = spvContextCreate(SPV_ENV_UNIVERSAL_1_6);
  spv_diagnostic diagnostic = nullptr;
  spv_text text = nullptr;
  llvm::scope_exit cleanUp([&] {
    spvTextDestroy(text);
    spvDiagnosticDestroy(diagnostic);
    spvContextDestroy(context);
  });
  uint32_t options = SPV_BINARY_TO_TEXT_OPTION_INDENT |
                     SPV_BINARY_TO_TEXT_OPTION_FRIENDLY_NAMES |
                     SPV_BINARY_TO_TEXT_OPTION_NO_HEADER;
  if (spvBinaryToText(context, words.data(), words.size(), options, &text,
                      &diagnostic) != SPV_SUCCESS)
    return "; not disassembled: " + getMessage(diagnostic) + "\n";
  return std::string(text->str, text->length);
}
