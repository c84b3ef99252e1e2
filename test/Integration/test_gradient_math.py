"""Derivatives of math and arith ops against float64, at special points too."""

import re

import numpy as np
import pytest
from adjoint import differentiate


def gradients(tools, session, body, arguments, *cotangents):
    """The gradients of %x0, %x1, … in a function whose body gives %y.

    T is their type; a second result is %z. Integers have no gradient.
    """
    n = len(cotangents[0])
    types = [np.asarray(a).dtype.kind for a in arguments]
    names = ", ".join(f"%x{i}: tensor<{n}x{'i32' if kind == 'i' else 'f32'}>"
                      for i, kind in enumerate(types))
    results = ", ".join(["%y", "%z"][:len(cotangents)])
    given = ", ".join(["T"] * len(cotangents))
    text = (f"func.func @f({names}) -> ({given}) {{\n{body}\n  return "
            f"{results} : {given}\n}}\n")
    text = re.sub(r"\bT\b", f"tensor<{n}xf32>", text)
    text = re.sub(r"\bI\b", f"tensor<{n}xi32>", text)
    return session(differentiate(tools, text)).run(
        *[np.array(a, np.int32 if kind == "i" else np.float32)
          for a, kind in zip(arguments, types)],
        *[np.array(g, np.float32) for g in cotangents])[len(cotangents):]


def gradient(tools, session, body, x, g):
    """That of %x0 alone."""
    result, = gradients(tools, session, body, [np.array(x, np.float32)], g)
    return result


_BELL = 2 / np.sqrt(np.pi)
# op, points, the derivative, and its relative error
_SLOPES = {
    "tanh": ([0, 0.5, -2, 9, -9, 20, 95], lambda x: np.cosh(x)**-2, 1e-5),
    "sinh": ([0, 0.5, -2, 9], np.cosh, 1e-5),
    "cosh": ([0.5, -2, 9], np.sinh, 1e-5),
    "tan": ([0, 0.5, -1], lambda x: np.cos(x)**-2, 1e-5),
    "asin": ([0, 0.5, -0.9], lambda x: (1 - x * x)**-0.5, 1e-5),
    "acos": ([0, 0.5, -0.9], lambda x: -(1 - x * x)**-0.5, 1e-5),
    "atan": ([0, 0.5, -30], lambda x: 1 / (1 + x * x), 1e-5),
    "asinh": ([0, 0.5, -30, 1e20, -1e30], lambda x: 1 / np.hypot(1, x), 1e-5),
    "acosh": ([1.125, 2, 30], lambda x: (x * x - 1)**-0.5, 1e-5),
    "atanh": ([0, 0.5, -0.9375], lambda x: 1 / (1 - x * x), 1e-5),
    "log10": ([0.1, 2, 30], lambda x: 1 / (x * np.log(10)), 1e-5),
    "log": ([1e-30, 2, 1e30], lambda x: 1 / x, 1e-6),
    "log2": ([1e-30, 2, 1e30], lambda x: 1 / (x * np.log(2)), 1e-6),
    "log1p": ([-0.9999, 0, 1e-9, 3], lambda x: 1 / (1 + x), 1e-6),
    "exp": ([-80, 0, 1e-9, 3, 80], np.exp, 1e-5),
    "exp2": ([-100, 0, 3, 100], lambda x: 2**x * np.log(2), 1e-5),
    "sin": ([0, 1e-9, 3, -1e5], np.cos, 1e-5),
    "cos": ([0, 1e-9, 3, -1e5], lambda x: -np.sin(x), 1e-5),
    "sqrt": ([1e-30, 2, 1e30], lambda x: x**-0.5 / 2, 1e-6),
    "rsqrt": ([1e-20, 2, 1e20], lambda x: x**-1.5 / -2, 1e-6),
    "absf": ([-3, 0, -0.0, 2], np.sign, 0),
    "cbrt": ([1e-30, -1e-30, 0.5, -8, 1e30], lambda x: np.cbrt(x)**-2 / 3,
             1e-6),
    "erf": ([0, 1e-9, 0.5, -2, 5], lambda x: _BELL * np.exp(-x * x), 5e-6),
    "erfc": ([0, 1e-9, 0.5, -2, 5], lambda x: -_BELL * np.exp(-x * x), 5e-6),
    # Where the value is near -1, too.
    "expm1": ([-80, -20, -1, 1e-9, 3, 80], np.exp, 1e-5),
    **{op: ([-2.5, -0.5, 0.3, 7], np.zeros_like, 0)
       for op in ("floor", "ceil", "round", "roundeven", "trunc")},
}


@pytest.mark.parametrize("op", _SLOPES)
def test_slope(tools, session, op):
    points, slope, tolerance = _SLOPES[op]
    x = np.array(points, np.float32)
    got = gradient(tools, session, f"  %y = math.{op} %x0 : T", x, np.ones_like(x))
    want = slope(x.astype(np.float64))
    # Below the smallest normal number a device may give 0.
    np.testing.assert_allclose(got, want, rtol=tolerance, atol=2.0**-126)


@pytest.mark.parametrize("power, points, want", [
    (1, [0, 2, 3], [1, 1, 1]), (0, [0, 2, 3], [0, 0, 0]),
    (2, [0, 2, 3], [0, 4, 6])])
def test_power(tools, session, power, points, want):
    body = (f"  %p = arith.constant dense<{power}.0> : T\n"
            "  %y = math.powf %x0, %p : T")
    got = gradient(tools, session, body, points, [1, 1, 1])
    np.testing.assert_allclose(got, want, rtol=1e-5)


@pytest.mark.parametrize("x, p, dx, dp", [
    (-2, 3, 12, np.nan), (-2, 2, -4, np.nan), (-2, -1, -0.25, np.nan),
    (-2, 1, 1, np.nan), (-2, 0, 0, np.nan), (2, 0.5, 8**-0.5,
                                             2**0.5 * np.log(2)),
    (0, 2, 0, 0), (0, 1, 1, 0), (0, 0.5, np.inf, 0), (0, 0, 0, 0),
    (0, -1, -np.inf, -np.inf), (1e-30, 2, 2e-30, 0), (1, 7, 7, 0),
    (np.inf, -1, 0, 0), (1.5, 30, 30 * 1.5**29, 1.5**30 * np.log(1.5))])
def test_power_in_both(tools, session, x, p, dx, dp):
    got = gradients(tools, session, "  %y = math.powf %x0, %x1 : T",
                    [[float(x)], [float(p)]], [1])
    np.testing.assert_allclose(np.ravel(got), [dx, dp], rtol=1e-5)


@pytest.mark.parametrize("n, points, want", [
    (3, [-2, 0, 2], [12, 0, 12]), (1, [-2, 0, 2], [1, 1, 1]),
    (0, [-2, 0, 2], [0, 0, 0]), (-1, [-2, 0.5, 2], [-.25, -4, -.25]),
    (-2**31, [-1, 1, 2], [2.0**31, -2.0**31, 0]),
    (2**31 - 1, [-1, 1, 0.5], [2.0**31, 2.0**31, 0])])
def test_whole_power(tools, session, n, points, want):
    got, = gradients(tools, session, "  %y = math.fpowi %x0, %x1 : T, I",
                     [np.float32(points), [n] * 3], [1, 1, 1])
    np.testing.assert_allclose(got, want, rtol=1e-6)


def test_clamp(tools, session):
    # Below, at, between, at, above; and between bounds that are out of order.
    got = gradients(tools, session, "  %y = math.clampf %x0 to [%x1, %x2] : T",
                    np.float32([[-2, -1, 0, 1, 2, 0], [-1] * 5 + [1],
                                [1] * 5 + [-1]]), range(1, 7))
    np.testing.assert_array_equal(got, [
        [0, 2, 3, 4, 0, 0], [1, 0, 0, 0, 0, 0], [0, 0, 0, 0, 5, 6]])


def test_sine_and_cosine_at_once(tools, session):
    x = np.float32([0, 1, -2])
    both = "  %y, %z = math.sincos %x0 : T"
    got, = gradients(tools, session, both, [x], [1, 2, 3], [4, 5, 6])
    np.testing.assert_allclose(got, [1, 2, 3] * np.cos(x) - [4, 5, 6] * np.sin(x),
                               rtol=1e-6, atol=1e-6)
    got = gradient(tools, session, both, x, [1, 2, 3])
    np.testing.assert_allclose(got, [1, 2, 3] * np.cos(x), rtol=1e-6)


@pytest.mark.parametrize("scale", [1, 1e-30, 1e30])
def test_angle(tools, session, scale):
    y, x = np.float32([[3, 0, -1, 2, 0], [4, 2, -1, 0, -3]]) * np.float32(scale)
    got = gradients(tools, session, "  %y = math.atan2 %x0, %x1 : T", [y, x],
                    [1] * 5)
    y, x = y.astype(np.float64), x.astype(np.float64)
    np.testing.assert_allclose(got, np.array([x, -y]) / (x * x + y * y),
                               rtol=1e-6)


def test_sign_of_another(tools, session):
    got = gradients(tools, session, "  %y = math.copysign %x0, %x1 : T",
                    np.float32([[2, -2, 2, -2, 0], [1, 1, -0.0, -3, 1]]),
                    range(1, 6))
    np.testing.assert_array_equal(got, [[1, -2, -3, 4, 0], [0] * 5])


def test_product_and_sum(tools, session):
    got = gradients(tools, session, "  %y = math.fma %x0, %x1, %x2 : T",
                    np.float32([[2, 3], [5, 7], [1, 1]]), [1, 10])
    np.testing.assert_array_equal(got, [[5, 70], [2, 30], [1, 10]])


def test_remainder(tools, session):
    body = ("  %p = arith.constant dense<7.5> : T\n"
            "  %y = arith.remf %p, %x0 : T")
    got = gradient(tools, session, body, [2, -2, 8], [1, 1, 1])
    np.testing.assert_allclose(got, [-3, 3, 0], rtol=1e-6)


# Guarded forms, each finite at 0, where the slope of a part is infinite.
_GUARDED = {
    # x / max(|x|, 1e-6), the norm of a row of one element
    "normalize": ("""  %e = arith.constant dense<1.0e-6> : T
  %s = arith.mulf %x0, %x0 : T
  %n = math.sqrt %s : T
  %m = arith.maximumf %n, %e : T
  %y = arith.divf %x0, %m : T""", [2e6, 0]),
    # min(1, c / |x|) · x
    "clip": ("""  %c = arith.constant dense<1.0> : T
  %s = arith.mulf %x0, %x0 : T
  %n = math.sqrt %s : T
  %q = arith.divf %c, %n : T
  %m = arith.minimumf %q, %c : T
  %y = arith.mulf %x0, %m : T""", [2, 0]),
    # x · min(rsqrt(x²), 3)
    "rsqrt": ("""  %c = arith.constant dense<3.0> : T
  %s = arith.mulf %x0, %x0 : T
  %q = math.rsqrt %s : T
  %m = arith.minimumf %q, %c : T
  %y = arith.mulf %x0, %m : T""", [6, 0]),
    # log(x) where x > 0, else x
    "log": ("""  %c = arith.constant dense<0.0> : T
  %k = arith.cmpf ogt, %x0, %c : T
  %l = math.log %x0 : T
  %y = arith.select %k, %l, %x0 : tensor<2xi1>, T""", [2, 0.5]),
}


@pytest.mark.parametrize("form", _GUARDED)
def test_guarded_at_zero(tools, session, form):
    body, want = _GUARDED[form]
    got = gradient(tools, session, body, [0, 4], [2, 2])
    np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-6)
