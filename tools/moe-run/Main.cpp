//===- Main.cpp - moe-run: run a bundle or a .mlir file -------------------===//
//
// Part of moe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Driver.h"

#include <cstdio>

using namespace moe::run;

int main(int argc, char **argv) {
  Expected<Options> options =
      parseOptions(std::vector<std::string>(argv + 1, argv + argc));
  if (!options.ok())
    return report(options.status());
  if (options->help) {
    std::fputs(helpText().c_str(), stdout);
    return kExitGood;
  }
  if (options->version) {
    std::printf("moe-run %s\n", moe_runtime_version());
    return kExitGood;
  }
  if (options->listDevices)
    return listDevices();
  if (options->printTargetEnv)
    return printTargetEnv(*options);
  return runFile(*options);
}
