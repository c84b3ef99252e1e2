"""Functions of math and arith against float64 or more, over all kinds of f32."""

import numpy as np
import pytest
from moe.accuracy import (BINARY, UNARY, arguments, compare, function_text,
                          pairs)

F = "tensor<?x4xf32>"
I = "tensor<?x4xi32>"


@pytest.mark.parametrize("op", sorted(UNARY))
def test_unary_functions(tools, op):
    function, bound = UNARY[op]
    x = arguments()
    got = tools.run(function_text(op, 1), x)
    assert compare(got, function, x)[0] <= bound


@pytest.mark.parametrize("op", sorted(BINARY))
def test_binary_functions(tools, op):
    function, bound = BINARY[op]
    x, y = pairs()
    got = tools.run(function_text(op, 2), x, y)
    assert compare(got, function, x, y)[0] <= bound


def values(tools, line, *inputs, kinds="f", result="f"):
    types = {"f": F, "i": I}
    names = ", ".join(f"%x{i}: {types[kind]}" for i, kind in enumerate(kinds))
    text = (f"func.func @f({names}) -> {types[result]} {{\n  %y = {line}\n"
            f"  return %y : {types[result]}\n}}\n")
    arrays = [np.resize(np.array(x, np.float32 if kind == "f" else np.int32),
                        (-(-len(x) // 4), 4)) for x, kind in zip(inputs, kinds)]
    return tools.run(text, *arrays).ravel()[:len(inputs[0])]


# Drivers may give anything where they see the zero.
@pytest.mark.parametrize("zero", ["0.0", "-0.0"])
def test_quotients_by_a_constant_zero(tools, zero):
    scalar = f"""
func.func @f(%x: {F}) -> ({F}, {F}) {{
  %c0 = arith.constant 0 : index
  %zero = arith.constant {zero} : f32
  %n = tensor.dim %x, %c0 : {F}
  %e = tensor.empty(%n) : {F}
  %y = linalg.generic {{indexing_maps = [
      affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]}} ins(%x : {F}) outs(%e : {F}) {{
  ^bb0(%a: f32, %o: f32):
    %q = arith.divf %a, %zero : f32
    linalg.yield %q : f32
  }} -> {F}
  %zeros = linalg.fill ins(%zero : f32) outs(%e : {F}) -> {F}
  %z = arith.divf %x, %zeros : {F}
  return %y, %z : {F}, {F}
}}"""
    x = np.float32([[0, -0.0, 1, -2.5], [np.inf, -np.inf, np.nan, 3e38]])
    with np.errstate(all="ignore"):
        expected = x / np.float32(zero)
    for got in tools.run(scalar, x, results=2):
        np.testing.assert_array_equal(got, expected)


def test_remainders_of_the_most_negative_number(tools):
    x = [-2**31, -2**31, -2**31, 7, -7, 2**31 - 1, -5, -2**31]
    y = [7, -7, -2**31, -2**31, 3, -3, 5, 1]
    got = values(tools, f"arith.remsi %x0, %x1 : {I}", x, y, kinds="ii",
                 result="i")
    assert got.tolist() == [-2, -2, 0, 7, -1, 1, 0, 0]


@pytest.mark.parametrize("op, expected", [
    ("cttz", [32, 0, 1, 31, 0, 3]), ("ctpop", [0, 1, 1, 1, 32, 4]),
    ("ctlz", [32, 31, 30, 0, 0, 24])])
def test_counts_of_bits(tools, op, expected):
    x = [0, 1, 2, -2**31, -1, 0b11101000]
    got = values(tools, f"math.{op} %x0 : {I}", x, kinds="i", result="i")
    assert got.tolist() == expected


def test_integer_powers(tools):
    base = [2, -2, 0, 0, -1, -1, 1, 5, 3]
    power = [30, 31, 0, 5, -3, -2, -9, -1, 20]
    got = values(tools, f"math.ipowi %x0, %x1 : {I}", base, power, kinds="ii",
                 result="i")
    assert got.tolist() == [2**30, -2**31, 1, 0, -1, 1, 1, 0,
                            (3**20 + 2**31) % 2**32 - 2**31]


def test_whole_powers_of_floats(tools):
    x = [-2, -2, 0, -0.0, np.inf, -np.inf, np.nan, np.nan, 1 + 2**-23, 1.5, -8]
    n = [3, -2, 0, -3, -1, 3, 0, 2, 2**24 + 1, -2**31, 1]
    got = values(tools, f"math.fpowi %x0, %x1 : {F}, {I}", x, n, kinds="fi")
    expected = np.float32([-8, .25, 1, -np.inf, 0, -np.inf, 1, np.nan,
                           (1 + 2.0**-23)**(2**24 + 1), 0, -8])
    np.testing.assert_allclose(got, expected, rtol=2.5e-7)
    assert np.signbit(got[3])


def test_clamps(tools):
    x = [-5, 0, 5, np.nan, -0.0]
    got = values(tools, f"math.clampf %x0 to [%x1, %x2] : {F}", x, [-1] * 5,
                 [2] * 5, kinds="fff")
    np.testing.assert_array_equal(got, np.float32([-1, 0, 2, np.nan, -0.0]))


def test_fma_rounds_once(tools):
    x = np.float32([1 + 2**-12, 1 + 2**-23, 3, np.inf])
    z = np.float32([-1, -1, 1, -np.inf])
    got = values(tools, f"math.fma %x0, %x1, %x2 : {F}", x, x, z, kinds="fff")
    with np.errstate(invalid="ignore"):
        expected = (x.astype(np.float64)**2 + z).astype(np.float32)
    np.testing.assert_array_equal(got, expected)


def test_silu_far_below_zero(tools):
    x = np.float32([-60, -90, -120, -np.inf])
    text = f"""
func.func @f(%x: {F}) -> {F} {{
  %one = arith.constant 1.0 : f32
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : {F}
  %ones = tensor.splat %one[%n] : {F}
  %minus = arith.negf %x : {F}
  %power = math.exp %minus : {F}
  %below = arith.addf %power, %ones : {F}
  %y = arith.divf %x, %below : {F}
  return %y : {F}
}}
"""
    got = tools.run(text, x[:3].repeat(4).reshape(3, 4))[:, 0]
    wide = x[:3].astype(np.float64)
    assert np.abs(got - wide / (1 + np.exp(-wide))).max() < 1e-18
