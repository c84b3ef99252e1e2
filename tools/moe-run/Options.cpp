//===- Options.cpp - The command line of moe-run --------------------------===//
//
// Part of moe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Options.h"
#include "Parse.h"

#include <climits>

using namespace moe::run;

namespace {
struct OptionRow {
  const char *name;
  /// What stands behind '=' in the help; null for a flag.
  const char *value;
  const char *help;
  /// Stores the value; false when it is none of the expected ones.
  bool (*store)(Options &options, const std::string &value);
};
} // namespace

static bool storeInt(const std::string &value, int &target) {
  uint64_t number = 0;
  if (!parseUnsigned(value, number) || number > INT_MAX)
    return false;
  target = int(number);
  return true;
}

static bool storeTolerance(const std::string &value, double &target) {
  return parseDouble(value, target) && target >= 0;
}

static bool storeName(const std::string &value, std::string &target) {
  target = value;
  return !value.empty();
}

static bool storeValidation(Options &options, const std::string &value) {
  static const char *const names[] = {"off", "on", "sync", "gpu"};
  for (int i = 0; i < 4; ++i) {
    if (value == names[i]) {
      options.validation = moe_validation_mode(i);
      return true;
    }
  }
  return false;
}

/// In the order of the help.
static const OptionRow kRows[] = {
    {"--entry", "NAME", "the program to run; needed when there are several",
     [](Options &o, const std::string &v) { return storeName(v, o.entry); }},
    {"--input", "VALUE",
     "an input, in the order of the arguments: file.npy, or a type and a "
     "rule,\n"
     "like 4x8xf32=random(7); the rules are random(SEED), random(SEED,SCALE),\n"
     "zeros, ones, range, a number, or all numbers: 2x2xi32=0,1,2,3;\n"
     "each:file.npy: the first dimension counts runs, and --repeat is as long",
     [](Options &o, const std::string &v) {
       o.inputs.push_back(v);
       return !v.empty();
     }},
    {"--output", "FILE.npy",
     "where a result goes, in the order of the results; each:FILE.npy: that "
     "of\n"
     "each run that counts, one after the other",
     [](Options &o, const std::string &v) {
       o.outputs.push_back(v);
       return true;
     }},
    {"--expect", "FILE.npy",
     "what a result must equal, in the order of the results; empty: skip one",
     [](Options &o, const std::string &v) {
       o.expects.push_back(v);
       return true;
     }},
    {"--rtol", "X", "relative tolerance of --expect (1e-5)",
     [](Options &o, const std::string &v) {
       return storeTolerance(v, o.tolerance.relative);
     }},
    {"--atol", "X", "absolute tolerance of --expect (1e-6)",
     [](Options &o, const std::string &v) {
       return storeTolerance(v, o.tolerance.absolute);
     }},
    {"--target", "NAME",
     "what .mlir is compiled for: a named target, or auto, the device itself",
     [](Options &o, const std::string &v) { return storeName(v, o.target); }},
    {"--device", "N", "the device, as --list-devices numbers them",
     [](Options &o, const std::string &v) { return storeInt(v, o.device); }},
    {"--list-devices", nullptr, "print the devices and exit",
     [](Options &o, const std::string &) { return o.listDevices = true; }},
    {"--print-target-env", nullptr,
     "print the target environment of --target and exit",
     [](Options &o, const std::string &) { return o.printTargetEnv = true; }},
    {"--emit-bundle", "FILE",
     "write the bundle; without inputs and results nothing is run",
     [](Options &o, const std::string &v) {
       return storeName(v, o.emitBundle);
     }},
    {"--repeat", "N", "run N times and print the median time",
     [](Options &o, const std::string &v) {
       o.repeatGiven = true;
       return parseUnsigned(v, o.repeat) && o.repeat > 0;
     }},
    {"--warmup", "M", "run M times before the runs that count",
     [](Options &o, const std::string &v) {
       return parseUnsigned(v, o.warmup);
     }},
    {"--profile", nullptr, "print the time of each dispatch",
     [](Options &o, const std::string &) { return o.profile = true; }},
    {"--trace", "FILE.json", "write a trace for Chrome or Perfetto",
     [](Options &o, const std::string &v) { return storeName(v, o.trace); }},
    {"--validate", "on|sync|gpu",
     "run under the validation layer; any message of it is an error",
     storeValidation},
    {"--guard-buffers", nullptr,
     "put 4096 bytes around each buffer; to write there is an error",
     [](Options &o, const std::string &) { return o.guardBuffers = true; }},
    {"--pipeline-cache", "DIR|off",
     "where compiled kernels are kept (the user's cache directory)",
     [](Options &o, const std::string &v) {
       return storeName(v, o.pipelineCache);
     }},
    {"--version", nullptr, "print the version and exit",
     [](Options &o, const std::string &) { return o.version = true; }},
    {"--help", nullptr, "print this text and exit",
     [](Options &o, const std::string &) { return o.help = true; }},
};

static const OptionRow *findRow(const std::string &name) {
  for (const OptionRow &row : kRows)
    if (name == row.name)
      return &row;
  return nullptr;
}

template <typename... Parts> static Status usage(const Parts &...parts) {
  return makeError(Code::InvalidArgument, parts...);
}

/// Stores one option; `next` is the argument after it, which is its value when
/// it has none of its own.
static Status parseOption(const std::string &argument, const std::string *next,
                          bool &tookNext, Options &options) {
  size_t equals = argument.find('=');
  std::string name = argument.substr(0, equals);
  const OptionRow *row = findRow(name);
  if (!row)
    return usage("unknown option '", name, "'; --help lists them");
  std::string value;
  if (equals != std::string::npos)
    value = argument.substr(equals + 1);
  if (!row->value && equals != std::string::npos)
    return usage("expected no value of ", name, ", but got '", value, "'");
  if (row->value && equals == std::string::npos) {
    if (!next)
      return usage("expected ", name, "=", row->value, ", but got no value");
    value = *next;
    tookNext = true;
  }
  if (!row->store(options, value))
    return usage("expected ", name, "=", row->value, ", but got '", value, "'");
  return Status();
}

Expected<Options>
moe::run::parseOptions(const std::vector<std::string> &arguments) {
  Options options;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::string &argument = arguments[i];
    if (argument.size() > 1 && argument[0] == '-') {
      bool tookNext = false;
      const std::string *next =
          i + 1 < arguments.size() ? &arguments[i + 1] : nullptr;
      MOE_RETURN_IF_ERROR(parseOption(argument, next, tookNext, options));
      i += tookNext;
      continue;
    }
    if (!options.file.empty())
      return usage("expected one file, but got '", options.file, "' and '",
                   argument, "'");
    options.file = argument;
  }
  bool needsFile = !options.help && !options.version && !options.listDevices &&
                   !options.printTargetEnv;
  if (needsFile && options.file.empty())
    return usage("expected a bundle or a .mlir file, but got none; --help "
                 "tells more");
  return options;
}

std::string moe::run::helpText() {
  std::string text =
      "Usage: moe-run FILE [options]\n\n"
      "Runs a program of a bundle, or of a .mlir file that it compiles first, "
      "on a Vulkan\ndevice. Inputs and results are NumPy arrays.\n\n"
      "Options:\n";
  constexpr size_t column = 28;
  for (const OptionRow &row : kRows) {
    std::string head = join("  ", row.name);
    if (row.value)
      head += join("=", row.value);
    head.resize(std::max(head.size() + 1, column), ' ');
    text += head;
    for (const char *c = row.help; *c; ++c)
      text += *c == '\n' ? "\n" + std::string(column, ' ') : std::string(1, *c);
    text += '\n';
  }
  text +=
      "\nExit status: 0 good; 1 a result differs from --expect; 2 bad usage,"
      " input or\nprogram; 3 the device failed, a kernel found a fault, or "
      "the validation layer spoke.\n";
  return text;
}
