//===- Parse.h - Numbers in command lines -----------------------*- C++ -*-===//
//
// Part of moe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MOE_TOOLS_MOE_RUN_PARSE_H
#define MOE_TOOLS_MOE_RUN_PARSE_H

#include <cctype>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <string>

namespace moe::run {

/// Decimal digits alone; false when there are none, or too many for 64 bits.
inline bool parseUnsigned(const std::string &text, uint64_t &value) {
  value = 0;
  for (char c : text)
    if (!std::isdigit(uint8_t(c)) ||
        __builtin_mul_overflow(value, uint64_t(10), &value) ||
        __builtin_add_overflow(value, uint64_t(c - '0'), &value))
      return false;
  return !text.empty();
}

/// Any number that C's strtod takes, and nothing after it.
inline bool parseDouble(const std::string &text, double &value) {
  if (text.empty() || std::isspace(uint8_t(text[0])))
    return false;
  char *end = nullptr;
  value = std::strtod(text.c_str(), &end);
  return *end == '\0';
}

} // namespace moe::run

#endif // MOE_TOOLS_MOE_RUN_PARSE_H
