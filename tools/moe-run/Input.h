//===- Input.h - The values of --input --------------------------*- C++ -*-===//
//
// Part of moe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MOE_TOOLS_MOE_RUN_INPUT_H
#define MOE_TOOLS_MOE_RUN_INPUT_H

#include "Array.h"

#include <optional>

namespace moe::run {

/// One --input: a .npy file, or a type with a rule for its elements. Its type
/// is known before its elements exist, so that a wrong shape costs no time.
class Input {
public:
  /// `file.npy`, or `512x1024xf32=random(7)` with one of the rules
  ///   random(SEED) random(SEED,SCALE) zeros ones range NUMBER NUMBER,NUMBER,…
  /// or `each:file.npy`, whose first dimension counts runs.
  static Expected<Input> parse(const std::string &text);

  /// What one run takes.
  const ArrayType &type() const { return arrayType; }
  /// The runs that the input has values for; nothing when all take the same.
  std::optional<size_t> numRuns() const { return runs; }
  /// The values of one run, or of all of them one after the other.
  Expected<Array> load() const;

private:
  enum class Rule { File, Random, Range, Constant, List };

  static Expected<Input> parseEach(const std::string &path);
  Status parseRule(const std::string &rule);
  Status parseRandom(const std::string &arguments);
  Status parseNumbers(const std::string &rule);

  ArrayType arrayType;
  std::optional<size_t> runs;
  Rule rule = Rule::Constant;
  std::string path;
  uint64_t seed = 0;
  double scale = 1.0;
  std::vector<double> numbers;
};

/// What stands before the name of a file whose first dimension counts runs.
inline constexpr char kEach[] = "each:";

/// Removes `prefix` from `text`; false when `text` starts otherwise.
bool takePrefix(const std::string &prefix, std::string &text);

/// Reads "4x2xi32"; false when the text is no such type.
bool parseArrayType(const std::string &text, ArrayType &type);

} // namespace moe::run

#endif // MOE_TOOLS_MOE_RUN_INPUT_H
