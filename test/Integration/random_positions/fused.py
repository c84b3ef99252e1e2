"""Gathers in reductions, next to products, and of other kernels' results."""

import numpy as np

from .case import Case, check_index, numbers, of_input, positions
from .gathers import (LENGTHS, ONE, ROWS, SIZE, TABLE, VECTOR, check_each,
                      count_positions, pick)
from .text import function, generic


def sums():
    """x, i -> the sum of x[i[d0, d1], d1] over d1."""
    indices = "tensor<?x8xi32>"
    body = f"""  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %i, %c0 : {indices}
  %e = tensor.empty(%n) : {ONE}
  %z = linalg.fill ins(%zero : f32) outs(%e : {ONE}) -> {ONE}
""" + generic(["(d0, d1) -> (d0, d1)", "(d0, d1) -> (d0)"], "pr",
              {"%i": indices}, ("%z", ONE), "%a: i32, %o: f32", f"""
    %at = arith.index_cast %a : i32 to index
    %c = linalg.index 1 : index
    %v = tensor.extract %x[%at, %c] : {TABLE}
    %s = arith.addf %o, %v : f32
    linalg.yield %s : f32""", "%r")

    def expect(x, i):
        for number, row in enumerate(i):
            for value in row:
                check_index(value, len(x), 0, "reduce", of_input(0, 0), number)
        return [x[i, np.arange(8)].sum(axis=1)]

    def draw(random):
        size = pick(random, ROWS)
        return numbers(random, size, 8), positions(
            random, size, (pick(random, LENGTHS), 8))

    return Case("sums", function("sums", {"x": TABLE, "i": indices}, ONE, body,
                                 "%r"), draw, expect, count_positions)


def maxima():
    """x, i -> the maximum over all i of x[i, d0]."""
    body = SIZE + """  %low = arith.constant -1000.0 : f32
  %e = tensor.empty() : tensor<8xf32>
  %z = linalg.fill ins(%low : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
""" + generic(["(d0, d1) -> (d1)", "(d0, d1) -> (d0)"], "pr", {"%i": VECTOR},
              ("%z", "tensor<8xf32>"), "%a: i32, %o: f32", f"""
    %at = arith.index_cast %a : i32 to index
    %c = linalg.index 0 : index
    %v = tensor.extract %x[%at, %c] : {TABLE}
    %s = arith.maximumf %o, %v : f32
    linalg.yield %s : f32""", "%r")

    def expect(x, i):
        check_each(i, len(x), 0, of_input(0, 0), "reduce", stride=0)
        return [x[i].max(axis=0)]

    def draw(random):
        size = pick(random, ROWS)
        return numbers(random, size, 8), positions(
            random, size, pick(random, LENGTHS))

    return Case("maxima", function(
        "maxima", {"x": TABLE, "i": VECTOR}, "tensor<8xf32>", body, "%r"),
        draw, expect, count_positions)


PRODUCT = SIZE + f"""  %e = tensor.empty(%n) : {TABLE}
  %z = linalg.fill ins(%zero : f32) outs(%e : {TABLE}) -> {TABLE}
"""


def epilogue():
    """a, b, t, i -> a · b + t[i]: the rows of a table behind a product."""
    body = PRODUCT + f"""
  %p = linalg.matmul ins(%a, %b : tensor<?x5xf32>, tensor<5x8xf32>)
    outs(%z : {TABLE}) -> {TABLE}
""" + generic(["(d0, d1) -> (d0, d1)", "(d0, d1) -> (d0)",
               "(d0, d1) -> (d0, d1)"], "pp", {"%p": TABLE, "%i": VECTOR},
              ("%e", TABLE), "%q: f32, %k: i32, %o: f32", """
    %at = arith.index_cast %k : i32 to index
    %c = linalg.index 1 : index
    %v = tensor.extract %t[%at, %c] : tensor<?x8xf32>
    %s = arith.addf %q, %v : f32
    linalg.yield %s : f32""", "%r")

    def expect(a, b, t, i):
        check_each(i, len(t), 0, of_input(2, 0), stride=8)
        return [a @ b + t[i]]

    def draw(random):
        size, length = pick(random, ROWS), pick(random, LENGTHS)
        return (numbers(random, length, 5), numbers(random, 5, 8),
                numbers(random, size, 8), positions(random, size, length))

    return Case("epilogue", function(
        "epilogue", {"a": "tensor<?x5xf32>", "b": "tensor<5x8xf32>",
                     "t": TABLE, "i": VECTOR}, TABLE, body, "%r"),
        draw, expect, count_positions)


def operand():
    """x, b, i -> x[i] · b: a product of rows that are gathered."""
    body = PRODUCT + generic(
        ["(d0, d1) -> (d0)", "(d0, d1) -> (d0, d1)"], "pp", {"%i": VECTOR},
        ("%e", TABLE), "%k: i32, %o: f32", """
    %at = arith.index_cast %k : i32 to index
    %c = linalg.index 1 : index
    %v = tensor.extract %x[%at, %c] : tensor<?x8xf32>
    linalg.yield %v : f32""", "%g") + f"""
  %r = linalg.matmul ins(%g, %b : {TABLE}, tensor<8x8xf32>)
    outs(%z : {TABLE}) -> {TABLE}
"""

    def expect(x, b, i):
        check_each(i, len(x), 0, of_input(0, 0), "elementwise", stride=8)
        return [x[i] @ b]

    def draw(random):
        size = pick(random, ROWS)
        return (numbers(random, size, 8), numbers(random, 8, 8),
                positions(random, size, pick(random, LENGTHS)))

    return Case("operand", function(
        "operand", {"x": TABLE, "b": "tensor<8x8xf32>", "i": VECTOR}, TABLE,
        body, "%r"), draw, expect, count_positions)


def of_an_intermediate():
    """x, i -> s[i] - i, where s are the sums of the rows of x."""
    body = SIZE + f"""  %m = tensor.dim %x, %c0 : {TABLE}
  %h = tensor.empty(%m) : {ONE}
  %z = linalg.fill ins(%zero : f32) outs(%h : {ONE}) -> {ONE}
  %s = linalg.reduce {{arith.addf}} ins(%x : {TABLE}) outs(%z : {ONE})
    dimensions = [1]
  %e = tensor.empty(%n) : {ONE}
""" + generic(["(d0) -> (d0)"] * 2, "p", {"%i": VECTOR}, ("%e", ONE),
              "%k: i32, %o: f32", """
    %at = arith.index_cast %k : i32 to index
    %v = tensor.extract %s[%at] : tensor<?xf32>
    %f = arith.sitofp %k : i32 to f32
    %d = arith.subf %v, %f : f32
    linalg.yield %d : f32""", "%r")

    def expect(x, i):
        check_each(i, len(x), 0, of_input(0, 0))
        return [x.sum(axis=1)[i] - i.astype(np.float32)]

    def draw(random):
        size = pick(random, ROWS)
        return numbers(random, size, 8), positions(
            random, size, pick(random, LENGTHS))

    return Case("of_an_intermediate", function(
        "of_an_intermediate", {"x": TABLE, "i": VECTOR}, ONE, body, "%r"),
        draw, expect, count_positions)


def labels():
    """x, i -> the sum of x[d0, i[d0]]: what a loss reads at its labels."""
    body = SIZE + """  %e = tensor.empty() : tensor<f32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<f32>) -> tensor<f32>
""" + generic(["(d0) -> (d0)", "(d0) -> ()"], "r", {"%i": VECTOR},
              ("%z", "tensor<f32>"), "%a: i32, %o: f32", """
    %row = linalg.index 0 : index
    %at = arith.index_cast %a : i32 to index
    %v = tensor.extract %x[%row, %at] : tensor<?x8xf32>
    %s = arith.addf %o, %v : f32
    linalg.yield %s : f32""", "%r")

    def expect(x, i):
        check_each(i, 8, 1, kernel="reduce", stride=0)
        return [x[np.arange(i.size), i].sum()]

    def draw(random):
        length = pick(random, LENGTHS)
        return numbers(random, length, 8), positions(random, 8, length)

    return Case("labels", function("labels", {"x": TABLE, "i": VECTOR},
                                   "tensor<f32>", body, "%r"), draw, expect,
                count_positions)


CASES = [sums(), maxima(), epilogue(), operand(), of_an_intermediate(),
         labels()]
