"""The rows of functions of f32, whose error is counted.

The right answers are NumPy's in long double, those of erf and erfc the standard
library's in double.
"""

import math

import numpy as np

from .row import Row, TYPES


def _elementwise(function):
    return np.vectorize(lambda x: function(float(x)), otypes=[np.longdouble])


def _round(x):
    return np.copysign(np.trunc(np.abs(x) + np.longdouble(.5)), x)


_UNARY = {
    "arith.negf": (np.negative, 0), "math.absf": (np.abs, 0),
    "math.acos": (np.arccos, 2), "math.acosh": (np.arccosh, 3),
    "math.asin": (np.arcsin, 2), "math.asinh": (np.arcsinh, 2),
    "math.atan": (np.arctan, 2), "math.atanh": (np.arctanh, 2),
    "math.cbrt": (np.cbrt, 1), "math.ceil": (np.ceil, 0),
    "math.cos": (np.cos, 3), "math.cosh": (np.cosh, 2),
    "math.erf": (_elementwise(math.erf), 2),
    "math.erfc": (_elementwise(math.erfc), 4), "math.exp": (np.exp, 2),
    "math.exp2": (np.exp2, 2), "math.expm1": (np.expm1, 2),
    "math.floor": (np.floor, 0), "math.log": (np.log, 2),
    "math.log10": (np.log10, 2), "math.log1p": (np.log1p, 2),
    "math.log2": (np.log2, 2), "math.round": (_round, 0),
    "math.roundeven": (np.rint, 0), "math.rsqrt": (lambda x: 1 / np.sqrt(x), 2),
    "math.sin": (np.sin, 3), "math.sinh": (np.sinh, 2),
    "math.sqrt": (np.sqrt, .5), "math.tan": (np.tan, 4),
    "math.tanh": (np.tanh, 2), "math.trunc": (np.trunc, 0)}


def _ordered(choose, other, ignores_nan):
    """A maximum or minimum, where -0 is below 0."""
    def function(x, y):
        zeros = (x == 0) & (y == 0)
        signs = choose(np.copysign(1, x), np.copysign(1, y))
        return np.where(zeros, np.copysign(np.longdouble(0), signs),
                        (other if ignores_nan else choose)(x, y))
    return function


_MAXIMUM = _ordered(np.maximum, np.fmax, False)
_MINIMUM = _ordered(np.minimum, np.fmin, False)
_BINARY = {
    "arith.addf": (np.add, .5), "arith.divf": (np.divide, .5),
    "arith.maximumf": (_MAXIMUM, 0), "arith.minimumf": (_MINIMUM, 0),
    "arith.maxnumf": (_ordered(np.maximum, np.fmax, True), 0),
    "arith.minnumf": (_ordered(np.minimum, np.fmin, True), 0),
    "arith.mulf": (np.multiply, .5), "arith.remf": (np.fmod, 0),
    "arith.subf": (np.subtract, .5), "math.atan2": (np.arctan2, 3),
    "math.copysign": (np.copysign, 0), "math.powf": (np.power, 2)}


def _whole_power(x, n):
    """x to the power of an integer, where NaN to the power of 0 is 1."""
    return np.power(x, n.astype(np.longdouble))


def _fma(x, y, z):
    """Rounded once: the product of two f32 is exact in long double."""
    return x * y + z


def _rows():
    for op, (function, bound) in _UNARY.items():
        yield Row(op, function, bound)
    for op, (function, bound) in _BINARY.items():
        yield Row(op, function, bound, "ff")
    f32, i32 = TYPES["f"], TYPES["i"]
    yield Row("math.clampf", lambda x, low, high: _MINIMUM(_MAXIMUM(x, low),
                                                           high),
              0, "fff", lines=f"  %y0 = math.clampf %x0 to [%x1, %x2] : {f32}")
    yield Row("math.fma", _fma, .5, "fff")
    yield Row("math.fpowi", _whole_power, 2, "fi",
              lines=f"  %y0 = math.fpowi %x0, %x1 : {f32}, {i32}")
    yield Row("math.sincos", lambda x: (np.sin(x), np.cos(x)), 3, "f", "ff",
              lines=f"  %y0, %y1 = math.sincos %x0 : {f32}")
    for op, kind in (("arith.sitofp", "signed"), ("arith.uitofp", "unsigned")):
        yield Row(op, (lambda n: n.astype(np.longdouble)) if kind == "signed"
                  else lambda n: (n % 2**32).astype(np.longdouble), .5, "i",
                  lines=f"  %y0 = {op} %x0 : {i32} to {f32}")


ROWS = sorted(_rows(), key=lambda row: row.op)
