"""tensor.extract in the bodies of linalg ops, at positions from data."""

import numpy as np

from .case import Case, check_index, numbers, of_input, positions
from .text import function, generic

TABLE, VECTOR, ONE = "tensor<?x8xf32>", "tensor<?xi32>", "tensor<?xf32>"
ROWS, LENGTHS = (1, 6, 40), (1, 7, 64)
SIZE = """  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %i, %c0 : tensor<?xi32>
"""


def pick(random, values):
    return int(values[random.integers(len(values))])


def count_positions(x, *others):
    """How many elements the inputs after the first have: the positions."""
    return sum(each.size for each in others if each.dtype == np.int32)


def check_each(at, size, dim, limit=None, kernel="elementwise", stride=1):
    """Check positions in order; an element's number is a multiple."""
    for number, value in enumerate(at.reshape(-1)):
        check_index(int(value), size, dim, kernel, limit, number * stride)


def rows():
    """x, i -> x[i]: all columns of a row at one position."""
    body = SIZE + "  %e = tensor.empty(%n) : tensor<?x8xf32>\n" + generic(
        ["(d0, d1) -> (d0)", "(d0, d1) -> (d0, d1)"], "pp", {"%i": VECTOR},
        ("%e", TABLE), "%a: i32, %o: f32", f"""
    %at = arith.index_cast %a : i32 to index
    %c = linalg.index 1 : index
    %v = tensor.extract %x[%at, %c] : {TABLE}
    linalg.yield %v : f32""", "%r")

    def expect(x, i):
        check_each(i, len(x), 0, of_input(0, 0), stride=8)
        return [x[i]]

    def draw(random):
        size = pick(random, ROWS)
        return numbers(random, size, 8), positions(
            random, size, pick(random, LENGTHS))

    return Case("rows", function("rows", {"x": TABLE, "i": VECTOR}, TABLE,
                                 body, "%r"), draw, expect, count_positions)


def columns():
    """x, i, j -> x[i, j]: two positions of each element, one dim static."""
    body = SIZE + "  %e = tensor.empty(%n) : tensor<?xf32>\n" + generic(
        ["(d0) -> (d0)"] * 3, "p", {"%i": VECTOR, "%j": VECTOR}, ("%e", ONE),
        "%a: i32, %b: i32, %o: f32", f"""
    %at = arith.index_cast %a : i32 to index
    %c = arith.index_cast %b : i32 to index
    %v = tensor.extract %x[%at, %c] : {TABLE}
    linalg.yield %v : f32""", "%r")

    def expect(x, i, j):
        for number, (a, b) in enumerate(zip(i, j)):
            check_index(a, len(x), 0, limit=of_input(0, 0), at=number)
            check_index(b, 8, 1, at=number)
        return [x[i, j]]

    def draw(random):
        size, length = pick(random, ROWS), pick(random, LENGTHS)
        return (numbers(random, size, 8), positions(random, size, length),
                positions(random, 8, length))

    return Case("columns", function(
        "columns", {"x": TABLE, "i": VECTOR, "j": VECTOR}, ONE, body, "%r"),
        draw, expect, count_positions)


def along_a_row():
    """x, i -> x[d0, i[d0, d1]]: each element of a vector elsewhere."""
    indices, x = "tensor<?x4xi32>", "tensor<?x5xf32>"
    result = "tensor<?x4xf32>"
    body = f"""  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : {x}
  %e = tensor.empty(%n) : {result}
""" + generic(["(d0, d1) -> (d0, d1)"] * 2, "pp", {"%i": indices},
              ("%e", result), "%a: i32, %o: f32", f"""
    %at = linalg.index 0 : index
    %c = arith.index_cast %a : i32 to index
    %v = tensor.extract %x[%at, %c] : {x}
    linalg.yield %v : f32""", "%r")

    def expect(x, i):
        check_each(i, 5, 1)
        return [np.take_along_axis(x, i, 1)]

    def draw(random):
        size = pick(random, ROWS)
        return numbers(random, size, 5), positions(random, 5, (size, 4))

    return Case("along_a_row", function(
        "along_a_row", {"x": x, "i": indices}, result, body, "%r"), draw,
        expect, count_positions)


def nested():
    """x, i, j -> x[j[i]]: a position that is read at a position."""
    body = SIZE + "  %e = tensor.empty(%n) : tensor<?xf32>\n" + generic(
        ["(d0) -> (d0)"] * 2, "p", {"%i": VECTOR}, ("%e", ONE),
        "%a: i32, %o: f32", """
    %at = arith.index_cast %a : i32 to index
    %b = tensor.extract %j[%at] : tensor<9xi32>
    %then = arith.index_cast %b : i32 to index
    %v = tensor.extract %x[%then] : tensor<?xf32>
    linalg.yield %v : f32""", "%r")

    def expect(x, i, j):
        check_each(i, 9, 0)
        check_each(j[i], x.size, 0, of_input(0, 0))
        return [x[j[i]]]

    def draw(random):
        size = pick(random, ROWS)
        return (numbers(random, size), positions(
            random, 9, pick(random, LENGTHS)),
                positions(random, size, 9))

    return Case("nested", function(
        "nested", {"x": ONE, "i": VECTOR, "j": "tensor<9xi32>"}, ONE, body,
        "%r"), draw, expect, count_positions)


def untaken():
    """x, i, c -> c > 0 ? x[i] : 0; a position that is not taken counts."""
    body = SIZE + "  %e = tensor.empty(%n) : tensor<?xf32>\n" + generic(
        ["(d0) -> (d0)"] * 3, "p", {"%i": VECTOR, "%c": VECTOR}, ("%e", ONE),
        "%a: i32, %b: i32, %o: f32", """
    %none = arith.constant 0 : i32
    %at = arith.index_cast %a : i32 to index
    %v = tensor.extract %x[%at] : tensor<?xf32>
    %some = arith.cmpi sgt, %b, %none : i32
    %s = arith.select %some, %v, %zero : f32
    linalg.yield %s : f32""", "%r")

    def expect(x, i, c):
        check_each(i, x.size, 0, of_input(0, 0))
        return [np.where(c > 0, x[i], 0)]

    def draw(random):
        size, length = pick(random, ROWS), pick(random, LENGTHS)
        return (numbers(random, size), positions(random, size, length),
                random.integers(-1, 2, length, np.int32))

    return Case("untaken", function(
        "untaken", {"x": ONE, "i": VECTOR, "c": VECTOR}, ONE, body, "%r"),
        draw, expect, lambda x, i, c: i.size)


def without_loops():
    """x, k -> x[k] in a body that runs once, of tensors without dims."""
    body = "  %e = tensor.empty() : tensor<f32>\n" + generic(
        ["() -> ()"] * 2, "", {"%k": "tensor<i32>"}, ("%e", "tensor<f32>"),
        "%a: i32, %o: f32", """
    %at = arith.index_cast %a : i32 to index
    %v = tensor.extract %x[%at] : tensor<11xf32>
    linalg.yield %v : f32""", "%r")

    def expect(x, k):
        check_index(int(k), 11, 0, at=0)
        return [x[k]]

    return Case("without_loops", function(
        "without_loops", {"x": "tensor<11xf32>", "k": "tensor<i32>"},
        "tensor<f32>", body, "%r"),
        lambda random: (numbers(random, 11), positions(random, 11, ())),
        expect, count_positions)


def of_a_constant():
    """i -> (2, 3, 5, 7)[i]"""
    body = SIZE + """
  %x = arith.constant dense<[2.0, 3.0, 5.0, 7.0]> : tensor<4xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
""" + generic(["(d0) -> (d0)"] * 2, "p", {"%i": VECTOR}, ("%e", ONE),
              "%a: i32, %o: f32", """
    %at = arith.index_cast %a : i32 to index
    %v = tensor.extract %x[%at] : tensor<4xf32>
    linalg.yield %v : f32""", "%r")

    def expect(i):
        check_each(i, 4, 0)
        return [np.float32([2, 3, 5, 7])[i]]

    return Case("of_a_constant", function(
        "of_a_constant", {"i": VECTOR}, ONE, body, "%r"),
        lambda random: (positions(random, 4, pick(random, LENGTHS)),),
        expect, lambda i: i.size)


CASES = [rows(), columns(), along_a_row(), nested(), untaken(),
         without_loops(), of_a_constant()]
