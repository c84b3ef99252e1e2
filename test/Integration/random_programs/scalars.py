"""Ops on single floats: their text, their bounds in f32, and their slopes.

A slope is a function of float64 numbers, one for each float operand; where it is
not finite, or at a kink, a derivative is not compared. `ulps` is the error that a
device's op may have beside IEEE's rounding; see docs/accuracy.md for what is
measured.
"""

import math
from typing import Callable, NamedTuple, Optional, Sequence

import numpy as np

from . import bounds
from .bounds import Bounds, apply, contains

SLOPE_ULPS = 24  # a few ops of 4 ulps each, and a product

_erf = np.vectorize(math.erf, otypes=[float])
_erfc = np.vectorize(math.erfc, otypes=[float])


class Op(NamedTuple):
    """One op on elements.

    Attributes
    ----------
    name : str
    operands : str
        Kinds of the operands, a letter each: f(loat), i(nteger), b(oolean) or
        x, an index.
    result : str
        The kind of the result.
    text : str
        With {0}, {1}, … for operands, {f}, {i}, {b}, {x} for types.
    evaluate : callable
        Bounds of the operands to those of the result.
    slopes : sequence of callable or None
        For each operand, None where it has no derivative.
    cut : callable, optional
        As of `bounds.apply`; derivatives are not compared there.
    legal : callable, optional
        Whether the op may be used on these bounds.
    """

    name: str
    operands: str
    result: str
    text: str
    evaluate: Callable
    slopes: Sequence[Optional[Callable]] = ()
    cut: Optional[Callable] = None
    legal: Optional[Callable] = None

    def partial(self, position, arguments):
        """The bounds of the derivative for one operand."""
        slope = self.slopes[position]
        if slope is None:
            return None
        floats = [a for a in arguments if a.is_float]
        result = apply(slope, floats, _slope_ulps(slope, self.name), self.cut)
        loose = ~np.isfinite(result.low) | ~np.isfinite(result.high)
        if self.cut is not None:
            loose = loose | self.cut([a.low for a in floats],
                                     [a.high for a in floats])
        return result.loosened(loose)


def _slope_ulps(slope, name):
    """None for 0 and 1 and -1, which derivatives are not multiplied by."""
    ulps = 4 if name.startswith("arith") else SLOPE_ULPS

    def error(*middle):
        value = np.asarray(slope(*middle), np.float64)
        return np.where((value == 0) | (np.abs(value) == 1), 0.0, ulps)
    return error


def _unary(name, function, slope, ulps=4, cut=None, monotone=False):
    return Op(name, "f", "f", name + " {0} : {f}",
              lambda a: apply(function, a, ulps, cut, monotone), [slope], cut)


def _steps(function):
    """Where a function of steps jumps."""
    def cut(lows, highs):
        with np.errstate(all="ignore"):
            return ~bounds.same(function(lows[0]), function(highs[0]))
    return cut


def _round_away(x):
    return np.copysign(np.floor(np.abs(x) + 0.5), x)


def _sinh_slope(x):
    return np.cosh(x)


def _flat(x):
    return x * 0.0


def _pole_of_tan(lows, highs):
    with np.errstate(all="ignore"):
        return np.floor(lows[0] / np.pi + 0.5) != np.floor(
            highs[0] / np.pi + 0.5)


def _wave_ulps(function):
    # Near their zeros the absolute error counts: one of the argument's reduction.
    return lambda x: 4 + 2.0**-22 / bounds.ulp(function(x)) * (np.abs(x) > 1)


def _waves(name, function, slope):
    def evaluate(arguments):
        result = apply(function, arguments, _wave_ulps(function))
        with np.errstate(all="ignore"):
            wide = arguments[0].high - arguments[0].low > 0.1
        return result.loosened(wide)
    return Op(name, "f", "f", name + " {0} : {f}", evaluate, [slope])


UNARY = [
    _unary("arith.negf", np.negative, lambda x: x * 0 - 1, 0, monotone=True),
    _unary("math.absf", np.abs, np.sign, 0, contains(0)),
    _unary("math.ceil", np.ceil, _flat, 0, _steps(np.ceil), True),
    _unary("math.floor", np.floor, _flat, 0, _steps(np.floor), True),
    _unary("math.trunc", np.trunc, _flat, 0, _steps(np.trunc), True),
    _unary("math.round", _round_away, _flat, 0, _steps(_round_away), True),
    _unary("math.roundeven", np.rint, _flat, 0, _steps(np.rint), True),
    _unary("math.exp", np.exp, np.exp, monotone=True),
    _unary("math.exp2", np.exp2, lambda x: np.log(2) * np.exp2(x),
           monotone=True),
    _unary("math.expm1", np.expm1, np.exp, monotone=True),
    _unary("math.log", np.log, lambda x: 1 / x, cut=contains(0)),
    _unary("math.log2", np.log2, lambda x: 1 / (x * np.log(2)),
           cut=contains(0)),
    _unary("math.log10", np.log10, lambda x: 1 / (x * np.log(10)),
           cut=contains(0)),
    _unary("math.log1p", np.log1p, lambda x: 1 / (1 + x), cut=contains(-1)),
    _unary("math.sqrt", np.sqrt, lambda x: 0.5 / np.sqrt(x), cut=contains(0)),
    _unary("math.rsqrt", lambda x: 1 / np.sqrt(x),
           lambda x: -0.5 / (x * np.sqrt(x)), cut=contains(0)),
    _unary("math.cbrt", np.cbrt, lambda x: 1 / (3 * np.cbrt(x)**2),
           cut=contains(0)),
    _waves("math.sin", np.sin, np.cos),
    _waves("math.cos", np.cos, lambda x: -np.sin(x)),
    _unary("math.tan", np.tan, lambda x: 1 / np.cos(x)**2,
           lambda x: (4 + 2.0**-22 * (1 + np.tan(x)**2)
                      / bounds.ulp(np.tan(x)) * (np.abs(x) > 0.5)),
           _pole_of_tan),
    _unary("math.asin", np.arcsin, lambda x: 1 / np.sqrt((1 - x) * (1 + x))),
    _unary("math.acos", np.arccos, lambda x: -1 / np.sqrt((1 - x) * (1 + x))),
    _unary("math.atan", np.arctan, lambda x: 1 / (1 + x * x)),
    _unary("math.sinh", np.sinh, _sinh_slope),
    _unary("math.cosh", np.cosh, np.sinh),
    _unary("math.tanh", np.tanh, lambda x: 1 / np.cosh(x)**2),
    _unary("math.asinh", np.arcsinh, lambda x: 1 / np.hypot(x, 1)),
    _unary("math.acosh", np.arccosh,
           lambda x: 1 / (np.sqrt(x - 1) * np.sqrt(x + 1)), cut=contains(1)),
    _unary("math.atanh", np.arctanh, lambda x: 1 / ((1 - x) * (1 + x)),
           cut=lambda lows, highs: (lows[0] <= -1) | (highs[0] >= 1)),
    _unary("math.erf", _erf, lambda x: 2 / np.sqrt(np.pi) * np.exp(-x * x)),
    _unary("math.erfc", _erfc, lambda x: -2 / np.sqrt(np.pi) * np.exp(-x * x)),
]


def _zero_in(position):
    return lambda lows, highs: (lows[position] <= 0) & (highs[position] >= 0)


def _tie(lows, highs):
    return (lows[0] <= highs[1]) & (lows[1] <= highs[0])


def _binary(name, function, slopes, ulps=0, cut=None, jump=None,
            monotone=False):
    return Op(name, "ff", "f", name + " {0}, {1} : {f}",
              lambda a: apply(function, a, ulps, jump, monotone), slopes, cut)


def _of_sign(name, function, slopes, ulps, cut, jump):
    """Of a NaN the sign says nothing."""
    def evaluate(arguments):
        result = apply(function, arguments, ulps, jump)
        return result.loosened(np.isnan(arguments[1].low))
    return Op(name, "ff", "f", name + " {0}, {1} : {f}", evaluate, slopes, cut)


def _maxnum(x, y):
    return np.fmax(x, y)


def _minnum(x, y):
    return np.fmin(x, y)


def _extreme(name, function, first):
    """A maximum or minimum; of two zeros either may be given."""
    def evaluate(arguments):
        result = apply(function, arguments, monotone=True)
        a, b = arguments
        zeros = (result.low == 0) & (result.high == 0) & (
            np.signbit(a.low) != np.signbit(b.low))
        return Bounds(np.where(zeros, -0.0, result.low),
                      np.where(zeros, 0.0, result.high), result.loose)
    return Op(name, "ff", "f", name + " {0}, {1} : {f}", evaluate,
              [lambda x, y: first(x, y) * 1.0,
               lambda x, y: 1.0 - first(x, y)], _tie)


def _power(x, y):
    """IEEE's; NumPy's vector code has NaN for a fraction's power of -inf."""
    result = np.power(x, y)
    odd = (np.floor(y) == y) & (np.floor(y / 2) * 2 != y)
    size = np.power(np.abs(x), y)
    return np.where(np.isneginf(x) & ~np.isnan(y),
                    np.where(odd, -size, size), result)


def _remainder(x, y):
    return np.fmod(x, y)


def _remainder_jumps(lows, highs):
    with np.errstate(all="ignore"):
        corners = [np.trunc(x / y) for x in (lows[0], highs[0])
                   for y in (lows[1], highs[1])]
        return (np.ptp(np.stack(corners), axis=0) != 0) | _zero_in(1)(
            lows, highs)


def _branch_of_atan2(lows, highs):
    return _zero_in(0)(lows, highs) & (lows[1] <= 0)


BINARY = [
    _binary("arith.addf", np.add, [lambda x, y: 1 + 0 * (x + y)] * 2,
            monotone=True),
    _binary("arith.subf", np.subtract, [lambda x, y: 1 + 0 * (x + y),
                                        lambda x, y: -1 + 0 * (x + y)],
            monotone=True),
    _binary("arith.mulf", np.multiply, [lambda x, y: y + 0 * x,
                                        lambda x, y: x + 0 * y],
            monotone=True),
    _binary("arith.divf", np.divide, [lambda x, y: 1 / y + 0 * x,
                                      lambda x, y: -x / y / y], 2.5,
            _zero_in(1), _zero_in(1), True),
    _binary("arith.remf", _remainder, [None, None], 0, None,
            _remainder_jumps),
    _extreme("arith.maximumf", np.maximum, np.greater),
    _extreme("arith.minimumf", np.minimum, np.less),
    _extreme("arith.maxnumf", _maxnum, np.greater),
    _extreme("arith.minnumf", _minnum, np.less),
    _binary("math.powf", _power,
            [lambda x, y: y * np.power(x, y - 1),
             lambda x, y: np.power(x, y) * np.log(x)], 4,
            _zero_in(0), _zero_in(0)),
    _binary("math.atan2", np.arctan2,
            [lambda y, x: x / (x * x + y * y),
             lambda y, x: -y / (x * x + y * y)], 4, _branch_of_atan2,
            _branch_of_atan2),
    _of_sign("math.copysign", np.copysign,
            [lambda x, y: np.sign(x) * np.copysign(1.0, y),
             lambda x, y: 0 * (x + y)], 0,
            lambda lows, highs: (_zero_in(0)(lows, highs)
                                 | _zero_in(1)(lows, highs)),
            _zero_in(1)),
]


def _fma(arguments):
    """One rounding or two."""
    a, b, c = arguments
    twice = bounds.add(bounds.multiply(a, b), c)
    once = apply(lambda x, y, z: x * y + z, arguments, 0.5, monotone=True)
    return Bounds(np.fmin(twice.low, once.low), np.fmax(twice.high, once.high),
                  twice.loose | once.loose
                  | (np.isnan(twice.low) != np.isnan(once.low))
                  | (np.isinf(twice.low) != np.isinf(once.low)))


def _clamp(x, low, high):
    return np.minimum(np.maximum(x, low), high)


TERNARY = [
    Op("math.fma", "fff", "f", "math.fma {0}, {1}, {2} : {f}", _fma,
       [lambda x, y, z: y + 0 * (x + z), lambda x, y, z: x + 0 * (y + z),
        lambda x, y, z: 1 + 0 * (x + y + z)]),
    Op("math.clampf", "fff", "f", "math.clampf {0} to [{1}, {2}] : {f}",
       lambda a: apply(_clamp, a, monotone=True),
       [lambda x, a, b: ((x > a) & (x < b)) * 1.0,
        lambda x, a, b: (x < a) * 1.0, lambda x, a, b: (x > b) * 1.0],
       lambda lows, highs: (_tie(lows[:2], highs[:2])
                            | _tie(lows[::2], highs[::2])),
       lambda a: bool((a[1].high <= a[2].low).all())),
]

_ORDERED = {"oeq": np.equal, "ogt": np.greater, "oge": np.greater_equal,
            "olt": np.less, "ole": np.less_equal}


def _compare(predicate):
    ordered = predicate[0] == "o"
    function = _ORDERED.get("o" + predicate[1:])

    def evaluate(arguments):
        a, b = (Bounds(*bounds.flushed(x.low, x.high), x.loose)
                for x in arguments)
        nan = np.isnan(a.low) | np.isnan(b.low)
        if predicate in ("ord", "uno"):
            holds = nan if predicate == "uno" else ~nan
            return truth_of([holds], a, b)
        corners = []
        for x, y in itertools_product(a, b):
            if function is None:  # one, une
                holds = (x != y) & ~nan
            else:
                holds = function(x, y)
            corners.append(holds | nan if not ordered else holds & ~nan)
        overlap = (a.low <= b.high) & (b.low <= a.high) & ~nan & (
            (a.low != a.high) | (b.low != b.high))
        result = truth_of(corners, a, b)
        return result.loosened(overlap)
    return Op(f"arith.cmpf {predicate}", "ff", "b",
              f"arith.cmpf {predicate}, {{0}}, {{1}} : {{f}}", evaluate,
              [None, None])


def itertools_product(a, b):
    return [(x, y) for x in (a.low, a.high) for y in (b.low, b.high)]


def truth_of(corners, *arguments):
    corners = np.stack(np.broadcast_arrays(*corners))
    loose = np.zeros(corners.shape[1:], bool)
    for a in arguments:
        loose = loose | a.loose
    return bounds.truth(corners.all(0), corners.any(0), loose)


COMPARE = [_compare(p) for p in ("oeq", "ogt", "oge", "olt", "ole", "one",
                                 "ord", "ueq", "ugt", "uge", "ult", "ule",
                                 "une", "uno")]

SELECT = Op("arith.select", "bff", "f", "arith.select {0}, {1}, {2} : {b}, {f}",
            lambda a: bounds.choose(*a))


def _is(name, function):
    def evaluate(arguments):
        a = arguments[0]
        return truth_of([function(a.low), function(a.high)], a)
    return Op(name, "f", "b", name + " {0} : {f}", evaluate, [None])


CLASSIFY = [_is("math.isnan", np.isnan), _is("math.isinf", np.isinf),
            _is("math.isfinite", np.isfinite)]
