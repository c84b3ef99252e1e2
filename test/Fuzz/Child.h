//===- Child.h - Work in a process of its own -------------------*- C++ -*-===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef MOE_TEST_FUZZ_CHILD_H
#define MOE_TEST_FUZZ_CHILD_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include <string>
#include <vector>

namespace mlir::moe::fuzz {

/// How passes over a text ended.
enum class End : uint32_t {
  /// Parser or verifier refused the text.
  Unparsed,
  /// A pass failed and said why.
  Refused,
  Passed,
  /// A pass failed without an error.
  Silent,
  /// No answer in the time that a child has.
  TimedOut,
  /// A signal, an assertion, a sanitizer's finding, or a call of exit.
  Crashed
};
constexpr unsigned numEnds = 6;

inline bool isFault(End end) { return end >= End::Silent; }

/// A longer backtrace is cut off.
constexpr size_t maxFrames = 512;

/// What a child did.
struct Outcome {
  /// How many pieces of work ended in each way.
  size_t ends[numEnds] = {};
  /// The last of them, which is the only fault if there is one.
  uint64_t number = 0;
  End end = End::Passed;
  int signal = 0;
  /// The return addresses at the crash, innermost first, without the driver's.
  std::vector<void *> frames;
  /// What was at work, as told by `tell`.
  std::string text;
  std::vector<std::string> passes;
};

/// Limits of one piece of work: seconds of processor time, and MiB of memory
/// (0: none).
struct Limits {
  unsigned seconds, megabytes;
};

/// Does the pieces of work `first`, `first + 1`, … in a forked process, up to
/// `count` of them or the first fault.
Outcome runInChild(Limits limits, uint64_t first, uint64_t count,
                   llvm::function_ref<End(uint64_t)> work);

/// In a child: what is at work from now on, for the parent to know.
void tell(llvm::StringRef text, llvm::ArrayRef<std::string> passes);

/// Marks a function of the driver that calls into what is tested. In a
/// backtrace, frames outside of such functions are not the driver's.
#define MOE_FUZZ_DRIVER __attribute__((noinline, section("moe_fuzz_driver")))

} // namespace mlir::moe::fuzz

#endif // MOE_TEST_FUZZ_CHILD_H
