//===- Random.h - Random choices that a seed repeats ------------*- C++ -*-===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef MOE_TEST_FUZZ_RANDOM_H
#define MOE_TEST_FUZZ_RANDOM_H

#include "llvm/ADT/ArrayRef.h"
#include <cstdint>

namespace mlir::moe::fuzz {

/// SplitMix64. The distributions of the standard library differ from one
/// implementation to the next; these do not.
class Random {
public:
  Random(uint64_t seed, uint64_t number) : state(seed) {
    state = next() ^ (number * 0xd1342543de82ef95u);
  }

  uint64_t next() {
    uint64_t z = (state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }

  /// A number below `bound`, which is not 0.
  size_t below(size_t bound) { return next() % bound; }

  /// True once in `times`.
  bool once(size_t times) { return below(times) == 0; }

  template <typename T> const T &pick(llvm::ArrayRef<T> choices) {
    return choices[below(choices.size())];
  }

private:
  uint64_t state;
};

} // namespace mlir::moe::fuzz

#endif // MOE_TEST_FUZZ_RANDOM_H
