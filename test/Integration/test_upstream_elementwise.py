"""Chains of elementwise operations, named and generic."""

import numpy as np
import pytest
from moe.random import normal
from moe.reference import gelu_tanh, relu2, silu
from moe.testing import check_values

F = "tensor<?x20xf32>"


def generic(body, result, operands=1):
    """y = body(x), with constants and one or two operands %a, %b."""
    names = ["a", "b"][:operands]
    maps = ", ".join(["#id"] * (operands + 1))
    return f"""#id = affine_map<(d0, d1) -> (d0, d1)>
func.func @chain({", ".join(f"%x{i}: {F}" for i in range(operands))}) -> {F} {{
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %half = arith.constant 0.5 : f32
  %one = arith.constant 1.0 : f32
  %seven = arith.constant 7.0 : f32
  %minus_seven = arith.constant -7.0 : f32
  %slope = arith.constant 1.702 : f32
  %root = arith.constant 0.79788456080286541 : f32
  %cubic = arith.constant 0.044715 : f32
  %n = tensor.dim %x0, %c0 : {F}
  %empty = tensor.empty(%n) : {F}
  %y = linalg.generic {{indexing_maps = [{maps}],
                       iterator_types = ["parallel", "parallel"]}}
      ins({", ".join(f"%x{i}" for i in range(operands))} :
          {", ".join([F] * operands)}) outs(%empty : {F}) {{
  ^bb0({", ".join(f"%{name}: f32" for name in names)}, %init: f32):
{body}
    linalg.yield %{result} : f32
  }} -> {F}
  return %y : {F}
}}
"""


GELU = """    %square = arith.mulf %a, %a : f32
    %cube = arith.mulf %square, %a : f32
    %bent = arith.mulf %cube, %cubic : f32
    %sum = arith.addf %a, %bent : f32
    %inner = arith.mulf %sum, %root : f32
    %tanh = math.tanh %inner : f32
    %share = arith.addf %tanh, %one : f32
    %halved = arith.mulf %a, %half : f32
    %y = arith.mulf %halved, %share : f32"""
RELU2 = """    %relu = arith.maximumf %a, %zero : f32
    %y = arith.mulf %relu, %relu : f32"""
# The gate of gpt-oss: clamped, with a slope, and (up + 1).
CLAMPED = """    %gate = arith.minimumf %a, %seven : f32
    %low = arith.maximumf %b, %minus_seven : f32
    %up = arith.minimumf %low, %seven : f32
    %scaled = arith.mulf %gate, %slope : f32
    %minus = arith.negf %scaled : f32
    %power = math.exp %minus : f32
    %below = arith.addf %power, %one : f32
    %share = arith.divf %gate, %below : f32
    %raised = arith.addf %up, %one : f32
    %y = arith.mulf %share, %raised : f32"""


def clamped(a, b):
    gate = np.minimum(a, 7)
    return gate / (1 + np.exp(-1.702 * gate)) * (np.clip(b, -7, 7) + 1)


@pytest.mark.parametrize("tokens", [0, 1, 33])
@pytest.mark.parametrize("body, function", [(GELU, gelu_tanh), (RELU2, relu2)],
                         ids=["gelu", "relu2"])
def test_activations(tools, body, function, tokens):
    x = 4 * normal((tokens, 20), 1)
    check_values(tools.run(generic(body, "y"), x), function(x))


def test_a_clamped_gate(tools):
    a, b = 6 * normal((33, 20), 1), 6 * normal((33, 20), 2)
    check_values(tools.run(generic(CLAMPED, "y", 2), a, b),
                 clamped(a.astype(np.float64), b.astype(np.float64)))


@pytest.mark.parametrize("op, function", [
    ("math.exp", np.exp), ("math.sqrt", np.sqrt), ("math.tanh", np.tanh),
    ("math.absf", np.abs), ("math.rsqrt", lambda x: 1 / np.sqrt(x)),
    ("arith.negf", np.negative), ("math.log", np.log), ("math.sin", np.sin),
    ("math.cos", np.cos), ("math.floor", np.floor), ("math.ceil", np.ceil)])
def test_math_on_whole_tensors(tools, op, function):
    text = f"""
func.func @f(%x: {F}) -> {F} {{
  %y = {op} %x : {F}
  return %y : {F}
}}
"""
    x = np.abs(normal((33, 20), 1)) + np.float32(0.1)
    check_values(tools.run(text, x), function(x.astype(np.float64)))


@pytest.mark.parametrize("op, function", [
    ("arith.addf", np.add), ("arith.subf", np.subtract),
    ("arith.mulf", np.multiply), ("arith.divf", np.divide),
    ("arith.maximumf", np.maximum), ("arith.minimumf", np.minimum)])
def test_arithmetic_is_rounded_once(tools, op, function):
    text = f"""
func.func @f(%x: {F}, %y: {F}) -> {F} {{
  %z = {op} %x, %y : {F}
  return %z : {F}
}}
"""
    x, y = normal((33, 20), 1), normal((33, 20), 2)
    np.testing.assert_array_equal(tools.run(text, x, y), function(x, y))


def test_truncation(tools):
    text = f"""
func.func @f(%x: {F}) -> {F} {{
  %z = math.trunc %x : {F}
  return %z : {F}
}}
"""
    x = 3 * normal((33, 20), 1)
    x[0, :8] = [np.nan, np.inf, -np.inf, -0.0, -0.3, 2**24 + 2, -1, 0.99999994]
    got, expected = tools.run(text, x), np.trunc(x)
    same = (got.view(np.int32) == expected.view(np.int32)) | np.isnan(x)
    assert same.all() and np.isnan(got[0, 0])


@pytest.mark.parametrize("op", ["add", "sub", "mul", "div", "max", "min"])
def test_named_elementwise_operations(tools, op):
    text = f"""
func.func @f(%x: {F}, %y: {F}) -> {F} {{
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : {F}
  %empty = tensor.empty(%n) : {F}
  %z = linalg.{op} ins(%x, %y : {F}, {F}) outs(%empty : {F}) -> {F}
  return %z : {F}
}}
"""
    x, y = normal((33, 20), 1), normal((33, 20), 2)
    function = {"add": np.add, "sub": np.subtract, "mul": np.multiply,
                "div": np.divide, "max": np.maximum, "min": np.minimum}[op]
    np.testing.assert_array_equal(tools.run(text, x, y), function(x, y))


def test_integers_comparisons_and_selects(tools):
    text = """
func.func @f(%x: tensor<?x20xi32>, %y: tensor<?x20xi32>) -> tensor<?x20xi32> {
  %less = arith.cmpi slt, %x, %y : tensor<?x20xi32>
  %sum = arith.addi %x, %y : tensor<?x20xi32>
  %product = arith.muli %x, %y : tensor<?x20xi32>
  %z = arith.select %less, %sum, %product
    : tensor<?x20xi1>, tensor<?x20xi32>
  return %z : tensor<?x20xi32>
}
"""
    random = np.random.default_rng(1)
    x, y = random.integers(-99, 99, (2, 33, 20), np.int32)
    np.testing.assert_array_equal(tools.run(text, x, y),
                                  np.where(x < y, x + y, x * y))


def test_a_residual_and_a_gate_fuse(tools):
    text = f"""
func.func @f(%x: {F}, %g: {F}, %u: {F}) -> {F} {{
  %minus = arith.negf %g : {F}
  %power = math.exp %minus : {F}
  %ones = arith.constant dense<1.0> : tensor<1x20xf32>
  %c0 = arith.constant 0 : index
  %one = arith.constant 1.0 : f32
  %n = tensor.dim %x, %c0 : {F}
  %below = tensor.splat %one[%n] : {F}
  %d = arith.addf %power, %below : {F}
  %s = arith.divf %g, %d : {F}
  %p = arith.mulf %s, %u : {F}
  %y = arith.addf %x, %p : {F}
  return %y : {F}
}}
"""
    x, g, u = (normal((33, 20), seed) for seed in (1, 2, 3))
    check_values(tools.run(text, x, g, u), x + silu(g) * u)


def test_sizes_that_must_agree_are_checked(tools):
    text = f"""
func.func @f(%x: {F}, %y: {F}) -> {F} {{
  %z = arith.addf %x, %y : {F}
  return %z : {F}
}}
"""
    x = np.zeros((3, 20), np.float32)
    message = tools.fault(text, x, x[:2], status=2)
    assert message == ("expected dim 0 of input 1 to equal 3 "
                       "(dim 0 of input 0), but got 2")
