//===- Remainder.cpp - remf, round ----------------------------------------===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "MathBuilder.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::moe;

// A remainder is exact: a division by hand of the mantissas, some bits of the
// quotient at a time. Unrolled, since loops are counted on some devices.

// The bits of a step: a digit times each half of the divisor is exact, and so
// is what it leaves, even where the division is 2.5 ulp off, as Vulkan allows.
static constexpr int bitsOfStep = 11;
// Steps for quotients that are not far out, and for all others: exponents
// differ by up to 277.
static constexpr int stepsNear = 2, stepsFar = 24;

namespace {
struct Division {
  Value divisor; ///< in [1, 2)
  Value high, low;
  Value inverse;
};
/// What is left, below the divisor, and the bits that are to come.
struct Rest {
  Value value, bits;
};
} // namespace

static Rest step(MathBuilder &b, const Division &by, Rest rest) {
  Value bits = arith::MinSIOp::create(b, rest.bits, b.i(bitsOfStep));
  Value power = b.fromBits(b.shl(b.iadd(bits, b.i(127)), b.i(23)));
  Value value = b.mul(rest.value, power);
  // The nearest digit, so that what is left is at most half of the divisor.
  Value digit = roundToInteger(b, b.mul(value, by.inverse)).value;
  value = b.sub(b.sub(value, b.mul(digit, by.high)), b.mul(digit, by.low));
  value = b.select(b.less(value, b.f(0)), b.add(value, by.divisor), value);
  return {value, b.isub(rest.bits, bits)};
}

// Whether it holds for any element.
static Value any(MathBuilder &b, Value condition) {
  auto type = dyn_cast<VectorType>(condition.getType());
  if (!type)
    return condition;
  Value result;
  for (int64_t i = 0; i < type.getNumElements(); ++i) {
    Value one = vector::ExtractOp::create(b, condition, i);
    result = result ? arith::OrIOp::create(b, result, one) : one;
  }
  return result;
}

// Of positive finite numbers, where a >= d.
static Value remainder(MathBuilder &b, Value a, Value d) {
  Parts ofA = b.split(a), ofD = b.split(d);
  Value divisor = ofD.mantissa;
  Value high = b.fromBits(b.band(b.bits(divisor), b.i(0xfffff000)));
  Division by{divisor, high, b.sub(divisor, high), b.div(b.f(1), divisor)};
  Value first = ofA.mantissa;
  first = b.select(b.less(first, divisor), first, b.sub(first, divisor));
  Rest rest{first, b.isub(ofA.exponent, ofD.exponent)};
  for (int i = 0; i < stepsNear; ++i)
    rest = step(b, by, rest);
  Value isFar = b.compare(arith::CmpIPredicate::sgt, rest.bits, b.i(0));
  auto branch = scf::IfOp::create(b, rest.value.getType(), any(b, isFar),
                                  /*withElseRegion=*/true);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(b, rest.value);
    b.setInsertionPointToStart(branch.thenBlock());
    for (int i = 0; i < stepsFar; ++i)
      rest = step(b, by, rest);
    scf::YieldOp::create(b, rest.value);
  }
  return b.scale(branch.getResult(0), ofD.exponent);
}

static Value emitRem(MathBuilder &b, Value x, Value y) {
  Value ax = b.bits(b.abs(x)), ay = b.bits(b.abs(y));
  Value zero = b.compare(arith::CmpIPredicate::eq, ay, b.i(0));
  Value invalid = arith::OrIOp::create(
      b, arith::OrIOp::create(b, zero, b.isNaN(y)),
      b.compare(arith::CmpIPredicate::uge, ax, b.i(0x7f800000)));
  // Nothing is taken away by a larger divisor, which may be infinite.
  Value below = b.compare(arith::CmpIPredicate::ult, ax, ay);
  Value other = arith::OrIOp::create(b, invalid, below);
  Value r = remainder(b, b.select(other, b.f(1), b.abs(x)),
                      b.select(other, b.f(1), b.abs(y)));
  r = b.copySign(b.select(below, x, r), x);
  return b.select(invalid, b.nan(), r);
}

// Halves go away from 0.
static Value emitRound(MathBuilder &b, Value x) {
  Value ax = b.abs(x);
  Value below = b.floor(ax);
  Value up = b.compare(arith::CmpFPredicate::OGE, b.sub(ax, below), b.f(0.5));
  Value y = b.select(up, b.add(below, b.f(1)), below);
  // From 2^23 on all are integers; infinity has no fraction.
  y = b.select(b.less(ax, b.f(0x1p23)), y, ax);
  return b.select(b.isNaN(x), x, b.copySign(y, x));
}

void moe::populateRemainderPatterns(RewritePatternSet &patterns) {
  patterns.add<ExpandF32<arith::RemFOp, emitRem>,
               ExpandF32<math::RoundOp, emitRound>>(patterns.getContext());
}
