//===- ErrorFunctions.cpp - erf, erfc -------------------------------------===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "MathBuilder.h"

using namespace mlir;
using namespace mlir::moe;

// x + x P(x^2), for |x| < 0.92.
static Value nearErf(MathBuilder &b, Value x) {
  Value p = b.polynomial(b.mul(x, x),
                         {0.12837917, -0.37612632, 0.112836786, -0.026858738,
                          0.0051997905, -0.0008131547, 8.3316496e-05});
  return b.mulAdd(x, p, x);
}

// 1 - exp(-x P(x)) above.
static Value emitErf(MathBuilder &b, Value x) {
  Value magnitude = b.abs(x);
  Value t = b.select(b.less(b.f(4), magnitude), b.f(4), magnitude);
  Value p = b.polynomial(t, {1.1285595, 0.63558817, 0.10533738, -0.022755697,
                             0.0029823116, -6.910321e-05, -4.162572e-05,
                             4.6033615e-06});
  Value far = b.sub(b.f(1), emitExp(b, b.neg(b.mul(t, p))));
  Value near = nearErf(b, x);
  Value y = b.select(b.less(magnitude, b.f(0.92)), near, far);
  return b.select(b.isNaN(x), x, b.copySign(y, x));
}

// exp(-x^2) P(q) / (1 + 2 x) with q = (x - 2) / (x + 2) for x > 1/2. The square
// is exact in two parts, since its error is that of the exponent.
static Value emitErfc(MathBuilder &b, Value x) {
  Value magnitude = b.abs(x);
  Value t = b.select(b.less(b.f(10.4), magnitude), b.f(10.4), magnitude);
  Value q = b.div(b.sub(t, b.f(2)), b.add(t, b.f(2)));
  Value p = b.polynomial(q, {1.2769784, -0.09276376, -0.16603045, 0.16404848,
                             -0.05421466, -0.008002458, 0.008670956,
                             0.0011330091, -0.0012794763, -0.00020746606});
  Value share = b.div(p, b.mulAdd(t, b.f(2), b.f(1)));
  Pair square = b.twoProduct(t, t);
  // Multiplied while the power is still of normal size.
  Value power = emitExp(b, b.neg(square.high), 32);
  share = b.sub(share, b.mul(share, square.low));
  Value far = b.mul(b.mul(power, share), b.f(0x1p-32));
  Value negative = b.less(x, b.f(0));
  Value y = b.select(negative, b.sub(b.f(2), far), far);
  y = b.select(b.less(magnitude, b.f(0.5)), b.sub(b.f(1), nearErf(b, x)), y);
  return b.select(b.isNaN(x), x, y);
}

void moe::populateErrorFunctionPatterns(RewritePatternSet &patterns) {
  patterns
      .add<ExpandF32<math::ErfcOp, emitErfc>, ExpandF32<math::ErfOp, emitErf>>(
          patterns.getContext());
}
