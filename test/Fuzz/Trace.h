//===- Trace.h - Whose code a crash is in -----------------------*- C++ -*-===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef MOE_TEST_FUZZ_TRACE_H
#define MOE_TEST_FUZZ_TRACE_H

#include "Child.h"
#include "llvm/ADT/StringMap.h"

namespace mlir::moe::fuzz {

/// A crash with names.
struct Trace {
  /// Whether code of the project is on the stack, or the process ended without
  /// one.
  bool ours = true;
  /// Equal for crashes at the same place: the innermost frames of the project
  /// and of anything.
  std::string signature;
  /// Function and place of each frame, one a line.
  std::string text;
};

/// Names the frames of a crash with llvm-symbolizer. With line tables a frame
/// is the project's when its source is below `sourceFolder`; else when it lies
/// in this program. Answers are kept.
class Tracer {
public:
  explicit Tracer(std::string sourceFolder);
  const Trace &trace(const Outcome &outcome);

private:
  std::string sourceFolder;
  llvm::StringMap<Trace> known;
};

} // namespace mlir::moe::fuzz

#endif // MOE_TEST_FUZZ_TRACE_H
