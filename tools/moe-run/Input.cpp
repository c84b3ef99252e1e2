//===- Input.cpp - The values of --input ----------------------------------===//
//
// Part of moe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Input.h"
#include "Npy.h"
#include "Parse.h"
#include "Random.h"

#include <cmath>

using namespace moe::run;

bool moe::run::parseArrayType(const std::string &text, ArrayType &type) {
  size_t at = 0;
  type.shape.clear();
  for (size_t next; (next = text.find('x', at)) != std::string::npos;
       at = next + 1) {
    uint64_t dim = 0;
    if (!parseUnsigned(text.substr(at, next - at), dim) || dim > INT64_MAX)
      return false;
    type.shape.push_back(int64_t(dim));
  }
  std::string element = text.substr(at);
  type.type = element == "i32" ? MOE_TYPE_I32 : MOE_TYPE_F32;
  return element == "f32" || element == "i32";
}

bool moe::run::takePrefix(const std::string &prefix, std::string &text) {
  if (text.compare(0, prefix.size(), prefix) != 0)
    return false;
  text.erase(0, prefix.size());
  return true;
}

Expected<Input> Input::parseEach(const std::string &path) {
  MOE_ASSIGN_OR_RETURN(NpyHeader header, readNpyHeader(path));
  Input input;
  input.rule = Rule::File;
  input.path = path;
  input.arrayType = header.type;
  std::vector<int64_t> &shape = input.arrayType.shape;
  if (shape.empty() || shape.front() == 0)
    return makeError(Code::InvalidArgument, "expected '", path,
                     "' to have a first dimension that counts runs, but got ",
                     input.arrayType.str());
  input.runs = shape.front();
  shape.erase(shape.begin());
  return input;
}

Expected<Input> Input::parse(const std::string &text) {
  Input input;
  if (std::string path = text; takePrefix(kEach, path))
    return parseEach(path);
  size_t equals = text.find('=');
  if (equals != std::string::npos &&
      parseArrayType(text.substr(0, equals), input.arrayType)) {
    MOE_RETURN_IF_ERROR(input.parseRule(text.substr(equals + 1)));
    return input;
  }
  // Something like 4x4xf16=0 is a slip in a type rather than a file.
  bool looksLikeType = equals != std::string::npos && !text.empty() &&
                       std::isdigit(uint8_t(text[0])) &&
                       text.find('/') > equals;
  if (looksLikeType)
    return makeError(Code::InvalidArgument,
                     "expected a type like 4x8xf32 or "
                     "4xi32, but got '",
                     text.substr(0, equals), "'");
  input.rule = Rule::File;
  input.path = text;
  MOE_ASSIGN_OR_RETURN(NpyHeader header, readNpyHeader(text));
  input.arrayType = header.type;
  return input;
}

Status Input::parseRandom(const std::string &arguments) {
  rule = Rule::Random;
  size_t comma = arguments.find(',');
  if (!parseUnsigned(arguments.substr(0, comma), seed))
    return makeError(Code::InvalidArgument,
                     "expected a seed of 64 bits, but "
                     "got '",
                     arguments.substr(0, comma), "'");
  if (comma != std::string::npos &&
      !parseDouble(arguments.substr(comma + 1), scale))
    return makeError(Code::InvalidArgument, "expected a scale, but got '",
                     arguments.substr(comma + 1), "'");
  if (arrayType.type != MOE_TYPE_F32)
    return makeError(Code::InvalidArgument,
                     "expected f32 for random numbers, but got ",
                     arrayType.str());
  return Status();
}

Status Input::parseNumbers(const std::string &text) {
  for (size_t at = 0; at <= text.size();) {
    size_t comma = std::min(text.find(',', at), text.size());
    std::string item = text.substr(at, comma - at);
    double number = 0;
    if (!parseDouble(item, number))
      return makeError(Code::InvalidArgument,
                       "expected random(SEED), zeros, ones, range or numbers, "
                       "but got '",
                       item, "'");
    if (arrayType.type == MOE_TYPE_I32 &&
        (number != std::floor(number) || number < INT32_MIN ||
         number > INT32_MAX))
      return makeError(Code::InvalidArgument,
                       "expected an integer of 32 bits, but got '", item, "'");
    numbers.push_back(number);
    at = comma + 1;
  }
  rule = numbers.size() == 1 ? Rule::Constant : Rule::List;
  MOE_ASSIGN_OR_RETURN(size_t count, arrayType.numElements());
  if (rule == Rule::List && numbers.size() != count)
    return makeError(Code::InvalidArgument, "expected ", count, " numbers for ",
                     arrayType.str(), ", but got ", numbers.size());
  return Status();
}

Status Input::parseRule(const std::string &text) {
  constexpr size_t prefix = 7; // of "random("
  if (text.compare(0, prefix, "random(") == 0 && text.back() == ')')
    return parseRandom(text.substr(prefix, text.size() - prefix - 1));
  if (text == "range") {
    rule = Rule::Range;
    return Status();
  }
  if (text == "zeros" || text == "ones") {
    numbers = {text == "ones" ? 1.0 : 0.0};
    return Status();
  }
  return parseNumbers(text);
}

Expected<Array> Input::load() const {
  if (rule == Rule::File)
    return readNpy(path);
  MOE_ASSIGN_OR_RETURN(Array array, Array::create(arrayType));
  for (size_t i = 0; i < array.size(); ++i) {
    double value = rule == Rule::Random  ? normal(seed, i) * scale
                   : rule == Rule::Range ? double(i)
                   : rule == Rule::List  ? numbers[i]
                                         : numbers[0];
    if (arrayType.type == MOE_TYPE_F32)
      array.floats()[i] = float(value);
    else
      array.ints()[i] = int32_t(int64_t(value));
  }
  return array;
}
