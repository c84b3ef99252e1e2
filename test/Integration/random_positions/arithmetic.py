"""Positions that are computed from data and loops by arithmetic of indices."""

import numpy as np

from .case import Case, check_index, of_input, numbers, position, positions
from .gathers import LENGTHS, ONE, ROWS, SIZE, VECTOR, count_positions, pick
from .text import function, generic

# From %at, the index in the data, and %k, the loop: to %p. In NumPy a and k.
FORMS = {
    "sum": ("""
    %c5 = arith.constant 5 : index
    %m = arith.addi %at, %k : index
    %p = arith.subi %m, %c5 : index""", lambda a, k: a + k - 5),
    "product": ("""
    %c3 = arith.constant 3 : index
    %m = arith.muli %at, %c3 : index
    %p = arith.addi %m, %k : index""", lambda a, k: 3 * a + k),
    "product_of_both": ("""
    %p = arith.muli %at, %k : index""", lambda a, k: a * k),
    "quotient": ("""
    %c3 = arith.constant 3 : index
    %p = arith.divsi %at, %c3 : index""",
                 lambda a, k: abs(a) // 3 * (-1 if a < 0 else 1)),
    "rest": ("""
    %c7 = arith.constant 7 : index
    %p = arith.remsi %at, %c7 : index""",
             lambda a, k: abs(a) % 7 * (-1 if a < 0 else 1)),
    "floor": ("""
    %c3 = arith.constant 3 : index
    %p = arith.floordivsi %at, %c3 : index""", lambda a, k: a // 3),
    "bits": ("""
    %c6 = arith.constant 6 : index
    %p = arith.xori %at, %c6 : index""", lambda a, k: a ^ 6),
    "difference": ("""
    %p = arith.subi %k, %at : index""", lambda a, k: k - a),
    "minimum": ("""
    %p = arith.minsi %at, %k : index""", min),
    "choice": ("""
    %some = arith.cmpi slt, %at, %k : index
    %p = arith.select %some, %k, %at : index""", max),
}


def make(name):
    """x, i -> x[p(i[k], k)]"""
    lines, compute = FORMS[name]
    name = f"index_{name}"
    body = SIZE + f"  %e = tensor.empty(%n) : {ONE}\n" + generic(
        ["(d0) -> (d0)"] * 2, "p", {"%i": VECTOR}, ("%e", ONE),
        "%a: i32, %o: f32", f"""
    %at = arith.index_cast %a : i32 to index
    %k = linalg.index 0 : index{lines}
    %v = tensor.extract %x[%p] : {ONE}
    linalg.yield %v : f32""", "%r")

    def expect(x, i):
        at = [compute(int(a), k) for k, a in enumerate(i)]
        for number, value in enumerate(at):
            check_index(value, x.size, 0, limit=of_input(0, 0), at=number)
        return [x[at]]

    def draw(random):
        size, length = pick(random, ROWS), pick(random, LENGTHS)
        # Data for positions in range, where there is such.
        data = range(-size - 70, 3 * size + 9)
        i = np.array([random.choice(
            [a for a in data if 0 <= compute(a, k) < size] or [0])
            for k in range(length)], np.int32)
        for at in random.integers(0, length, random.integers(3)):
            i[at] = position(random, size)
        return numbers(random, size), i

    return Case(name, function(name, {"x": ONE, "i": VECTOR}, ONE, body, "%r"),
                draw, expect, count_positions)


def of_floats():
    """x, f -> x[f rounded towards 0]"""
    body = """  %c0 = arith.constant 0 : index
  %n = tensor.dim %f, %c0 : tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
""" + generic(["(d0) -> (d0)"] * 2, "p", {"%f": ONE}, ("%e", ONE),
              "%a: f32, %o: f32", """
    %b = arith.fptosi %a : f32 to i32
    %at = arith.index_cast %b : i32 to index
    %v = tensor.extract %x[%at] : tensor<?xf32>
    linalg.yield %v : f32""", "%r")

    def expect(x, f):
        for number, value in enumerate(f.astype(np.int64)):
            check_index(value, x.size, 0, limit=of_input(0, 0), at=number)
        return [x[f.astype(np.int64)]]

    def draw(random):
        size = pick(random, ROWS)
        at = positions(random, size, pick(random, LENGTHS))
        return numbers(random, size), np.clip(
            at.astype(np.float32), -2.0**31, 2.0**31 - 128).astype(np.float32)

    return Case("index_of_floats", function(
        "index_of_floats", {"x": ONE, "f": ONE}, ONE, body, "%r"), draw, expect,
        lambda x, f: f.size)


CASES = [*map(make, FORMS), of_floats()]
