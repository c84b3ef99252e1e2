"""Positions that follow from sizes: the host checks them before the run."""

import numpy as np

from .case import Case, Fault, numbers
from .text import function

ONE = "tensor<?xf32>"
SIZES = """  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %m = tensor.dim %y, %c0 : tensor<?xf32>
  %k = tensor.dim %z, %c0 : tensor<?xf32>
"""
N, M, K = (f"dim 0 of input {number}" for number in range(3))


def at_least_zero(value, expression, what):
    if value < 0:
        raise Fault(f"expected {expression}, {what}, to be at least 0, but got "
                    f"{value}", "invalid argument")


def at_most(value, limit, expression, what, origin):
    if value > limit:
        raise Fault(f"expected {expression}, {what}, to be at most {limit} "
                    f"({origin}), but got {value}", "invalid argument")


def _draw(random):
    return tuple(numbers(random, int(random.integers(0, most)))
                 for most in (10, 6, 5))


def make(name, body, result, expect):
    """x, y, z of n, m and k elements -> %r."""
    return Case(name, function(name, {"x": ONE, "y": ONE, "z": ONE}, result,
                               SIZES + body, "%r"), _draw, expect,
                lambda *inputs: 1)


def last(x, y, z):
    at_least_zero(x.size - 3, f"({N} + -3)",
                  "the start of dim 0 of 'tensor.extract_slice'")
    return [x[-3:]]


def reversed_input(x, y, z):
    at_least_zero(x.size - 1, f"({N} + -1)",
                  "the start of dim 0 of 'tensor.extract_slice'")
    return [x[::-1]]


def difference(x, y, z):
    what = "index 0 of 'tensor.extract'"
    at = x.size - y.size
    expression = f"({N} + ({M} * -1))"
    at_least_zero(at, expression, what)
    at_most(at, x.size - 1, expression, what, f"({N} + -1)")
    return [[x[at]] * 2]


def every_other(x, y, z):
    m, k = y.size, z.size
    of = "of dim 0 of 'tensor.extract_slice'"
    at_most(m, x.size, M, "the start " + of, N)
    at_most(m + 2 * k - 1, x.size, f"(({M} + ({K} * 2)) + -1)",
            "the end " + of, N)
    return [x[m:m + 2 * k:2]]


def downwards(x, y, z):
    m, k = y.size, z.size
    of = "of dim 0 of 'tensor.insert_slice'"
    some = int(k > 0)
    at_most(m + some, x.size, f"({M} + ({K} ceildiv 2147483648))",
            "the end " + of, N)
    at_least_zero(m - k + 1, f"(({M} + ({K} * -1)) + 1)",
                  "the last position " + of)
    result = x.copy()
    result[m - np.arange(k)] = z
    return [result]


CASES = [
    make("last", """
  %at = arith.subi %n, %c3 : index
  %r = tensor.extract_slice %x[%at] [3] [1] : tensor<?xf32> to tensor<3xf32>""",
         "tensor<3xf32>", last),
    make("reversed_input", """
  %at = arith.subi %n, %c1 : index
  %r = tensor.extract_slice %x[%at] [%n] [-1] : tensor<?xf32> to tensor<?xf32>
""", ONE, reversed_input),
    make("difference", """
  %at = arith.subi %n, %m : index
  %v = tensor.extract %x[%at] : tensor<?xf32>
  %r = tensor.splat %v : tensor<2xf32>""", "tensor<2xf32>", difference),
    make("every_other", """
  %r = tensor.extract_slice %x[%m] [%k] [2] : tensor<?xf32> to tensor<?xf32>""",
         ONE, every_other),
    make("downwards", """
  %r = tensor.insert_slice %z into %x[%m] [%k] [-1]
    : tensor<?xf32> into tensor<?xf32>""", ONE, downwards),
]
