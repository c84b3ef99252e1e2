//===- Session.h - A bundle loaded on a device ------------------*- C++ -*-===//
//
// Part of moe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MOE_RUNTIME_SESSION_SESSION_H
#define MOE_RUNTIME_SESSION_SESSION_H

#include "Session/Arguments.h"
#include "Session/Recording.h"
#include "Support/LRUCache.h"
#include "Vulkan/PipelineCache.h"

#include <optional>

namespace moe::runtime {

struct SessionOptions {
  std::optional<size_t> device; // the best one when absent
  std::string pipelineCacheDirectory;
  ValidationMode validation = ValidationMode::Off;
  bool profile = false;
  /// Bytes before and after each buffer that are checked after each run.
  uint64_t guardBytes = 0;
  /// Go through staging buffers even where memory is unified: for tests.
  bool forceStaging = false;
};

/// All devices of the machine, in the order of Vulkan.
Expected<std::vector<DeviceSnapshot>> listDevices();

class Session {
public:
  static Expected<std::unique_ptr<Session>>
  create(const void *data, size_t size, const SessionOptions &options);
  ~Session();

  const Bundle &content() const { return bundle; }
  const DeviceSnapshot &deviceSnapshot() const { return device->snapshot(); }
  const MessageLog &messages() const { return instance->messages(); }
  const DeviceCounters &counters() const { return device->counters(); }
  uint64_t numRecordings() const { return recorded; }
  bool isLost() const { return device->isLost(); }

  /// Runs a program: checks, uploads, one submit, one wait, downloads.
  Status run(size_t program, const std::vector<Argument> &inputs,
             const std::vector<Argument> &outputs);

  /// Of the last run; null before the first.
  const Recording *lastRecording() const { return last; }

  std::vector<PipelineStatistic> statistics(size_t kernel) const {
    return pipelines[kernel].statistics(*device);
  }

private:
  explicit Session(Bundle bundle) : bundle(std::move(bundle)) {}

  /// Which inputs go up in a run, and which outputs come down.
  struct Selection {
    std::vector<bool> uploads;
    std::vector<bool> downloads;

    bool operator==(const Selection &other) const {
      return uploads == other.uploads && downloads == other.downloads;
    }
  };

  /// What a recording is made for.
  struct Key {
    size_t program = 0;
    std::vector<int64_t> symbols;
    Selection selection;

    bool operator==(const Key &other) const {
      return program == other.program && symbols == other.symbols &&
             selection == other.selection;
    }
  };

  /// What stays on the device for one program.
  struct ProgramState {
    std::unique_ptr<PersistentBuffers> buffers;
    std::vector<bool> resident; // inputs that have gone up at least once
  };

  Status initialize(const SessionOptions &options);
  Status createPipelines(const std::string &cacheDirectory);
  Expected<ProgramState *> stateOf(size_t program);
  Expected<Selection> select(const bundle::Program &program,
                             const ProgramState &state,
                             const std::vector<Argument> &inputs,
                             const std::vector<Argument> &outputs);
  Expected<Recording *> recordingFor(const Key &key, const ProgramState &state);
  Status readStatus(const bundle::Program &program,
                    const Recording &recording) const;

  // In the order of creation: each needs the ones before it.
  std::unique_ptr<Instance> instance;
  Bundle bundle;
  std::unique_ptr<Device> device;
  MemoryTypes memoryTypes;
  std::vector<Pipeline> pipelines;
  std::unique_ptr<Pools> pools;
  std::vector<ProgramState> programs;
  LRUCache<Key, std::unique_ptr<Recording>> recordings{8};
  const Recording *last = nullptr;
  uint64_t recorded = 0;
  bool profile = false;
  uint64_t guardBytes = 0;
};

} // namespace moe::runtime

#endif // MOE_RUNTIME_SESSION_SESSION_H
