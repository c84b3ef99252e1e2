//===- Status.h - Errors of the runtime -------------------------*- C++ -*-===//
//
// Part of moe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The library neither throws, prints nor aborts: what can fail returns a Status
// or an Expected<T>. A message is lower case, has no final stop, and says both
// what was expected and what was got.
//
//===----------------------------------------------------------------------===//

#ifndef MOE_RUNTIME_SUPPORT_STATUS_H
#define MOE_RUNTIME_SUPPORT_STATUS_H

#include <sstream>
#include <string>
#include <utility>
#include <variant>

namespace moe::runtime {

/// The values are those of moe_status_code in the C API.
enum class Code {
  Ok = 0,
  InvalidArgument = 1,
  Device = 2,
  RuntimeFault = 3,
  Validation = 4,
  Internal = 5,
};

/// Joins its arguments into one string, as `operator<<` prints them.
template <typename... Parts> std::string join(const Parts &...parts) {
  std::ostringstream stream;
  (stream << ... << parts);
  return stream.str();
}

class [[nodiscard]] Status {
public:
  /// Success.
  Status() = default;
  Status(Code code, std::string message)
      : errorCode(code), text(std::move(message)) {}

  bool ok() const { return errorCode == Code::Ok; }
  Code code() const { return errorCode; }
  const std::string &message() const { return text; }

private:
  Code errorCode = Code::Ok;
  std::string text;
};

/// An error whose message is made of `parts`.
template <typename... Parts>
Status makeError(Code code, const Parts &...parts) {
  return Status(code, join(parts...));
}

/// A value, or the reason why there is none.
template <typename T> class [[nodiscard]] Expected {
public:
  Expected(T value) : content(std::move(value)) {}
  Expected(Status error) : content(std::move(error)) {}

  bool ok() const { return std::holds_alternative<T>(content); }
  T &operator*() { return *std::get_if<T>(&content); }
  const T &operator*() const { return *std::get_if<T>(&content); }
  T *operator->() { return std::get_if<T>(&content); }
  const T *operator->() const { return std::get_if<T>(&content); }

  /// The error of a failed result, success otherwise.
  Status status() const {
    return ok() ? Status() : *std::get_if<Status>(&content);
  }

private:
  std::variant<T, Status> content;
};

} // namespace moe::runtime

/// Leaves the function with the error of `expression`, if it has one.
#define MOE_RETURN_IF_ERROR(expression)                                        \
  do {                                                                         \
    if (::moe::runtime::Status error = (expression); !error.ok())              \
      return error;                                                            \
  } while (false)

#define MOE_CONCAT_IMPL(a, b) a##b
#define MOE_CONCAT(a, b) MOE_CONCAT_IMPL(a, b)

/// Declares or assigns `target` from an Expected, or leaves with its error.
#define MOE_ASSIGN_OR_RETURN(target, expression)                               \
  auto MOE_CONCAT(expected, __LINE__) = (expression);                          \
  if (!MOE_CONCAT(expected, __LINE__).ok())                                    \
    return MOE_CONCAT(expected, __LINE__).status();                            \
  target = std::move(*MOE_CONCAT(expected, __LINE__))

#endif // MOE_RUNTIME_SUPPORT_STATUS_H
