//===- Report.cpp - What moe-run prints -----------------------------------===//
//
// Part of moe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Report.h"

#include <algorithm>
#include <cstdio>
#include <limits>

using namespace moe::run;

double moe::run::median(std::vector<double> values) {
  if (values.empty())
    return 0;
  std::sort(values.begin(), values.end());
  size_t middle = values.size() / 2;
  return values.size() % 2 ? values[middle]
                           : (values[middle - 1] + values[middle]) / 2;
}

/// A number of `digits` digits behind the point.
static std::string fixed(double value, int digits) {
  char buffer[64];
  std::snprintf(buffer, sizeof(buffer), "%.*f", digits, value);
  return buffer;
}

void Measurements::add(double wallMilliseconds, const moe_timings &timings) {
  wall.push_back(wallMilliseconds);
  device.push_back(timings.device_milliseconds);
  arenaBytes = timings.arena_bytes;
  dispatches.resize(timings.count);
  for (size_t i = 0; i < timings.count; ++i) {
    const moe_timing &timing = timings.dispatches[i];
    Dispatch &dispatch = dispatches[i];
    dispatch.kernel = timing.kernel;
    dispatch.label = timing.label;
    dispatch.start = timing.start_milliseconds;
    dispatch.flops = timing.flops;
    dispatch.bytes = timing.bytes;
    dispatch.milliseconds.push_back(timing.milliseconds);
  }
}

std::string Measurements::summary() const {
  return join("wall ", fixed(median(wall), 3), " ms, device ",
              fixed(median(device), 3), " ms (",
              wall.size() == 1 ? std::string("one run")
                               : join("medians of ", wall.size(), " runs"),
              ")");
}

/// Pads every cell of a column to its widest one; numbers to the right.
static std::string align(const std::vector<std::vector<std::string>> &rows) {
  std::vector<size_t> widths(rows[0].size(), 0);
  for (const auto &row : rows)
    for (size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], row[i].size());
  std::string text;
  for (const auto &row : rows) {
    std::string line;
    for (size_t i = 0; i < row.size(); ++i) {
      std::string padding(widths[i] - row[i].size(), ' ');
      bool isText = i < 2;
      line += isText ? row[i] + padding : padding + row[i];
      line += "  ";
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

/// Work per time in units of 1e9 a second; "-" when the work is not known.
static std::string rate(double work, double milliseconds) {
  return work > 0 && milliseconds > 0 ? fixed(work / milliseconds * 1e-6, 2)
                                      : "-";
}

std::string Measurements::table() const {
  std::vector<std::vector<std::string>> rows = {
      {"dispatch", "kernel", "ms", "GFLOP/s", "GB/s"}};
  double total = 0, flops = 0, bytes = 0;
  for (const Dispatch &dispatch : dispatches) {
    double ms = median(dispatch.milliseconds);
    rows.push_back({dispatch.label, dispatch.kernel, fixed(ms, 4),
                    rate(dispatch.flops, ms), rate(dispatch.bytes, ms)});
    total += ms;
    flops += dispatch.flops;
    bytes += dispatch.bytes;
  }
  rows.push_back({join("total of ", dispatches.size()), "", fixed(total, 4),
                  rate(flops, total), rate(bytes, total)});
  return align(rows) + join("arena ", arenaBytes, " bytes\n");
}

/// Text inside a JSON string.
static std::string escape(const std::string &text) {
  std::string result;
  for (char c : text) {
    if (c == '"' || c == '\\')
      result += '\\';
    result += uint8_t(c) < 0x20 ? ' ' : c;
  }
  return result;
}

std::string Measurements::trace(const std::string &process) const {
  std::string text = join(
      "{\"displayTimeUnit\": \"ms\", \"traceEvents\": [\n",
      R"({"ph": "M", "pid": 1, "name": "process_name", "args": {"name": ")",
      escape(process), "\"}}");
  for (const Dispatch &dispatch : dispatches)
    text += join(",\n{\"ph\": \"X\", \"pid\": 1, \"tid\": 1, \"name\": \"",
                 escape(dispatch.label),
                 "\", \"ts\": ", fixed(dispatch.start * 1000, 3),
                 ", \"dur\": ", fixed(dispatch.milliseconds.back() * 1000, 3),
                 ", \"args\": {\"kernel\": \"", escape(dispatch.kernel),
                 "\", \"flops\": ", fixed(dispatch.flops, 0),
                 ", \"bytes\": ", fixed(dispatch.bytes, 0), "}}");
  return text + "\n]}\n";
}

std::string moe::run::summarize(const Array &array) {
  constexpr size_t shown = 6;
  bool isFloat = array.type().type == MOE_TYPE_F32;
  auto at = [&](size_t i) {
    return isFloat ? double(array.floats()[i]) : double(array.ints()[i]);
  };
  std::ostringstream text;
  text << array.type().str();
  if (array.size() == 0)
    return text.str() + ", empty";
  double least = at(0), most = at(0), sum = 0;
  for (size_t i = 0; i < array.size(); ++i) {
    least = std::min(least, at(i));
    most = std::max(most, at(i));
    sum += at(i);
  }
  text << ", min " << least << ", max " << most << ", mean "
       << sum / double(array.size()) << ", first";
  for (size_t i = 0; i < std::min(shown, array.size()); ++i)
    text << (i ? ", " : " ") << at(i);
  if (array.size() > shown)
    text << ", ...";
  return text.str();
}
