"""What a function may return, and functions without a layer's ops."""

import numpy as np
import pytest
from moe.random import normal

F = "tensor<?x6xf32>"


def test_an_argument(tools):
    text = f"""
func.func @f(%x: {F}, %y: {F}) -> {F} {{
  return %y : {F}
}}
"""
    x, y = normal((3, 6), 1), normal((4, 6), 2)
    np.testing.assert_array_equal(tools.run(text, x, y), y)


def test_arguments_in_another_order(tools):
    text = f"""
func.func @f(%x: {F}, %y: tensor<?xi32>) -> (tensor<?xi32>, {F}) {{
  return %y, %x : tensor<?xi32>, {F}
}}
"""
    x, y = normal((3, 6), 1), np.arange(7, dtype=np.int32)
    got = tools.run(text, x, y, results=2)
    np.testing.assert_array_equal(got[0], y)
    np.testing.assert_array_equal(got[1], x)


def test_one_value_twice(tools):
    text = f"""
func.func @f(%x: {F}) -> ({F}, {F}, {F}) {{
  %y = arith.addf %x, %x : {F}
  return %y, %x, %y : {F}, {F}, {F}
}}
"""
    for tokens in (0, 33):
        x = normal((tokens, 6), 1)
        for got, wanted in zip(tools.run(text, x, results=3), (2, 1, 2)):
            np.testing.assert_array_equal(got, wanted * x)


def test_results_that_depend_on_one_another(tools):
    text = f"""
func.func @f(%x: {F}) -> ({F}, {F}) {{
  %y = arith.addf %x, %x : {F}
  %z = arith.mulf %y, %x : {F}
  return %z, %y : {F}, {F}
}}
"""
    x = normal((33, 6), 1)
    z, y = tools.run(text, x, results=2)
    np.testing.assert_array_equal(y, x + x)
    np.testing.assert_array_equal(z, (x + x) * x)


def test_constants(tools):
    text = """
func.func @f() -> (tensor<2x3xf32>, tensor<4xi32>) {
  %a = arith.constant dense<[[1.5, -2.0, 3.0], [4.0, 0.0, -0.25]]>
    : tensor<2x3xf32>
  %b = arith.constant dense<-7> : tensor<4xi32>
  return %a, %b : tensor<2x3xf32>, tensor<4xi32>
}
"""
    a, b = tools.run(text, results=2)
    assert a.tolist() == [[1.5, -2, 3], [4, 0, -0.25]]
    assert b.tolist() == [-7] * 4


@pytest.mark.parametrize("value", ["dense<[1.0, 2.0, 4.0, 8.0, 16.0, 32.0]>",
                                   "dense<2.5>"])
def test_computing_with_a_constant(tools, value):
    text = f"""
#row = affine_map<(d0, d1) -> (d0, d1)>
#column = affine_map<(d0, d1) -> (d1)>
func.func @f(%x: {F}) -> {F} {{
  %c0 = arith.constant 0 : index
  %scale = arith.constant {value} : tensor<6xf32>
  %n = tensor.dim %x, %c0 : {F}
  %empty = tensor.empty(%n) : {F}
  %y = linalg.generic {{indexing_maps = [#row, #column, #row],
                       iterator_types = ["parallel", "parallel"]}}
      ins(%x, %scale : {F}, tensor<6xf32>) outs(%empty : {F}) {{
  ^bb0(%a: f32, %s: f32, %o: f32):
    %r = arith.mulf %a, %s : f32
    linalg.yield %r : f32
  }} -> {F}
  return %y : {F}
}}
"""
    x = normal((33, 6), 1)
    scale = np.float32(2)**np.arange(6, dtype=np.float32) \
        if "," in value else np.float32(2.5)
    np.testing.assert_array_equal(tools.run(text, x), x * scale)


def test_functions_call_one_another(tools):
    text = f"""
func.func private @twice(%x: {F}) -> {F} {{
  %y = arith.addf %x, %x : {F}
  return %y : {F}
}}
func.func @f(%x: {F}) -> {F} {{
  %y = call @twice(%x) : ({F}) -> {F}
  %z = call @twice(%y) : ({F}) -> {F}
  return %z : {F}
}}
"""
    x = normal((33, 6), 1)
    np.testing.assert_array_equal(tools.run(text, x), 4 * x)


def test_several_entries_named_like_kernels(tools):
    text = f"""
func.func @elementwise(%x: {F}) -> {F} {{
  %y = arith.addf %x, %x : {F}
  return %y : {F}
}}
func.func @kernels(%x: {F}) -> {F} {{
  %y = arith.mulf %x, %x : {F}
  return %y : {F}
}}
"""
    program = tools.compile(text)
    x = normal((33, 6), 1)
    np.testing.assert_array_equal(
        tools.run(program, x, entry="elementwise"), x + x)
    np.testing.assert_array_equal(tools.run(program, x, entry="kernels"),
                                  x * x)


def test_a_function_that_computes_nothing(tools):
    text = f"""
func.func @f(%x: {F}) {{
  return
}}
"""
    assert tools.run(text, normal((3, 6), 1), results=0) == []
