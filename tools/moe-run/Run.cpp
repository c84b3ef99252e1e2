//===- Run.cpp - Runs one program -----------------------------------------===//
//
// Part of moe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Driver.h"
#include "Input.h"
#include "Npy.h"
#include "Report.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>

using namespace moe::run;

namespace {
/// One run of the tool, from the bundle to the results.
class Runner {
public:
  explicit Runner(const Options &options) : options(options) {}
  ~Runner() { moe_session_destroy(session); }

  Status createSession(const std::vector<char> &bundle);
  Status prepareInputs();
  Status prepareOutputs();
  Status run();
  Status writeOutputs() const;
  /// Compares with --expect; prints and counts the results that differ.
  Status compareOutputs(size_t &numDiffering) const;
  void print() const;
  Status writeTrace() const;

private:
  Status runOnce(bool counts);
  std::vector<moe_tensor> inputsOfRun(size_t run) const;
  Status setNumRuns(const std::vector<Input> &sources);
  void collectOutputs();
  bool isWanted(size_t output) const;

  const Options &options;
  moe_session *session = nullptr;
  size_t program = 0;
  size_t numRuns = 0; // so far
  size_t numCounted = 0;
  size_t repeat = 1;
  moe_program_info info = {sizeof(info)};
  std::vector<Array> inputs;
  std::vector<std::optional<size_t>> inputRuns; // those of `each:` inputs
  std::vector<Array> outputs;
  std::vector<std::optional<Array>> collected; // those of `each:` outputs
  std::vector<Array> expected; // empty arrays where nothing is expected
  Measurements measurements;
};
} // namespace

/// The place for compiled kernels, or "" when there is none.
static std::string pipelineCacheDirectory(const Options &options) {
  if (options.pipelineCache == "off")
    return "";
  if (!options.pipelineCache.empty())
    return options.pipelineCache;
  if (const char *cache = std::getenv("XDG_CACHE_HOME"); cache && *cache)
    return std::string(cache) + "/moe";
  if (const char *home = std::getenv("HOME"); home && *home)
    return std::string(home) + "/.cache/moe";
  return "";
}

Status Runner::createSession(const std::vector<char> &bundle) {
  std::string cache = pipelineCacheDirectory(options);
  moe_session_options sessionOptions = {sizeof(sessionOptions)};
  sessionOptions.device = options.device;
  sessionOptions.pipeline_cache_dir = cache.empty() ? nullptr : cache.c_str();
  sessionOptions.validation = options.validation;
  if (options.guardBuffers)
    sessionOptions.guard_bytes = 4096;
  sessionOptions.profile = options.profile || !options.trace.empty();
  MOE_RETURN_IF_ERROR(take(moe_session_create(bundle.data(), bundle.size(),
                                              &sessionOptions, &session)));
  const char *entry = options.entry.empty() ? nullptr : options.entry.c_str();
  MOE_RETURN_IF_ERROR(take(moe_session_find_program(session, entry, &program)));
  return take(moe_session_program(session, program, &info));
}

/// Checks all types and shapes before any element is made.
Status Runner::prepareInputs() {
  std::vector<Input> sources;
  std::vector<moe_tensor> tensors;
  for (size_t i = 0; i < options.inputs.size(); ++i) {
    Expected<Input> input = Input::parse(options.inputs[i]);
    if (!input.ok())
      return makeError(input.status().code(), "input ", i, ": ",
                       input.status().message());
    sources.push_back(std::move(*input));
  }
  MOE_RETURN_IF_ERROR(setNumRuns(sources));
  for (const Input &input : sources)
    tensors.push_back({sizeof(moe_tensor), nullptr, input.type().shape.size(),
                       input.type().shape.data(), input.type().type});
  if (tensors.size() != info.num_inputs)
    return makeError(Code::InvalidArgument, "expected ", info.num_inputs,
                     " inputs of '", info.name, "', but got ", tensors.size());
  for (size_t i = 0; i < info.num_outputs; ++i) {
    ArrayType type;
    type.type = info.outputs[i].type;
    type.shape.resize(info.outputs[i].rank);
    MOE_RETURN_IF_ERROR(
        take(moe_session_output_shape(session, program, tensors.data(),
                                      tensors.size(), i, type.shape.data())));
    if (type.type != MOE_TYPE_F32 && type.type != MOE_TYPE_I32)
      return makeError(Code::InvalidArgument,
                       "expected results of f32 or i32, "
                       "but result ",
                       i, " is ", type.str());
    MOE_ASSIGN_OR_RETURN(Array output, Array::create(std::move(type)));
    outputs.push_back(std::move(output));
  }
  for (const Input &input : sources) {
    MOE_ASSIGN_OR_RETURN(Array array, input.load());
    inputs.push_back(std::move(array));
    inputRuns.push_back(input.numRuns());
  }
  return Status();
}

/// As many runs as --repeat says, or as the inputs have values for.
Status Runner::setNumRuns(const std::vector<Input> &sources) {
  std::optional<size_t> runs;
  for (const Input &input : sources) {
    if (runs && input.numRuns() && *runs != *input.numRuns())
      return makeError(Code::InvalidArgument,
                       "expected the same number of runs of all 'each:' "
                       "inputs, but got ",
                       *runs, " and ", *input.numRuns());
    if (input.numRuns())
      runs = input.numRuns();
  }
  repeat = runs && !options.repeatGiven ? *runs : options.repeat;
  return Status();
}

Status Runner::prepareOutputs() {
  size_t numResults = outputs.size();
  if (options.outputs.size() > numResults)
    return makeError(Code::InvalidArgument, "expected at most ", numResults,
                     " --output, but got ", options.outputs.size());
  if (options.expects.size() > numResults)
    return makeError(Code::InvalidArgument, "expected at most ", numResults,
                     " --expect, but got ", options.expects.size());
  for (size_t i = 0; i < options.outputs.size(); ++i) {
    std::string path = options.outputs[i];
    collected.emplace_back();
    if (!takePrefix(kEach, path))
      continue;
    ArrayType type = outputs[i].type();
    type.shape.insert(type.shape.begin(), int64_t(repeat));
    MOE_ASSIGN_OR_RETURN(collected.back(), Array::create(std::move(type)));
  }
  for (size_t i = 0; i < options.expects.size(); ++i) {
    const std::string &path = options.expects[i];
    Expected<Array> array =
        path.empty() ? Array::create({MOE_TYPE_F32, {0}}) : readNpy(path);
    if (!array.ok())
      return array.status();
    std::string type = array->type().str(), result = outputs[i].type().str();
    if (!path.empty() && type != result)
      return makeError(Code::InvalidArgument, "expected '", path, "' to hold ",
                       result, " like result ", i, ", but got ", type);
    expected.push_back(std::move(*array));
  }
  return Status();
}

/// The values of an `each:` input start again after the last.
std::vector<moe_tensor> Runner::inputsOfRun(size_t run) const {
  std::vector<moe_tensor> tensors;
  for (size_t i = 0; i < inputs.size(); ++i) {
    moe_tensor tensor = inputs[i].tensor();
    if (inputRuns[i]) {
      size_t size = inputs[i].size() / *inputRuns[i];
      tensor.data = inputs[i].floats() + size * (run % *inputRuns[i]);
      ++tensor.shape;
      --tensor.rank;
    }
    tensors.push_back(tensor);
  }
  return tensors;
}

static bool isStatic(const moe_tensor &type) {
  return std::all_of(type.shape, type.shape + type.rank,
                     [](int64_t size) { return size >= 0; });
}

Status Runner::runOnce(bool counts) {
  std::vector<moe_tensor> in = inputsOfRun(numRuns), out;
  for (size_t i = 0; i < outputs.size(); ++i) {
    out.push_back(outputs[i].tensor());
    if (!isWanted(i))
      out.back().data = nullptr;
  }
  // Weights stay where the first run has put them, as they do when a layer is
  // served, and state is as the last run has left it; what depends on a dynamic
  // size goes up with every run.
  for (size_t i = 0; numRuns && i < in.size(); ++i)
    if (isStatic(info.inputs[i]) && !inputRuns[i])
      in[i].data = nullptr;
  auto start = std::chrono::steady_clock::now();
  Status status = take(moe_session_run(session, program, in.data(), in.size(),
                                       out.data(), out.size()));
  std::chrono::duration<double, std::milli> wall =
      std::chrono::steady_clock::now() - start;
  // The first message is in the status.
  for (size_t i = 1; i < moe_session_validation_count(session); ++i)
    report(makeError(Code::Validation,
                     moe_session_validation_message(session, i)));
  MOE_RETURN_IF_ERROR(status);
  ++numRuns;
  moe_timings timings = {sizeof(timings)};
  MOE_RETURN_IF_ERROR(take(moe_session_timings(session, &timings)));
  if (!counts)
    return Status();
  measurements.add(wall.count(), timings);
  collectOutputs();
  return Status();
}

/// Without any --output, all results are printed; else only those that are
/// written or compared come down.
bool Runner::isWanted(size_t output) const {
  auto names = [&](const std::vector<std::string> &paths) {
    return output < paths.size() && !paths[output].empty();
  };
  return options.outputs.empty() || names(options.outputs) ||
         names(options.expects);
}

void Runner::collectOutputs() {
  for (size_t i = 0; i < collected.size(); ++i)
    if (collected[i])
      std::copy_n(outputs[i].ints(), outputs[i].size(),
                  collected[i]->ints() + numCounted * outputs[i].size());
  ++numCounted;
}

Status Runner::run() {
  for (uint64_t i = 0; i < options.warmup; ++i)
    MOE_RETURN_IF_ERROR(runOnce(/*counts=*/false));
  for (uint64_t i = 0; i < repeat; ++i)
    MOE_RETURN_IF_ERROR(runOnce(/*counts=*/true));
  return Status();
}

Status Runner::writeOutputs() const {
  for (size_t i = 0; i < options.outputs.size(); ++i) {
    std::string path = options.outputs[i];
    takePrefix(kEach, path);
    if (!path.empty())
      MOE_RETURN_IF_ERROR(
          writeNpy(path, collected[i] ? *collected[i] : outputs[i]));
  }
  return Status();
}

Status Runner::compareOutputs(size_t &numDiffering) const {
  for (size_t i = 0; i < expected.size(); ++i) {
    if (options.expects[i].empty())
      continue;
    Difference difference = compare(outputs[i], expected[i], options.tolerance);
    if (difference.count == 0)
      continue;
    ++numDiffering;
    report(makeError(Code::InvalidArgument, "result ", i, " and '",
                     options.expects[i],
                     "': ", describe(difference, outputs[i], expected[i])));
  }
  return Status();
}

// The driver's statistics come one a line.
static std::string onOneLine(std::string text) {
  while (!text.empty() && text.back() == '\n')
    text.pop_back();
  for (size_t at = 0; (at = text.find('\n', at)) != std::string::npos; at += 2)
    text.replace(at, 1, ", ");
  return text;
}

void Runner::print() const {
  if (options.outputs.empty())
    for (size_t i = 0; i < outputs.size(); ++i)
      std::printf("result %zu: %s\n", i, summarize(outputs[i]).c_str());
  if (options.profile) {
    std::printf("device %s\n%s", moe_session_device_name(session),
                measurements.table().c_str());
    const char *name = nullptr;
    const char *text = nullptr;
    for (size_t i = 0;
         (text = moe_session_kernel_statistics(session, i, &name)); ++i)
      if (*text)
        std::printf("%s: %s\n", name, onOneLine(text).c_str());
  }
  if (options.repeatGiven || options.profile)
    std::printf("%s\n", measurements.summary().c_str());
}

Status Runner::writeTrace() const {
  if (options.trace.empty())
    return Status();
  std::ofstream file(options.trace);
  file << measurements.trace(moe_session_device_name(session));
  file.close();
  if (!file)
    return makeError(Code::InvalidArgument, "'", options.trace,
                     "': expected a file that can be written, but it cannot");
  return Status();
}

static Status writeBundle(const std::string &path,
                          const std::vector<char> &bundle) {
  std::ofstream file(path, std::ios::binary);
  file.write(bundle.data(), std::streamsize(bundle.size()));
  file.close();
  if (!file)
    return makeError(Code::InvalidArgument, "'", path,
                     "': expected a file that can be written, but it cannot");
  return Status();
}

static Status runBundle(const Options &options, const std::vector<char> &bundle,
                        size_t &numDiffering) {
  Runner runner(options);
  MOE_RETURN_IF_ERROR(runner.createSession(bundle));
  MOE_RETURN_IF_ERROR(runner.prepareInputs());
  MOE_RETURN_IF_ERROR(runner.prepareOutputs());
  MOE_RETURN_IF_ERROR(runner.run());
  MOE_RETURN_IF_ERROR(runner.writeOutputs());
  MOE_RETURN_IF_ERROR(runner.writeTrace());
  runner.print();
  return runner.compareOutputs(numDiffering);
}

int moe::run::runFile(const Options &options) {
  Expected<std::vector<char>> bundle = loadBundle(options);
  if (!bundle.ok())
    return report(bundle.status());
  if (!options.emitBundle.empty()) {
    if (Status error = writeBundle(options.emitBundle, *bundle); !error.ok())
      return report(error);
    if (options.inputs.empty() && options.outputs.empty() &&
        options.expects.empty())
      return kExitGood;
  }
  size_t numDiffering = 0;
  if (Status error = runBundle(options, *bundle, numDiffering); !error.ok())
    return report(error);
  return numDiffering ? kExitDiffers : kExitGood;
}
