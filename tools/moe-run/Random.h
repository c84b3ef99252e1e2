//===- Random.h - Counter-based normal numbers ------------------*- C++ -*-===//
//
// Part of moe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Element i of `random(seed)` depends on the seed and on i alone:
//
//   mix(z)  = the splitmix64 finalizer of z + 0x9E3779B97F4A7C15 (mod 2^64)
//   x       = mix(mix(seed) + i)
//   u       = ((x >> 11) + 0.5) * 2^-53
//   value   = float32(scale * ppnd16(u))
//
// ppnd16 is the rational approximation of the normal quantile by Wichura
// (algorithm AS 241, 1988). Only + - * /, sqrt and frexp of IEEE doubles are
// used, so python/moe/random.py yields the same bits; this file must not be
// compiled with contraction to fused multiply-add.
//
//===----------------------------------------------------------------------===//

#ifndef MOE_TOOLS_MOE_RUN_RANDOM_H
#define MOE_TOOLS_MOE_RUN_RANDOM_H

#include <cstdint>

namespace moe::run {

/// Element `index` of the stream of `seed`, of mean 0 and variance 1.
double normal(uint64_t seed, uint64_t index);

/// The quantile of the normal distribution; `u` lies between 0 and 1.
double ppnd16(double u);

/// The natural logarithm of a positive number, within a few units in the last
/// place, by the operations named above.
double portableLog(double x);

} // namespace moe::run

#endif // MOE_TOOLS_MOE_RUN_RANDOM_H
