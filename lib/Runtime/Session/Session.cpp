//===- Session.cpp - A bundle loaded on a device --------------------------===//
//
// Part of moe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Session/Session.h"

#include <algorithm>
#include <cstring>
#include <set>

using namespace moe::runtime;
using moe::bundle::BufferKind;

static Expected<std::vector<DeviceSnapshot>>
snapshotsOf(const Instance &instance) {
  MOE_ASSIGN_OR_RETURN(std::vector<VkPhysicalDevice> handles,
                       instance.physicalDevices());
  std::vector<DeviceSnapshot> result;
  for (VkPhysicalDevice handle : handles)
    result.push_back(takeSnapshot(instance.get(), handle));
  return result;
}

Expected<std::vector<DeviceSnapshot>> moe::runtime::listDevices() {
  MOE_ASSIGN_OR_RETURN(std::unique_ptr<Instance> instance,
                       Instance::create(ValidationMode::Off));
  return snapshotsOf(*instance);
}

static Expected<DeviceSnapshot> chooseDevice(const Instance &instance,
                                             std::optional<size_t> index) {
  MOE_ASSIGN_OR_RETURN(std::vector<DeviceSnapshot> devices,
                       snapshotsOf(instance));
  if (devices.empty())
    return makeError(Code::Device,
                     "expected a Vulkan device, but this machine has none");
  size_t chosen = index ? *index : bestDevice(devices);
  if (chosen >= devices.size())
    return makeError(Code::InvalidArgument, "expected a device index below ",
                     devices.size(), ", but got ", chosen);
  return devices[chosen];
}

Expected<std::unique_ptr<Session>>
Session::create(const void *data, size_t size, const SessionOptions &options) {
  MOE_ASSIGN_OR_RETURN(Bundle bundle, Bundle::open(data, size));
  std::unique_ptr<Session> session(new Session(std::move(bundle)));
  MOE_ASSIGN_OR_RETURN(session->instance, Instance::create(options.validation));
  Status status = session->initialize(options);
  if (status.ok())
    return session;
  // The validation layer may have the reason.
  const MessageLog &messages = session->messages();
  if (messages.size() == 0)
    return status;
  return makeError(Code::Validation, status.message(), ": ", messages.at(0));
}

Status Session::initialize(const SessionOptions &options) {
  profile = options.profile;
  guardBytes = options.guardBytes;
  if (guardBytes > Guards::kMaxBytes)
    return makeError(Code::InvalidArgument, "expected at most ",
                     Guards::kMaxBytes,
                     " bytes of guards around a buffer, but got ", guardBytes);
  MOE_ASSIGN_OR_RETURN(DeviceSnapshot snapshot,
                       chooseDevice(*instance, options.device));
  PlanOptions planOptions;
  planOptions.pipelineStatistics = options.profile;
  MOE_ASSIGN_OR_RETURN(DevicePlan plan,
                       planDevice(snapshot, needsOf(bundle), planOptions));
  MOE_ASSIGN_OR_RETURN(device, Device::create(*instance, snapshot, plan));

  // Every buffer has the same usage, so any of them tells the memory types.
  VkMemoryRequirements requirements;
  MOE_ASSIGN_OR_RETURN(PlacedBuffer probe,
                       createBuffer(*device, 16, "probe", requirements));
  MOE_ASSIGN_OR_RETURN(
      memoryTypes, chooseMemoryTypes(snapshot, requirements.memoryTypeBits));
  if (options.forceStaging)
    memoryTypes.unified = false;
  pools = std::make_unique<Pools>(*device, memoryTypes);
  programs.resize(bundle.numPrograms());
  return createPipelines(options.pipelineCacheDirectory);
}

// Members are destroyed in reverse order, recordings first and the instance
// last.
Session::~Session() = default;

Status Session::createPipelines(const std::string &cacheDirectory) {
  MOE_ASSIGN_OR_RETURN(PipelineCache cache,
                       PipelineCache::create(*device, cacheDirectory));
  for (size_t i = 0; i < bundle.numKernels(); ++i) {
    MOE_ASSIGN_OR_RETURN(
        Pipeline pipeline,
        Pipeline::create(*device, bundle.kernel(i),
                         device->plan().requiredSubgroupSizes[i], cache.get()));
    pipelines.push_back(std::move(pipeline));
  }
  cache.save();
  return Status();
}

Expected<Session::ProgramState *> Session::stateOf(size_t program) {
  ProgramState &state = programs[program];
  if (!state.buffers) {
    MOE_ASSIGN_OR_RETURN(state.buffers,
                         PersistentBuffers::create(*device, memoryTypes,
                                                   bundle.program(program),
                                                   guardBytes));
    const auto *inputs = bundle.program(program).inputs();
    state.resident.assign(inputs ? inputs->size() : 0, false);
  }
  return &state;
}

/// What goes up and what comes down: the arrays with data. An input without
/// data must be on the device already.
Expected<Session::Selection>
Session::select(const bundle::Program &program, const ProgramState &state,
                const std::vector<Argument> &inputs,
                const std::vector<Argument> &outputs) {
  Selection selection;
  for (unsigned i = 0; i < inputs.size(); ++i) {
    MOE_ASSIGN_OR_RETURN(uint64_t bytes, bytesOf(inputs[i]));
    selection.uploads.push_back(inputs[i].data != nullptr);
    uint32_t buffer = program.inputs()->Get(i)->buffer();
    bool resident = state.resident[i] && state.buffers->find(buffer);
    if (bytes && !inputs[i].data && !resident)
      return makeError(Code::InvalidArgument, "expected data of input ", i,
                       ", but got none, and no earlier run has left it on the "
                       "device");
  }
  for (const Argument &output : outputs)
    selection.downloads.push_back(output.data != nullptr);
  return selection;
}

/// The selected buffers and the status, ascending and each but once.
static Recording::Transfers transfersOf(const moe::bundle::Program &program,
                                        const std::vector<bool> &uploads,
                                        const std::vector<bool> &downloads) {
  std::set<uint32_t> up, down;
  for (unsigned i = 0; i < uploads.size(); ++i)
    if (uploads[i])
      up.insert(program.inputs()->Get(i)->buffer());
  for (unsigned i = 0; i < downloads.size(); ++i)
    if (downloads[i])
      down.insert(program.outputs()->Get(i)->buffer());
  for (uint32_t i = 0; i < program.buffers()->size(); ++i)
    if (program.buffers()->Get(i)->kind() == BufferKind::Status)
      down.insert(i);
  return {{up.begin(), up.end()}, {down.begin(), down.end()}};
}

/// The tensor's bytes, which must fit into its buffer.
static Expected<uint64_t> bytesIn(const ResolvedProgram &program,
                                  uint32_t buffer, const Argument &argument) {
  MOE_ASSIGN_OR_RETURN(uint64_t bytes, bytesOf(argument));
  const ResolvedBuffer &target = program.buffers[buffer];
  if (bytes > target.bytes)
    return makeError(Code::InvalidArgument, "expected buffer '", target.name,
                     "' to have ", bytes, " bytes or more, but got ",
                     target.bytes);
  return bytes;
}

Expected<Recording *> Session::recordingFor(const Key &key,
                                            const ProgramState &state) {
  if (std::unique_ptr<Recording> *found = recordings.find(key))
    return found->get();
  const auto &[index, symbols, selection] = key;
  const bundle::Program &program = bundle.program(index);
  const VkPhysicalDeviceLimits &limits = device->snapshot().limits;
  DeviceLimits deviceLimits;
  deviceLimits.maxStorageRange = limits.maxStorageBufferRange;
  deviceLimits.minStorageAlignment = limits.minStorageBufferOffsetAlignment;
  std::copy_n(limits.maxComputeWorkGroupCount, 3,
              deviceLimits.maxWorkgroupCount.begin());
  MOE_ASSIGN_OR_RETURN(ResolvedProgram resolved,
                       resolve(bundle, program, symbols, deviceLimits));

  Recording::Transfers transfers =
      transfersOf(program, selection.uploads, selection.downloads);
  MOE_ASSIGN_OR_RETURN(
      RecordingBuffers buffers,
      RecordingBuffers::create(*device, resolved, *state.buffers,
                               {pools->unified, guardBytes}, transfers.uploads,
                               transfers.downloads));
  last = nullptr; // it may be the recording that makes room
  recordings.makeRoom();
  // The pools grow by replacing slabs: what lies in them goes first.
  if (!buffers.fit(*pools))
    recordings.clear();
  MOE_RETURN_IF_ERROR(buffers.bind(*pools));
  std::unique_ptr<Guards> guards;
  if (guardBytes) {
    MOE_ASSIGN_OR_RETURN(guards,
                         Guards::create(*device, memoryTypes.download, bundle,
                                        program, resolved, buffers));
  }
  MOE_ASSIGN_OR_RETURN(std::unique_ptr<Recording> recording,
                       Recording::create(*device, std::move(resolved),
                                         std::move(buffers), std::move(guards),
                                         transfers, pipelines, profile));
  ++recorded;
  return recordings.insert(key, std::move(recording)).get();
}

Status Session::readStatus(const bundle::Program &program,
                           const Recording &recording) const {
  for (uint32_t i = 0; i < recording.resolved().buffers.size(); ++i) {
    if (recording.resolved().buffers[i].kind != BufferKind::Status)
      continue;
    uint32_t words[4];
    std::memcpy(words, recording.storage().host(i, Direction::Down),
                sizeof(words));
    if (words[0] != 0)
      return makeError(Code::RuntimeFault, describeFault(program, words));
  }
  return Status();
}

Status Session::run(size_t index, const std::vector<Argument> &inputs,
                    const std::vector<Argument> &outputs) {
  if (index >= bundle.numPrograms())
    return makeError(Code::InvalidArgument, "expected a program index below ",
                     bundle.numPrograms(), ", but got ", index);
  const bundle::Program &program = bundle.program(index);
  MOE_ASSIGN_OR_RETURN(std::vector<int64_t> symbols,
                       bindSymbols(program, inputs));
  MOE_RETURN_IF_ERROR(checkOutputs(program, symbols, outputs));
  MOE_ASSIGN_OR_RETURN(ProgramState * state, stateOf(index));
  MOE_ASSIGN_OR_RETURN(Selection selection,
                       select(program, *state, inputs, outputs));
  MOE_ASSIGN_OR_RETURN(
      Recording * recording,
      recordingFor({index, std::move(symbols), std::move(selection)}, *state));
  const RecordingBuffers &buffers = recording->storage();

  for (unsigned i = 0; i < inputs.size(); ++i) {
    uint32_t buffer = program.inputs()->Get(i)->buffer();
    MOE_ASSIGN_OR_RETURN(uint64_t bytes,
                         bytesIn(recording->resolved(), buffer, inputs[i]));
    if (!inputs[i].data)
      continue;
    std::memcpy(buffers.host(buffer, Direction::Up), inputs[i].data, bytes);
    state->resident[i] = true;
  }
  last = recording;
  MOE_RETURN_IF_ERROR(recording->run());
  if (size_t count = messages().size())
    return makeError(Code::Validation,
                     "expected no message of the validation "
                     "layer, but got ",
                     count, ", the first: ", messages().at(0));
  MOE_RETURN_IF_ERROR(readStatus(program, *recording));
  for (unsigned i = 0; i < outputs.size(); ++i) {
    uint32_t buffer = program.outputs()->Get(i)->buffer();
    MOE_ASSIGN_OR_RETURN(uint64_t bytes,
                         bytesIn(recording->resolved(), buffer, outputs[i]));
    if (bytes && outputs[i].data)
      std::memcpy(outputs[i].data, buffers.host(buffer, Direction::Down),
                  bytes);
  }
  return Status();
}
