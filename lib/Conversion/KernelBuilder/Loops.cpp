//===- Loops.cpp - Loops of a kernel, and how often they run --------------===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// Some drivers leave loops without a word after a number of iterations, counted
// over all loops of an invocation: a sum would end early. So each loop counts
// what it adds, here and nowhere else. A loop of n iterations around loops of m
// adds n * (1 + m) + 1: such a driver counts the test that ends the loop too.
// Both branches of a condition count, since an invocation goes with its
// subgroup through both.
//
//===----------------------------------------------------------------------===//

#include "moe/Conversion/KernelBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::moe;

// More code than this for one loop is not worth its range.
static constexpr int64_t maxUnroll = 32;

static std::optional<int64_t> getConstant(Value value) {
  APInt constant;
  if (!matchPattern(value, m_ConstantInt(&constant)))
    return std::nullopt;
  return constant.getSExtValue();
}

// The iterations of a loop with constant bounds.
static std::optional<int64_t> getConstantTrips(Value from, Value to,
                                               Value step) {
  auto first = getConstant(from), last = getConstant(to),
       stride = getConstant(step);
  if (!first || !last || !stride || *stride <= 0)
    return std::nullopt;
  return *first < *last ? llvm::divideCeil(*last - *first, *stride) : 0;
}

void KernelBuilder::countLoop(AffineExpr trips, function_ref<void()> emit) {
  AffineExpr before = loopIterations;
  loopIterations = getAffineConstantExpr(0);
  emit();
  AffineExpr inside = loopIterations;
  loopIterations = before && inside && trips ? before + trips * (inside + 1) + 1
                                             : AffineExpr();
}

SmallVector<Value> KernelBuilder::forLoop(Value from, Value to, Value step,
                                          ValueRange inits, LoopBody body,
                                          AffineExpr trips) {
  if (auto known = getConstantTrips(from, to, step))
    trips = getAffineConstantExpr(*known);
  // The body is filled in once the loop exists, so that code may ask what a
  // loop variable runs over.
  auto loop = scf::ForOp::create(*this, from, to, step, inits);
  Block *block = loop.getBody();
  if (!block->empty())
    block->back().erase();
  OpBuilder::InsertionGuard guard(*this);
  setInsertionPointToEnd(block);
  countLoop(trips, [&] {
    SmallVector<Value> next =
        body(loop.getInductionVar(), loop.getRegionIterArgs());
    scf::YieldOp::create(*this, next);
  });
  return SmallVector<Value>(loop.getResults());
}

void KernelBuilder::forLoop(Value from, Value to, Value step,
                            function_ref<void(Value)> body, AffineExpr trips) {
  forLoop(
      from, to, step, ValueRange{},
      [&](Value iv, ValueRange) {
        body(iv);
        return SmallVector<Value>{};
      },
      trips);
}

SmallVector<Value> KernelBuilder::longLoop(Value from, Value to, Value step,
                                           ValueRange inits, AffineExpr trips,
                                           int64_t unroll, LoopBody body) {
  if (auto known = getConstantTrips(from, to, step))
    trips = getAffineConstantExpr(*known);
  auto known = dyn_cast_if_present<AffineConstantExpr>(trips);
  if (maxLoopIterations == 0)
    unroll = 1;
  else if (known)
    // Half, so that what is around the loop finds room.
    for (unroll = 1; unroll < maxUnroll &&
                     known.getValue() / unroll > maxLoopIterations / 2;)
      unroll *= 2;
  if (unroll == 1)
    return forLoop(from, to, step, inits, body, trips);

  Value count = div(sub(add(max(sub(to, from), idx(0)), step), idx(1)), step);
  Value middle = add(from, mul(mul(div(count, unroll), step), unroll));
  SmallVector<Value> values = forLoop(
      from, middle, mul(step, unroll), inits,
      [&](Value iv, ValueRange args) {
        SmallVector<Value> next(args);
        for (int64_t i = 0; i < unroll; ++i)
          next = body(i == 0 ? iv : add(iv, mul(step, i)), next);
        return next;
      },
      trips ? trips.floorDiv(unroll) : trips);
  std::optional<int64_t> start = getConstant(middle), end = getConstant(to);
  if (start && end && *start >= *end)
    return values;
  return forLoop(middle, to, step, values, body,
                 getAffineConstantExpr(unroll - 1));
}

SmallVector<Value> KernelBuilder::whileLoop(
    ValueRange inits, function_ref<Value(ValueRange)> condition,
    function_ref<SmallVector<Value>(ValueRange)> body, AffineExpr trips) {
  auto enter = [this](OpBuilder &nested) {
    setInsertionPoint(nested.getInsertionBlock(), nested.getInsertionPoint());
  };
  SmallVector<Value> results;
  countLoop(trips, [&] {
    auto loop = scf::WhileOp::create(
        *this, inits.getTypes(), inits,
        [&](OpBuilder &nested, Location, ValueRange args) {
          OpBuilder::InsertionGuard guard(*this);
          enter(nested);
          Value more = condition(args);
          scf::ConditionOp::create(*this, more, args);
        },
        [&](OpBuilder &nested, Location, ValueRange args) {
          OpBuilder::InsertionGuard guard(*this);
          enter(nested);
          SmallVector<Value> next = body(args);
          scf::YieldOp::create(*this, next);
        });
    results.assign(loop.getResults().begin(), loop.getResults().end());
  });
  return results;
}
