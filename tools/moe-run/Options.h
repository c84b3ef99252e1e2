//===- Options.h - The command line of moe-run ------------------*- C++ -*-===//
//
// Part of moe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MOE_TOOLS_MOE_RUN_OPTIONS_H
#define MOE_TOOLS_MOE_RUN_OPTIONS_H

#include "Compare.h"

namespace moe::run {

struct Options {
  std::string file;
  std::string entry;
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
  std::vector<std::string> expects;
  Tolerance tolerance;
  std::string target = "auto";
  int device = -1;
  std::string emitBundle;
  uint64_t repeat = 1;
  uint64_t warmup = 0;
  bool repeatGiven = false;
  bool profile = false;
  std::string trace;
  moe_validation_mode validation = MOE_VALIDATION_OFF;
  bool guardBuffers = false;
  std::string pipelineCache; // empty: the default place
  bool listDevices = false;
  bool printTargetEnv = false;
  bool help = false;
  bool version = false;
};

/// Reads the arguments after the program's name.
Expected<Options> parseOptions(const std::vector<std::string> &arguments);

std::string helpText();

} // namespace moe::run

#endif // MOE_TOOLS_MOE_RUN_OPTIONS_H
