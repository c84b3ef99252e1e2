"""The rows of comparisons, conversions and integers, which are exact."""

import numpy as np

from .row import TYPES, Row

F, I, B = TYPES["f"], TYPES["i"], TYPES["b"]
_LOW, _HIGH = -2**31, 2**31 - 1


def _unsigned(x):
    return x % 2**32


def _is_quotient(x, y):
    """Where a signed quotient has 32 bits."""
    return (y != 0) & ~((x == _LOW) & (y == -1))


def _truncated(x, y):
    """The quotient towards 0, and the rest, which has the sign of x."""
    y = np.where(y == 0, 1, y)
    quotient = np.abs(x) // np.abs(y) * np.sign(x) * np.sign(y)
    return quotient, x - quotient * y


def _power(x, n):
    """x to the power of n modulo 2^32, and 1 / x rounded towards 0."""
    def one(base, power):
        base, power = int(base), int(power)
        if power >= 0:
            return pow(base, power, 2**32)
        return base**(power % 2) if base in (1, -1) else 0
    return np.vectorize(one, otypes=[np.int64])(x, n)


def _bits(x):
    return np.vectorize(lambda v: bin(int(v) % 2**32).count("1"))(x)


def _leading(x):
    return np.vectorize(lambda v: 32 - (int(v) % 2**32).bit_length())(x)


def _trailing(x):
    return _bits(np.bitwise_and(~x, x - 1))


_NOT_ZERO = (lambda x, y: y != 0, "by 0")
_QUOTIENT = (_is_quotient, "by 0; −2³¹ by −1")
_ALL = (None, "")
# Two integers to one. Where MLIR has no value, the note says what it leaves out.
_INTEGERS = {
    "addi": (np.add, _ALL), "andi": (np.bitwise_and, _ALL),
    "ceildivsi": (lambda x, y: -(-x // np.where(y == 0, 1, y)), _QUOTIENT),
    "ceildivui": (lambda x, y: -(-_unsigned(x) // np.maximum(_unsigned(y), 1)),
                  _NOT_ZERO),
    "divsi": (lambda x, y: _truncated(x, y)[0], _QUOTIENT),
    "divui": (lambda x, y: _unsigned(x) // np.maximum(_unsigned(y), 1),
              _NOT_ZERO),
    "floordivsi": (lambda x, y: x // np.where(y == 0, 1, y), _QUOTIENT),
    "maxsi": (np.maximum, _ALL),
    "maxui": (lambda x, y: np.maximum(_unsigned(x), _unsigned(y)), _ALL),
    "minsi": (np.minimum, _ALL),
    "minui": (lambda x, y: np.minimum(_unsigned(x), _unsigned(y)), _ALL),
    "muli": (np.multiply, _ALL), "ori": (np.bitwise_or, _ALL),
    "remsi": (lambda x, y: _truncated(x, y)[1],
              (_NOT_ZERO[0], "by 0; −2³¹ by −1 is 0 here")),
    "remui": (lambda x, y: _unsigned(x) % np.maximum(_unsigned(y), 1),
              _NOT_ZERO),
    "shli": (lambda x, n: np.where(_unsigned(n) < 32,
                                   x << np.minimum(_unsigned(n), 31), 0),
             (None, "by 32 or more, unsigned: 0 here")),
    "shrsi": (lambda x, n: x >> np.minimum(_unsigned(n), 31),
              (None, "by 32 or more, unsigned: 0 or −1 here, as the sign is")),
    "shrui": (lambda x, n: np.where(_unsigned(n) < 32, _unsigned(x) >>
                                    np.minimum(_unsigned(n), 31), 0),
              (None, "by 32 or more, unsigned: 0 here")),
    "subi": (np.subtract, _ALL), "xori": (np.bitwise_xor, _ALL)}


def _packed(op, predicates, kind):
    """Lines that give one bit for each predicate."""
    lines, last = [f"  %one = arith.constant dense<1> : {I}"], None
    lines = []
    for bit, predicate in enumerate(predicates):
        lines.append(f"  %c{bit} = {op} {predicate}, %x0, %x1 : {TYPES[kind]}")
        lines.append(f"  %e{bit} = arith.extui %c{bit} : {B} to {I}")
        if last is None:
            last = f"%e{bit}"
            continue
        # Twice the bits so far, and the new one.
        lines.append(f"  %t{bit} = arith.addi {last}, {last} : {I}")
        lines.append(f"  %s{bit} = arith.addi %t{bit}, %e{bit} : {I}")
        last = f"%s{bit}"
    return "\n".join(lines).replace(last + " =", "%y0 =")


def _pack(bits):
    result = 0
    for bit in bits:
        result = 2 * result + bit.astype(np.int64)
    return result


_ORDERED = {"eq": np.equal, "gt": np.greater, "ge": np.greater_equal,
            "lt": np.less, "le": np.less_equal,
            "ne": lambda x, y: (x < y) | (x > y)}


def _compare_floats(x, y):
    unordered = np.isnan(x) | np.isnan(y)
    holds = [f(x, y) for f in _ORDERED.values()]
    return _pack([*holds, *(h | unordered for h in holds), ~unordered,
                  unordered, unordered & False, unordered | True])


def _compare_integers(x, y):
    signed = [np.equal, np.not_equal, np.less, np.less_equal, np.greater,
              np.greater_equal]
    return _pack([f(x, y) for f in signed] +
                 [f(_unsigned(x), _unsigned(y)) for f in signed[2:]])


_FLOAT_PREDICATES = ["o" + p for p in _ORDERED] + ["u" + p for p in _ORDERED] + \
    ["ord", "uno", "false", "true"]
_INTEGER_PREDICATES = ["eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule",
                       "ugt", "uge"]


def _through(op, inner, back, source=I, result=I):
    """Lines that convert to a type that is not stored, and back."""
    return (f"  %c = {op} %x0 : {source} to {inner}\n"
            f"  %y0 = {back} %c : {inner} to {result}")


def _half(x):
    return x.astype(np.float32).astype(np.float16).astype(np.longdouble)


_HALF = f"""  %c0 = arith.constant 0 : index
  %n = tensor.dim %x0, %c0 : {F}
  %e = tensor.empty(%n) : {F}
  %y0 = linalg.map ins(%x0 : {F}) outs(%e : {F}) (%a: f32, %o: f32) {{
    %h = arith.truncf %a : f32 to f16
    %r = arith.extf %h : f16 to f32
    linalg.yield %r : f32
  }}"""


def _classes():
    for op, test in (("isfinite", np.isfinite), ("isinf", np.isinf),
                     ("isnan", np.isnan),
                     ("isnormal", lambda x: np.isfinite(x) & (
                         np.abs(x) >= np.finfo(np.float32).tiny))):
        yield Row(f"math.{op}", lambda x, test=test: test(x).astype(np.int64),
                  0, "f", "i", f"  %c = math.{op} %x0 : {F}\n"
                  f"  %y0 = arith.extui %c : {B} to {I}")


def _conversions():
    yield Row("arith.bitcast", lambda x: x.astype(np.float32).view(np.int32),
              0, "f", "i", f"  %y0 = arith.bitcast %x0 : {F} to {I}",
              lambda x: ~np.isnan(x), "the payload of a NaN may change")
    for op in ("arith.extf", "arith.truncf"):
        yield Row(op, _half, 0, lines=_HALF, note="f16 in the body of a "
                  "structured op, on devices that compute with it")
    for op in ("index_cast", "index_castui"):
        yield Row(f"arith.{op}", lambda x: x, 0, "i", "i", _through(
            f"arith.{op}", "tensor<?x4xindex>", f"arith.{op}"))
    yield Row("arith.extsi", lambda x: -(x & 1), 0, "i", "i",
              _through("arith.trunci", B, "arith.extsi"))
    for op in ("arith.extui", "arith.trunci"):
        yield Row(op, lambda x: x & 1, 0, "i", "i",
                  _through("arith.trunci", B, "arith.extui"))
    yield Row("arith.fptosi", lambda x: np.where(
        np.abs(x) <= 2**31, x, 0).astype(np.int64), 0, "f", "i",
        f"  %y0 = arith.fptosi %x0 : {F} to {I}",
        lambda x: (x >= _LOW) & (x <= _HIGH), "NaN; beyond 32 bits")
    yield Row("arith.fptoui", lambda x: np.where(
        np.abs(x) < 2**32, x, 0).astype(np.int64), 0, "f", "i",
        f"  %y0 = arith.fptoui %x0 : {F} to {I}",
        lambda x: (x > -1) & (x < 2**32), "NaN; beyond 32 bits")


def _rows():
    for op, (function, (defined, note)) in _INTEGERS.items():
        yield Row(f"arith.{op}", function, 0, "ii", "i", "", defined, note)
    yield Row("arith.cmpf", _compare_floats, 0, "ff", "i",
              _packed("arith.cmpf", _FLOAT_PREDICATES, "f"),
              note="all predicates")
    yield Row("arith.cmpi", _compare_integers, 0, "ii", "i",
              _packed("arith.cmpi", _INTEGER_PREDICATES, "i"),
              note="all predicates")
    yield Row("arith.select", lambda x, y: np.where(x < y, x, y), 0, "ii", "i",
              f"  %c = arith.cmpi slt, %x0, %x1 : {I}\n"
              f"  %y0 = arith.select %c, %x0, %x1 : {B}, {I}")
    yield Row("arith.addui_extended", lambda x, y: (
        x + y, (_unsigned(x) + _unsigned(y)) >> 32), 0, "ii", "ii",
        f"  %y0, %c = arith.addui_extended %x0, %x1 : {I}, {B}\n"
        f"  %y1 = arith.extui %c : {B} to {I}")
    yield Row("arith.mulsi_extended", lambda x, y: (x * y, (x * y) >> 32), 0,
              "ii", "ii", f"  %y0, %y1 = arith.mulsi_extended %x0, %x1 : {I}")
    yield Row("arith.mului_extended", lambda x, y: (
        x * y, (_unsigned(x).astype(np.uint64) * _unsigned(y).astype(np.uint64))
        >> np.uint64(32)), 0, "ii", "ii",
        f"  %y0, %y1 = arith.mului_extended %x0, %x1 : {I}")
    for op, function in (("absi", np.abs), ("ctlz", _leading),
                         ("ctpop", _bits), ("cttz", _trailing)):
        yield Row(f"math.{op}", function, 0, "i", "i",
                  note="−2³¹ stays −2³¹" if op == "absi" else "")
    yield Row("math.ipowi", _power, 0, "ii", "i",
              defined=lambda x, n: (x != 0) | (n >= 0),
              note="0 to a negative power")
    yield from _classes()
    yield from _conversions()


ROWS = sorted(_rows(), key=lambda row: row.op)
