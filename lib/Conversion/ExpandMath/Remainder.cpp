//===- Remainder.cpp - remf, round ----------------------------------------===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "MathBuilder.h"

using namespace mlir;
using namespace mlir::moe;

// Exact, as a remainder is: a division of integers by hand, eight bits of the
// exponents' difference at a time. There are up to 277 of them. Unrolled, since
// loops are counted on some devices.
static Value emitRem(MathBuilder &b, Value x, Value y) {
  auto exponentOf = [&](Value word) {
    Value e = b.shrU(word, b.i(23));
    return b.select(b.compare(arith::CmpIPredicate::eq, e, b.i(0)), b.i(1), e);
  };
  auto mantissaOf = [&](Value word) {
    Value denormal = b.compare(arith::CmpIPredicate::ult, word, b.i(0x800000));
    return b.bor(b.band(word, b.i(0x7fffff)),
                 b.select(denormal, b.i(0), b.i(0x800000)));
  };
  Value ax = b.bits(b.abs(x)), ay = b.bits(b.abs(y));
  Value ey = exponentOf(ay);
  Value left = b.isub(exponentOf(ax), ey);
  Value zero = b.compare(arith::CmpIPredicate::eq, ay, b.i(0));
  Value divisor = b.select(zero, b.i(1), mantissaOf(ay));
  Value rest = arith::RemUIOp::create(b, mantissaOf(ax), divisor);
  for (int step = 0; step < 35; ++step) {
    Value shift = arith::MinSIOp::create(
        b, arith::MaxSIOp::create(b, left, b.i(0)), b.i(8));
    rest = arith::RemUIOp::create(b, b.shl(rest, shift), divisor);
    left = b.isub(left, shift);
  }
  Value r = b.scale(b.toFloat(rest), b.isub(ey, b.i(150)));
  Value below = b.compare(arith::CmpIPredicate::ult, ax, ay);
  r = b.copySign(b.select(below, x, r), x);
  Value invalid = arith::OrIOp::create(
      b, zero, b.compare(arith::CmpIPredicate::uge, ax, b.i(0x7f800000)));
  invalid = arith::OrIOp::create(b, invalid, b.isNaN(y));
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
