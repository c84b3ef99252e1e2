//===- Compare.h - Results against what is expected -------------*- C++ -*-===//
//
// Part of moe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MOE_TOOLS_MOE_RUN_COMPARE_H
#define MOE_TOOLS_MOE_RUN_COMPARE_H

#include "Array.h"

namespace moe::run {

struct Tolerance {
  double relative = 1e-5;
  double absolute = 1e-6;
};

/// How far a result is from what is expected.
struct Difference {
  size_t count = 0; // elements beyond the tolerance
  size_t worst = 0; // the index of the worst of them
};

/// Elements agree when |got - expected| <= absolute + relative * |expected|.
/// A NaN agrees with a NaN only, an infinity with the same infinity only, and
/// integers agree when they are equal. The arrays have the same type.
Difference compare(const Array &got, const Array &expected,
                   const Tolerance &tolerance);

/// "3 of 512 elements differ, the worst at [4, 7]: expected 1.25, but got 1.5".
std::string describe(const Difference &difference, const Array &got,
                     const Array &expected);

/// The index of an element in each dim: "[4, 7]".
std::string indexOf(size_t element, const std::vector<int64_t> &shape);

} // namespace moe::run

#endif // MOE_TOOLS_MOE_RUN_COMPARE_H
