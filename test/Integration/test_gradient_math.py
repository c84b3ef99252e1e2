"""Derivatives of math and arith ops against float64, at special points too."""

import numpy as np
import pytest
from adjoint import differentiate


def gradient(tools, session, body, x, g):
    """The gradient of x in a function whose body gives %y."""
    n = len(x)
    text = (f"func.func @f(%x: tensor<{n}xf32>) -> tensor<{n}xf32> {{\n{body}\n"
            f"  return %y : tensor<{n}xf32>\n}}\n").replace("T", f"tensor<{n}xf32>")
    _, dx = session(differentiate(tools, text)).run(
        np.array(x, np.float32), np.array(g, np.float32))
    return dx


# op, points, the derivative, and its relative error
_SLOPES = {
    "tanh": ([0, 0.5, -2, 9, -9, 20, 95], lambda x: np.cosh(x)**-2, 1e-5),
    "sinh": ([0, 0.5, -2, 9], np.cosh, 1e-5),
    "cosh": ([0.5, -2, 9], np.sinh, 1e-5),
    "tan": ([0, 0.5, -1], lambda x: np.cos(x)**-2, 1e-5),
    "asin": ([0, 0.5, -0.9], lambda x: (1 - x * x)**-0.5, 1e-5),
    "acos": ([0, 0.5, -0.9], lambda x: -(1 - x * x)**-0.5, 1e-5),
    "atan": ([0, 0.5, -30], lambda x: 1 / (1 + x * x), 1e-5),
    "asinh": ([0, 0.5, -30], lambda x: (1 + x * x)**-0.5, 1e-5),
    "acosh": ([1.125, 2, 30], lambda x: (x * x - 1)**-0.5, 1e-5),
    "atanh": ([0, 0.5, -0.9375], lambda x: 1 / (1 - x * x), 1e-5),
    "log10": ([0.1, 2, 30], lambda x: 1 / (x * np.log(10)), 1e-5),
}


@pytest.mark.parametrize("op", _SLOPES)
def test_slope(tools, session, op):
    points, slope, tolerance = _SLOPES[op]
    x = np.array(points, np.float32)
    got = gradient(tools, session, f"  %y = math.{op} %x : T", x, np.ones_like(x))
    want = slope(x.astype(np.float64))
    # Below the smallest normal number a device may give 0.
    np.testing.assert_allclose(got, want, rtol=tolerance, atol=2.0**-126)


@pytest.mark.parametrize("power, points, want", [
    (1, [0, 2, 3], [1, 1, 1]), (0, [0, 2, 3], [0, 0, 0]),
    (2, [0, 2, 3], [0, 4, 6])])
def test_power(tools, session, power, points, want):
    body = (f"  %p = arith.constant dense<{power}.0> : T\n"
            "  %y = math.powf %x, %p : T")
    got = gradient(tools, session, body, points, [1, 1, 1])
    np.testing.assert_allclose(got, want, rtol=1e-5)


def test_remainder(tools, session):
    body = ("  %p = arith.constant dense<7.5> : T\n"
            "  %y = arith.remf %p, %x : T")
    got = gradient(tools, session, body, [2, -2, 8], [1, 1, 1])
    np.testing.assert_allclose(got, [-3, 3, 0], rtol=1e-6)


# Guarded forms, each finite at 0, where the slope of a part is infinite.
_GUARDED = {
    # x / max(|x|, 1e-6), the norm of a row of one element
    "normalize": ("""  %e = arith.constant dense<1.0e-6> : T
  %s = arith.mulf %x, %x : T
  %n = math.sqrt %s : T
  %m = arith.maximumf %n, %e : T
  %y = arith.divf %x, %m : T""", [2e6, 0]),
    # min(1, c / |x|) · x
    "clip": ("""  %c = arith.constant dense<1.0> : T
  %s = arith.mulf %x, %x : T
  %n = math.sqrt %s : T
  %q = arith.divf %c, %n : T
  %m = arith.minimumf %q, %c : T
  %y = arith.mulf %x, %m : T""", [2, 0]),
    # x · min(rsqrt(x²), 3)
    "rsqrt": ("""  %c = arith.constant dense<3.0> : T
  %s = arith.mulf %x, %x : T
  %q = math.rsqrt %s : T
  %m = arith.minimumf %q, %c : T
  %y = arith.mulf %x, %m : T""", [6, 0]),
    # log(x) where x > 0, else x
    "log": ("""  %c = arith.constant dense<0.0> : T
  %k = arith.cmpf ogt, %x, %c : T
  %l = math.log %x : T
  %y = arith.select %k, %l, %x : tensor<2xi1>, T""", [2, 0.5]),
}


@pytest.mark.parametrize("form", _GUARDED)
def test_guarded_at_zero(tools, session, form):
    body, want = _GUARDED[form]
    got = gradient(tools, session, body, [0, 4], [2, 2])
    np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-6)
