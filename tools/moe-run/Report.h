//===- Report.h - What moe-run prints ---------------------------*- C++ -*-===//
//
// Part of moe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MOE_TOOLS_MOE_RUN_REPORT_H
#define MOE_TOOLS_MOE_RUN_REPORT_H

#include "Array.h"

namespace moe::run {

/// The times of the runs that count.
class Measurements {
public:
  void add(double wallMilliseconds, const moe_timings &timings);

  size_t numRuns() const { return wall.size(); }
  /// "wall 1.23 ms, device 1.01 ms (medians of 10 runs)".
  std::string summary() const;
  /// One aligned row per dispatch, and their sum.
  std::string table() const;
  /// The dispatches of the last run as Chrome's trace format.
  std::string trace(const std::string &process) const;

private:
  struct Dispatch {
    std::string kernel;
    std::string label;
    double start = 0; // in the last run
    double flops = 0;
    double bytes = 0;
    std::vector<double> milliseconds;
  };

  std::vector<double> wall;
  std::vector<double> device;
  std::vector<Dispatch> dispatches;
  uint64_t arenaBytes = 0;
};

double median(std::vector<double> values);

/// "513x64xf32, min …, max …, mean …, first …".
std::string summarize(const Array &array);

} // namespace moe::run

#endif // MOE_TOOLS_MOE_RUN_REPORT_H
