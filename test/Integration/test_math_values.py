"""Functions of math and arith against float64 or more, over all kinds of f32."""

import subprocess

import numpy as np
import pytest
from harness import run_tool
from moe.accuracy import ROWS, operands_of

F = "tensor<?x4xf32>"
I = "tensor<?x4xi32>"


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.op)
def test_the_table_of_accuracy(tools, row):
    inputs = operands_of(row.operands)
    got = tools.run(row.text(), *inputs, results=len(row.results))
    got = got if isinstance(got, list) else [got]
    error, worst = row.error(got, inputs)
    assert error <= row.bound, worst


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.op)
def test_one_element_at_a_time_gives_the_same_bits(tools, row):
    inputs = [x[:300] for x in operands_of(row.operands)]
    apart = row.text().replace("?x4x", "?x1x")
    results = len(row.results)
    wide, narrow = tools.run(row.text(), *inputs, results=results), tools.run(
        apart, *(x.reshape(-1, 1) for x in inputs), results=results)
    for one, other in zip(wide if results > 1 else [wide],
                          narrow if results > 1 else [narrow]):
        defined = ~np.isnan(one) if one.dtype == np.float32 else (
            row.defined(*inputs) if row.defined else one == one)
        np.testing.assert_array_equal(one[defined],
                                      other.reshape(one.shape)[defined])


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.op)
def test_without_the_expansion(tools, row):
    """It has a form in SPIR-V, or the error says which pass gives it one."""
    target = run_tool([tools.moe_run, "--print-target-env",
                       "--target=lavapipe"]).strip()
    kernels = tools.lower(row.text(), "stop-after=gpu")
    kernels = kernels.replace(
        "module {", f"module attributes {{spirv.target_env = {target}}} {{", 1)
    assert target in kernels
    done = subprocess.run([tools.moe_opt, "-", "--convert-gpu-to-spirv-kernels"],
                          input=kernels, capture_output=True, text=True,
                          check=False)
    assert not done.returncode or (
        f"'{row.op}' op has no form in SPIR-V: expected --moe-expand-math to "
        "have run before" in done.stderr), done.stderr


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


@pytest.mark.parametrize("result, expected", [("sin", 0.0), ("cos", 1.0)])
def test_a_scalar_with_two_results(tools, result, expected):
    got = tools.run(f"""
func.func @f(%x: tensor<2xf32>) -> tensor<4xf32> {{
  %c1 = arith.constant 1 : index
  %a = tensor.extract %x[%c1] : tensor<2xf32>
  %sin, %cos = math.sincos %a : f32
  %r = tensor.splat %{result} : tensor<4xf32>
  return %r : tensor<4xf32>
}}
""", np.float32([2, 0]))
    np.testing.assert_array_equal(got, [expected] * 4)


def test_shifts_by_the_width_or_more(tools):
    x, n = [-8, 5, -1, 1], [32, 33, -1, 31]
    got = [values(tools, f"arith.{op} %x0, %x1 : {I}", x, n, kinds="ii",
                  result="i").tolist() for op in ("shli", "shrsi", "shrui")]
    assert got == [[0, 0, 0, -2**31], [-1, 0, -1, 0], [0, 0, 0, 0]]


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
