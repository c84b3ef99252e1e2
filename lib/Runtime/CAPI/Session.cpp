//===- Session.cpp - The C API over Session -------------------------------===//
//
// Part of moe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Session/Session.h"
#include "CAPI/Convert.h"
#include "Support/Expr.h"

#include <deque>

using namespace moe::runtime;

static_assert(int(moe::bundle::ElementType::MAX) == MOE_TYPE_I16);

namespace {
/// A moe_program_info and what it points to.
struct ProgramInfo {
  std::deque<std::vector<int64_t>> shapes;
  std::vector<moe_tensor> inputs;
  std::vector<moe_tensor> outputs;
  std::vector<int64_t> updates;
};
} // namespace

struct moe_session {
  std::unique_ptr<Session> session;
  std::vector<ProgramInfo> programs;
  // What the last call has returned pointers to.
  std::vector<Timing> timings;
  std::vector<moe_timing> dispatches;
  std::string text;
};

//===----------------------------------------------------------------------===//
// Sessions and programs
//===----------------------------------------------------------------------===//

using TensorTables =
    flatbuffers::Vector<flatbuffers::Offset<moe::bundle::Tensor>>;

static void describe(const TensorTables *tensors, ProgramInfo &info,
                     std::vector<moe_tensor> &result) {
  for (unsigned i = 0; tensors && i < tensors->size(); ++i) {
    const moe::bundle::Tensor &tensor = *tensors->Get(i);
    std::vector<int64_t> &shape = info.shapes.emplace_back();
    for (const moe::bundle::Expr *dim : *tensor.shape()) {
      Expected<int64_t> value =
          isConstant(*dim) ? evaluate(*dim, {}) : Expected<int64_t>(-1);
      shape.push_back(value.ok() ? *value : -1);
    }
    result.push_back({sizeof(moe_tensor), nullptr, shape.size(), shape.data(),
                      moe_type(tensor.type())});
  }
}

static void describeAliases(const moe::bundle::Program &program,
                            ProgramInfo &info) {
  info.updates.assign(info.inputs.size(), -1);
  for (unsigned i = 0; program.aliases() && i < program.aliases()->size(); ++i)
    info.updates[program.aliases()->Get(i)->input()] =
        program.aliases()->Get(i)->output();
}

static Expected<SessionOptions> toOptions(const moe_session_options *options) {
  // A struct of an older and shorter kind leaves the defaults.
  moe_session_options values = {sizeof(values),     -1, nullptr,
                                MOE_VALIDATION_OFF, 0,  0};
  if (options)
    std::memcpy(&values, options, std::min(options->size, sizeof(values)));
  if (unsigned(values.validation) > MOE_VALIDATION_GPU)
    return makeError(Code::InvalidArgument,
                     "expected a validation mode, but got ",
                     int(values.validation));
  SessionOptions result;
  if (values.device >= 0)
    result.device = size_t(values.device);
  if (values.pipeline_cache_dir)
    result.pipelineCacheDirectory = values.pipeline_cache_dir;
  result.validation = ValidationMode(values.validation);
  result.profile = values.profile != 0;
  result.guardBytes = values.guard_bytes;
  return result;
}

moe_status *moe_session_create(const void *bundle, size_t size,
                               const moe_session_options *options,
                               moe_session **session) {
  Expected<SessionOptions> converted = toOptions(options);
  if (!converted.ok())
    return toC(converted.status());
  Expected<std::unique_ptr<Session>> created =
      Session::create(bundle, size, *converted);
  if (!created.ok())
    return toC(created.status());
  auto result = std::make_unique<moe_session>();
  result->session = std::move(*created);
  const Bundle &content = result->session->content();
  result->programs.resize(content.numPrograms());
  for (size_t i = 0; i < content.numPrograms(); ++i) {
    ProgramInfo &info = result->programs[i];
    describe(content.program(i).inputs(), info, info.inputs);
    describe(content.program(i).outputs(), info, info.outputs);
    describeAliases(content.program(i), info);
  }
  *session = result.release();
  return nullptr;
}

void moe_session_destroy(moe_session *session) {
  // A lost device may still use its objects: they stay.
  if (session && session->session->isLost())
    (void)session->session.release();
  delete session;
}

const char *moe_session_device_name(const moe_session *session) {
  return session->session->deviceSnapshot().name.c_str();
}

size_t moe_session_num_programs(const moe_session *session) {
  return session->programs.size();
}

static std::string namesOf(const Bundle &content) {
  std::string names;
  for (size_t i = 0; i < content.numPrograms(); ++i)
    names += join(i ? ", '" : "'", content.program(i).name()->str(), "'");
  return names;
}

moe_status *moe_session_find_program(const moe_session *session,
                                     const char *name, size_t *program) {
  const Bundle &content = session->session->content();
  if (!name && content.numPrograms() == 1) {
    *program = 0;
    return nullptr;
  }
  if (!name)
    return invalid("expected the name of an entry, because the bundle has ",
                   content.numPrograms(), ": ", namesOf(content));
  for (size_t i = 0; i < content.numPrograms(); ++i) {
    if (content.program(i).name()->str() == name) {
      *program = i;
      return nullptr;
    }
  }
  return invalid("expected an entry of the bundle (", namesOf(content),
                 "), but got '", name, "'");
}

static moe_status *checkProgramIndex(const moe_session *session,
                                     size_t program) {
  if (program < session->programs.size())
    return nullptr;
  return invalid("expected a program index below ", session->programs.size(),
                 ", but got ", program);
}

moe_status *moe_session_program(const moe_session *session, size_t program,
                                moe_program_info *info) {
  if (moe_status *status = checkProgramIndex(session, program))
    return status;
  const ProgramInfo &known = session->programs[program];
  const auto &table = session->session->content().program(program);
  fill(info,
       {0, table.name()->c_str(), known.inputs.size(), known.inputs.data(),
        known.outputs.size(), known.outputs.data(), known.updates.data()});
  return nullptr;
}

Expected<std::vector<Argument>>
moe::runtime::toArguments(const moe_tensor *tensors, size_t count,
                          const char *role) {
  std::vector<Argument> result;
  const char *next = reinterpret_cast<const char *>(tensors);
  for (size_t i = 0; i < count; ++i, next += tensors->size) {
    const auto &tensor = *reinterpret_cast<const moe_tensor *>(next);
    if (tensor.size < sizeof(moe_tensor) || tensor.size != tensors->size)
      return makeError(Code::InvalidArgument, "expected the size of ", role,
                       " ", i, " to be that of moe_tensor, ",
                       sizeof(moe_tensor), ", but got ", tensor.size);
    if (unsigned(tensor.type) > MOE_TYPE_I16)
      return makeError(Code::InvalidArgument, "expected a type of ", role, " ",
                       i, ", but got ", int(tensor.type));
    if (tensor.rank && !tensor.shape)
      return makeError(Code::InvalidArgument, "expected a shape of ", role, " ",
                       i, ", but got null");
    Argument argument;
    argument.data = tensor.data;
    argument.type = moe::bundle::ElementType(tensor.type);
    argument.shape.assign(tensor.shape, tensor.shape + tensor.rank);
    result.push_back(std::move(argument));
  }
  return result;
}

moe_status *moe_session_output_shape(const moe_session *session, size_t program,
                                     const moe_tensor *inputs,
                                     size_t num_inputs, size_t output,
                                     int64_t *shape) {
  if (moe_status *status = checkProgramIndex(session, program))
    return status;
  const auto &table = session->session->content().program(program);
  size_t numOutputs = session->programs[program].outputs.size();
  if (output >= numOutputs)
    return invalid("expected an output index below ", numOutputs, ", but got ",
                   output);
  Expected<std::vector<Argument>> arguments =
      toArguments(inputs, num_inputs, "input");
  if (!arguments.ok())
    return toC(arguments.status());
  Expected<std::vector<int64_t>> symbols = bindSymbols(table, *arguments);
  if (!symbols.ok())
    return toC(symbols.status());
  Expected<std::vector<int64_t>> dims =
      shapeOf(*table.outputs()->Get(unsigned(output)), *symbols);
  if (!dims.ok())
    return toC(dims.status());
  std::copy(dims->begin(), dims->end(), shape);
  return nullptr;
}

moe_status *moe_session_run(moe_session *session, size_t program,
                            const moe_tensor *inputs, size_t num_inputs,
                            const moe_tensor *outputs, size_t num_outputs) {
  Expected<std::vector<Argument>> in = toArguments(inputs, num_inputs, "input");
  if (!in.ok())
    return toC(in.status());
  Expected<std::vector<Argument>> out =
      toArguments(outputs, num_outputs, "output");
  if (!out.ok())
    return toC(out.status());
  return toC(session->session->run(program, *in, *out));
}

//===----------------------------------------------------------------------===//
// What a session tells of itself
//===----------------------------------------------------------------------===//

moe_status *moe_session_timings(moe_session *session, moe_timings *timings) {
  const Recording *last = session->session->lastRecording();
  if (!last)
    return invalid("expected a run before its timings, but got none");
  const Bundle &content = session->session->content();
  session->timings = last->timings();
  session->dispatches.clear();
  for (const Timing &timing : session->timings)
    session->dispatches.push_back(
        {content.kernel(timing.kernel).name()->c_str(), timing.label.c_str(),
         timing.startMilliseconds, timing.milliseconds, timing.flops,
         timing.bytes});
  fill(timings, {0, last->deviceMilliseconds(), last->resolved().arenaBytes,
                 session->dispatches.size(), session->dispatches.data()});
  return nullptr;
}

const char *moe_session_kernel_statistics(moe_session *session, size_t kernel,
                                          const char **name) {
  const Bundle &content = session->session->content();
  if (kernel >= content.numKernels())
    return nullptr;
  if (name)
    *name = content.kernel(kernel).name()->c_str();
  session->text.clear();
  for (const auto &[key, value] : session->session->statistics(kernel))
    session->text += join(key, ": ", value, "\n");
  return session->text.c_str();
}

size_t moe_session_validation_count(const moe_session *session) {
  return session->session->messages().size();
}

const char *moe_session_validation_message(moe_session *session, size_t index) {
  if (index >= session->session->messages().size())
    return nullptr;
  session->text = session->session->messages().at(index);
  return session->text.c_str();
}

void moe_session_statistics(const moe_session *session,
                            moe_statistics *statistics) {
  const DeviceCounters &counters = session->session->counters();
  fill(statistics, {0, session->session->numRecordings(), counters.pipelines,
                    counters.submits, counters.waits});
}
