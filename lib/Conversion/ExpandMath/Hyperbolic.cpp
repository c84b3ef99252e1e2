//===- Hyperbolic.cpp - sinh, cosh, tanh and their inverses ---------------===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// By their own polynomials where exponentials and logarithms would cancel.
//
//===----------------------------------------------------------------------===//

#include "MathBuilder.h"

using namespace mlir;
using namespace mlir::moe;

// x + x^3 P(x^2).
static Value odd(MathBuilder &b, Value x, ArrayRef<double> coefficients) {
  Value square = b.mul(x, x);
  return b.mulAdd(b.mul(square, x), b.polynomial(square, coefficients), x);
}

// Of odd functions: the polynomial below `bound`, and the sign. A NaN stays.
static Value choose(MathBuilder &b, Value x, double bound, Value near,
                    Value far) {
  Value y = b.select(b.less(b.abs(x), b.f(bound)), near, far);
  return b.select(b.isNaN(x), x, b.copySign(y, x));
}

static Value emitSinh(MathBuilder &b, Value x) {
  Value half = emitExp(b, b.abs(x), -1);
  Value far = b.sub(half, b.div(b.f(0.25), half));
  Value near =
      odd(b, x, {0.16666667, 0.008333316, 0.0001984142, 2.7915382e-06});
  return choose(b, x, 1, near, far);
}

static Value emitCosh(MathBuilder &b, Value x) {
  Value half = emitExp(b, b.abs(x), -1);
  return b.add(half, b.div(b.f(0.25), half));
}

static Value emitTanh(MathBuilder &b, Value x) {
  Value magnitude = b.abs(x);
  Value power = emitExp(b, b.add(magnitude, magnitude));
  Value far = b.sub(b.f(1), b.div(b.f(2), b.add(power, b.f(1))));
  Value near = odd(b, x,
                   {-0.3333333, 0.13333222, -0.053948455, 0.02170867,
                    -0.00819481, 0.0021573266});
  return choose(b, x, 0.625, near, far);
}

// The square of a large x is out of range, and 1 is nothing beside it.
static Value ofLarge(MathBuilder &b, Value x, Value y) {
  Value far = b.add(emitLog(b, x), b.f(0.69314718055994531));
  return b.select(b.less(x, b.f(16384)), y, far);
}

static Value emitAsinh(MathBuilder &b, Value x) {
  Value magnitude = b.abs(x);
  Value square = b.mul(magnitude, magnitude);
  Value root = b.sqrt(b.add(square, b.f(1)));
  Value above = b.add(magnitude, b.div(square, b.add(root, b.f(1))));
  Value far = ofLarge(b, magnitude, emitLog1p(b, above));
  Value near = odd(b, x,
                   {-0.16666666, 0.07499907, -0.04461609, 0.030033445,
                    -0.020048916, 0.0092554735});
  return choose(b, x, 0.5, near, far);
}

static Value emitAcosh(MathBuilder &b, Value x) {
  Value above = b.sub(x, b.f(1));
  Value root = b.sqrt(b.mul(above, b.add(above, b.f(2))));
  Value y = ofLarge(b, x, emitLog1p(b, b.add(above, root)));
  return b.select(b.less(x, b.f(1)), b.nan(), y);
}

static Value emitAtanh(MathBuilder &b, Value x) {
  Value magnitude = b.abs(x);
  Value ratio = b.div(b.add(magnitude, magnitude), b.sub(b.f(1), magnitude));
  Value far = b.mul(emitLog1p(b, ratio), b.f(0.5));
  far = b.select(b.less(b.f(1), magnitude), b.nan(), far);
  Value near = odd(b, x,
                   {0.33333337, 0.19999652, 0.14296527, 0.10949439, 0.103804305,
                    0.02182363, 0.17889373});
  return choose(b, x, 0.5, near, far);
}

void moe::populateHyperbolicPatterns(RewritePatternSet &patterns) {
  patterns.add<
      ExpandF32<math::AcoshOp, emitAcosh>, ExpandF32<math::AsinhOp, emitAsinh>,
      ExpandF32<math::AtanhOp, emitAtanh>, ExpandF32<math::CoshOp, emitCosh>,
      ExpandF32<math::SinhOp, emitSinh>, ExpandF32<math::TanhOp, emitTanh>>(
      patterns.getContext());
}
