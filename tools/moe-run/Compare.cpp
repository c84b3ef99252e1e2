//===- Compare.cpp - Results against what is expected ---------------------===//
//
// Part of moe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Compare.h"

#include <cmath>
#include <limits>

using namespace moe::run;

/// How far an element is beyond the tolerance; 0 or less when it agrees.
static double excessOf(float got, float expected, const Tolerance &tolerance) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (std::isnan(got) || std::isnan(expected))
    return std::isnan(got) && std::isnan(expected) ? 0.0 : infinity;
  if (std::isinf(got) || std::isinf(expected))
    return got == expected ? 0.0 : infinity;
  return std::fabs(double(got) - expected) -
         (tolerance.absolute + tolerance.relative * std::fabs(expected));
}

Difference moe::run::compare(const Array &got, const Array &expected,
                             const Tolerance &tolerance) {
  Difference difference;
  double worst = 0;
  for (size_t i = 0; i < got.size(); ++i) {
    double excess =
        got.type().type == MOE_TYPE_F32
            ? excessOf(got.floats()[i], expected.floats()[i], tolerance)
            : std::fabs(double(got.ints()[i]) - expected.ints()[i]);
    if (!(excess > 0))
      continue;
    ++difference.count;
    if (excess > worst) {
      worst = excess;
      difference.worst = i;
    }
  }
  return difference;
}

std::string moe::run::indexOf(size_t element,
                              const std::vector<int64_t> &shape) {
  std::string text;
  for (size_t dim = shape.size(); dim-- > 0;) {
    text = join(element % size_t(shape[dim]), text.empty() ? "" : ", ", text);
    element /= size_t(shape[dim]);
  }
  return "[" + text + "]";
}

std::string moe::run::describe(const Difference &difference, const Array &got,
                               const Array &expected) {
  std::ostringstream text;
  text.precision(9);
  size_t at = difference.worst;
  text << difference.count << " of " << got.size() << " elements differ, the "
       << "worst at " << indexOf(at, got.type().shape) << ": expected ";
  if (got.type().type == MOE_TYPE_F32)
    text << expected.floats()[at] << ", but got " << got.floats()[at];
  else
    text << expected.ints()[at] << ", but got " << got.ints()[at];
  return text.str();
}
