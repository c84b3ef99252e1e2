//===- LoopLimit.cpp - Loops that end where the program ends them ---------===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// A kernel states how many iterations its loops make at the most, as an
// expression that does not fall as a size grows. Where that may be more than
// the device makes, the host checks the sizes before it submits anything: one
// size against the largest that all kernels allow, or, where a kernel depends
// on several, its iterations against the limit.
//
//===----------------------------------------------------------------------===//

#include "moe/Conversion/ProgramBuilder.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::moe;

// The fewest iterations after which a device that we know leaves loops.
static constexpr int64_t leastKnownLimit = 65535;
// What a file says of a kernel whose loops have no bound.
static constexpr int64_t unlimited = std::numeric_limits<uint32_t>::max();

// `expr` where its only symbol, `symbol`, is `size`.
static int64_t evaluate(AffineExpr expr, unsigned symbol, int64_t size) {
  MLIRContext *context = expr.getContext();
  AffineExpr value = expr.replace(getAffineDimExpr(symbol, context),
                                  getAffineConstantExpr(size, context));
  auto known =
      dyn_cast_if_present<AffineConstantExpr>(simplifyAffineExpr(value, 0, 0));
  // What overflows is not folded.
  return known ? known.getValue() : std::numeric_limits<int64_t>::max();
}

FailureOr<int64_t> ProgramBuilder::limitLoops(Location loc, StringRef kernel,
                                              AffineExpr iterations) {
  if (!iterations)
    return emitError(loc, "expected kernel '")
           << kernel << "' to have loops whose iterations are bounded by "
           << "sizes, but got one that is not";
  unsigned numSymbols = symbolicDims.getSymbols().size();
  iterations = simplifyAffineExpr(iterations, numSymbols, 0);
  auto remaining = [](int64_t most) {
    return most <= leastKnownLimit ? 0 : std::min(most, unlimited);
  };
  int64_t limit = device.maxLoopIterations;
  if (auto known = dyn_cast<AffineConstantExpr>(iterations)) {
    if (!limit || known.getValue() <= limit)
      return remaining(known.getValue());
    return emitError(loc, "expected kernel '")
           << kernel << "' to make at most " << limit
           << " iterations of its loops in an invocation (the limit of the "
              "target), but got "
           << known.getValue();
  }
  SmallVector<unsigned> symbols;
  for (unsigned symbol = 0; symbol < numSymbols; ++symbol)
    if (iterations.isFunctionOfDim(symbol))
      symbols.push_back(symbol);
  if (symbols.size() > 1) {
    if (!limit)
      return unlimited;
    iterationLimits.emplace_back(kernel.str(), iterations);
    return remaining(limit);
  }

  int64_t fits = 0, largest = symbolicDims.getLargestSize(symbols.front());
  int64_t most = evaluate(iterations, symbols.front(), largest);
  if (!limit || most <= limit)
    return remaining(most);
  for (int64_t step = llvm::PowerOf2Ceil(largest); step >= 1; step /= 2)
    if (fits + step < largest &&
        evaluate(iterations, symbols.front(), fits + step) <= limit)
      fits += step;
  auto [place, isNew] =
      sizeLimits.insert({symbols.front(), SizeLimit{fits, kernel.str()}});
  if (!isNew && fits < place->second.largest)
    place->second = {fits, kernel.str()};
  return remaining(limit);
}

void ProgramBuilder::assertLoopLimits() {
  for (auto &[symbol, limit] : sizeLimits) {
    AffineExpr size = getAffineDimExpr(symbol, func.getContext());
    requireAtMost(size, limit.largest,
                  symbolicDims.describe(size) +
                      " (where the target leaves the "
                      "loops of kernel '" +
                      limit.kernel + "')");
  }
  for (auto &[kernel, iterations] : iterationLimits)
    requireAtMost(iterations, device.maxLoopIterations,
                  symbolicDims.describe(iterations) +
                      ", the iterations of the loops of kernel '" + kernel +
                      "', (the limit of the target)");
}
