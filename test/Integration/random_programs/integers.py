"""Ops on single integers, indices and truth values, and casts; all exact.

i32 wraps around at 32 bits. An index is 64 bits wide, whatever a device has.
What upstream leaves undefined (a division by zero, a shift by 32, a float that no
integer is near) is never made: `legal` sees the values.
"""

import numpy as np

from . import bounds
from .bounds import Bounds
from .scalars import Op

_SIGNED = ["addi", "subi", "muli", "divsi", "remsi", "floordivsi",
           "ceildivsi", "maxsi", "minsi", "shrsi", "andi", "ori", "xori",
           "shli"]
_UNSIGNED = ["divui", "remui", "ceildivui", "maxui", "minui", "shrui"]


def _wrap(values, kind):
    if kind == "i":
        return np.asarray(values).astype(np.int32).astype(np.int64)
    return np.asarray(values)


def _unsigned(values):
    return values & 0xFFFFFFFF


def _quotient(a, b):
    return np.where((a < 0) != (b < 0), -(np.abs(a) // np.abs(b)),
                    np.abs(a) // np.abs(b))


_FUNCTIONS = {
    "addi": np.add, "subi": np.subtract, "muli": np.multiply,
    "divsi": _quotient, "remsi": lambda a, b: a - b * _quotient(a, b),
    "floordivsi": np.floor_divide, "ceildivsi": lambda a, b: -((-a) // b),
    "maxsi": np.maximum, "minsi": np.minimum, "andi": np.bitwise_and,
    "ori": np.bitwise_or, "xori": np.bitwise_xor,
    "shli": np.left_shift, "shrsi": np.right_shift,
    "divui": lambda a, b: a // b, "remui": lambda a, b: a % b,
    "ceildivui": lambda a, b: -((-a) // b), "maxui": np.maximum,
    "minui": np.minimum, "shrui": np.right_shift,
}


def _evaluate(name, kind):
    function = _FUNCTIONS[name]

    def evaluate(arguments):
        values = [a.low for a in arguments]
        if name in _UNSIGNED:
            values = [_unsigned(v) for v in values] if kind == "i" else values
        with np.errstate(all="ignore"):
            result = function(*values)
        return Bounds(_wrap(result, kind), None,
                      arguments[0].loose | arguments[1].loose)
    return evaluate


def _legal(name, kind):
    def legal(arguments):
        a, b = arguments
        if "div" in name or "rem" in name:
            if b.loose.any() or (b.low == 0).any():
                return False
            # The quotient of the most negative number by -1 is undefined.
            return not ((b.low == -1) & (a.low == -2**31)).any()
        if name.startswith("sh"):
            return not b.loose.any() and bool(
                ((b.low >= 0) & (b.low < 32)).all())
        if kind == "x":
            # int64 itself must not wrap in the reference.
            size = (np.abs(a.low.astype(float)).max(initial=0),
                    np.abs(b.low.astype(float)).max(initial=0))
            return max(size[0] * size[1] if name == "muli" else sum(size),
                       0) < 2.0**62
        return True
    return legal


def _op(name, kind):
    return Op(f"arith.{name}" + (" index" if kind == "x" else ""), kind * 2,
              kind, f"arith.{name} {{0}}, {{1}} : {{{kind}}}",
              _evaluate(name, kind), (), None, _legal(name, kind))


INTEGER = [_op(name, "i") for name in _SIGNED + _UNSIGNED]
INDEX = [_op(name, "x") for name in _SIGNED[:9]]
BOOLEAN = [Op(f"arith.{name} i1", "bb", "b", f"arith.{name} {{0}}, {{1}} : {{b}}",
              _evaluate(name, "b")) for name in ("andi", "ori", "xori")]


def _count(function):
    def evaluate(arguments):
        values = _unsigned(arguments[0].low)
        result = np.array([function(int(v)) for v in values.reshape(-1)],
                          np.int64).reshape(values.shape)
        return Bounds(result, None, arguments[0].loose)
    return evaluate


BITS = [
    Op("math.ctlz", "i", "i", "math.ctlz {0} : {i}",
       _count(lambda v: 32 - v.bit_length())),
    Op("math.cttz", "i", "i", "math.cttz {0} : {i}",
       _count(lambda v: (v & -v).bit_length() - 1 if v else 32)),
    Op("math.ctpop", "i", "i", "math.ctpop {0} : {i}",
       _count(lambda v: bin(v).count("1"))),
    Op("math.absi", "i", "i", "math.absi {0} : {i}",
       lambda a: Bounds(_wrap(np.abs(a[0].low), "i"), None, a[0].loose)),
]

_PREDICATES = {"eq": np.equal, "ne": np.not_equal, "slt": np.less,
               "sle": np.less_equal, "sgt": np.greater,
               "sge": np.greater_equal, "ult": np.less, "ule": np.less_equal,
               "ugt": np.greater, "uge": np.greater_equal}


def _compare(predicate, kind):
    function = _PREDICATES[predicate]

    def evaluate(arguments):
        values = [a.low for a in arguments]
        if predicate[0] == "u":
            values = [_unsigned(v) for v in values]
        return Bounds(function(*values).astype(np.int64), None,
                      arguments[0].loose | arguments[1].loose)
    return Op(f"arith.cmpi {predicate}" + (" index" if kind == "x" else ""),
              kind * 2, "b",
              f"arith.cmpi {predicate}, {{0}}, {{1}} : {{{kind}}}", evaluate)


COMPARE = [_compare(predicate, "i") for predicate in _PREDICATES]
COMPARE_INDEX = [_compare(p, "x") for p in list(_PREDICATES)[:6]]
SELECT = Op("arith.select i32", "bii", "i",
            "arith.select {0}, {1}, {2} : {b}, {i}",
            lambda a: bounds.choose(*a))


def _to_float(arguments, unsigned):
    values = arguments[0].low
    values = (_unsigned(values) if unsigned else values).astype(float)
    return bounds.rounded(values, values, arguments[0].loose, 0)


def _to_integer(arguments):
    a = arguments[0]
    with np.errstate(all="ignore"):
        low, high = np.trunc(a.low), np.trunc(a.high)
        loose = a.loose | (low != high)
        values = np.clip(np.nan_to_num(low), -2.0**31, 2.0**31 - 1)
    return Bounds(values.astype(np.int64), None, loose)


def _fits(lowest, highest):
    def legal(arguments):
        a = arguments[0]
        return not a.loose.any() and bool(
            ((a.low > lowest) & (a.high < highest)).all())
    return legal


def _same_bits(arguments):
    return Bounds(arguments[0].low.astype(np.int32).view(np.float32).astype(
        np.float64), None, arguments[0].loose)


def _normal(arguments):
    bits = arguments[0].low.astype(np.int32).view(np.float32)
    with np.errstate(all="ignore"):
        return bool(((bits == 0) | (np.abs(bits) >= 2.0**-126)).all()) and \
            bool(np.isfinite(bits).all())


def _bits_of(arguments):
    return Bounds(arguments[0].low.astype(np.float32).view(np.int32).astype(
        np.int64))


def _exact_normal(arguments):
    a = arguments[0]
    return a.exact and bool(np.isfinite(a.low).all()) and bool(
        ((a.low == 0) | (np.abs(a.low) >= 2.0**-126)).all())


def _unchanged(arguments):
    return arguments[0]


CASTS = [
    Op("arith.sitofp", "i", "f", "arith.sitofp {0} : {i} to {f}",
       lambda a: _to_float(a, False), [None]),
    Op("arith.uitofp", "i", "f", "arith.uitofp {0} : {i} to {f}",
       lambda a: _to_float(a, True), [None]),
    Op("arith.uitofp i1", "b", "f", "arith.uitofp {0} : {b} to {f}",
       lambda a: _to_float(a, True), [None]),
    Op("arith.fptosi", "f", "i", "arith.fptosi {0} : {f} to {i}", _to_integer,
       [None], None, _fits(-2.0**31, 2.0**31 - 128)),
    Op("arith.fptoui", "f", "i", "arith.fptoui {0} : {f} to {i}",
       lambda a: Bounds(_wrap(np.trunc(a[0].low).astype(np.int64), "i"), None,
                        a[0].loose | (np.trunc(a[0].low)
                                      != np.trunc(a[0].high))),
       [None], None, _fits(-1.0, 2.0**32 - 256)),
    Op("arith.index_cast", "i", "x", "arith.index_cast {0} : {i} to {x}",
       _unchanged),
    Op("arith.index_cast back", "x", "i", "arith.index_cast {0} : {x} to {i}",
       lambda a: Bounds(_wrap(a[0].low, "i"), None, a[0].loose)),
    Op("arith.index_castui", "i", "x", "arith.index_castui {0} : {i} to {x}",
       lambda a: Bounds(_unsigned(a[0].low), None, a[0].loose)),
    Op("arith.extui", "b", "i", "arith.extui {0} : {b} to {i}", _unchanged),
    Op("arith.extsi", "b", "i", "arith.extsi {0} : {b} to {i}",
       lambda a: Bounds(-a[0].low, None, a[0].loose)),
    Op("arith.trunci", "i", "b", "arith.trunci {0} : {i} to {b}",
       lambda a: Bounds(a[0].low & 1, None, a[0].loose)),
    Op("arith.bitcast to f32", "i", "f", "arith.bitcast {0} : {i} to {f}",
       _same_bits, [None], None, _normal),
    Op("arith.bitcast to i32", "f", "i", "arith.bitcast {0} : {f} to {i}",
       _bits_of, [None], None, _exact_normal),
]
