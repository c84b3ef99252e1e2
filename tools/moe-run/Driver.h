//===- Driver.h - The jobs of moe-run ---------------------------*- C++ -*-===//
//
// Part of moe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MOE_TOOLS_MOE_RUN_DRIVER_H
#define MOE_TOOLS_MOE_RUN_DRIVER_H

#include "Options.h"

namespace moe::run {

constexpr int kExitGood = 0;
constexpr int kExitDiffers = 1;
constexpr int kExitUsage = 2;
constexpr int kExitDevice = 3;

/// Prints an error as one line to stderr, and returns the exit status for it.
int report(const Status &error);

/// The error of a call of the runtime, which is destroyed.
Status take(moe_status *status);

/// Each job returns the exit status of the tool.
int listDevices();
int printTargetEnv(const Options &options);
int runFile(const Options &options);

/// The bundle in the options' file, compiled first when it is text. Prints the
/// compiler's diagnostics.
Expected<std::vector<char>> loadBundle(const Options &options);

} // namespace moe::run

#endif // MOE_TOOLS_MOE_RUN_DRIVER_H
