"""Slices, reshapes, broadcasts, transposes and fills."""

import numpy as np
import pytest
from moe.random import normal


def same(tools, text, expected, *inputs):
    np.testing.assert_array_equal(tools.run(text, *inputs), expected)


@pytest.mark.parametrize("first, width, stride", [
    (0, 8, 1), (8, 8, 1), (1, 7, 1), (0, 8, 2), (1, 5, 3), (15, 1, 1)])
def test_slices_of_features(tools, first, width, stride):
    text = f"""
func.func @slice(%x: tensor<?x16xf32>) -> tensor<?x{width}xf32> {{
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x16xf32>
  %y = tensor.extract_slice %x[0, {first}] [%n, {width}] [1, {stride}]
    : tensor<?x16xf32> to tensor<?x{width}xf32>
  return %y : tensor<?x{width}xf32>
}}
"""
    x = normal((33, 16), 1)
    same(tools, text, x[:, first::stride][:, :width], x)


def test_computing_on_slices(tools):
    text = """
func.func @f(%x: tensor<?x10xf32>) -> tensor<?x5xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x10xf32>
  %a = tensor.extract_slice %x[0, 0] [%n, 5] [1, 1]
    : tensor<?x10xf32> to tensor<?x5xf32>
  %b = tensor.extract_slice %x[0, 5] [%n, 5] [1, 1]
    : tensor<?x10xf32> to tensor<?x5xf32>
  %y = arith.mulf %a, %b : tensor<?x5xf32>
  return %y : tensor<?x5xf32>
}
"""
    for tokens in (0, 33):
        x = normal((tokens, 10), 1)
        same(tools, text, x[:, :5] * x[:, 5:], x)


def test_one_matrix_of_several(tools):
    text = """
func.func @f(%w: tensor<4x6x8xf32>) -> tensor<6x8xf32> {
  %y = tensor.extract_slice %w[2, 0, 0] [1, 6, 8] [1, 1, 1]
    : tensor<4x6x8xf32> to tensor<6x8xf32>
  return %y : tensor<6x8xf32>
}
"""
    w = normal((4, 6, 8), 1)
    same(tools, text, w[2], w)


def test_heads_of_features(tools):
    text = """
func.func @f(%x: tensor<?x24xf32>) -> tensor<?x4x6xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x24xf32>
  %y = tensor.expand_shape %x [[0], [1, 2]] output_shape [%n, 4, 6]
    : tensor<?x24xf32> into tensor<?x4x6xf32>
  return %y : tensor<?x4x6xf32>
}
"""
    for tokens in (0, 33):
        x = normal((tokens, 24), 1)
        same(tools, text, x.reshape(tokens, 4, 6), x)


def test_heads_back_to_features(tools):
    text = """
func.func @f(%x: tensor<?x4x6xf32>) -> tensor<?x24xf32> {
  %z = arith.addf %x, %x : tensor<?x4x6xf32>
  %y = tensor.collapse_shape %z [[0], [1, 2]]
    : tensor<?x4x6xf32> into tensor<?x24xf32>
  return %y : tensor<?x24xf32>
}
"""
    x = normal((33, 4, 6), 1)
    same(tools, text, 2 * x.reshape(33, 24), x)


def test_tokens_and_choices_as_rows(tools):
    text = """
func.func @f(%x: tensor<?x3x8xf32>) -> tensor<?x8xf32> {
  %y = tensor.collapse_shape %x [[0, 1], [2]]
    : tensor<?x3x8xf32> into tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}
"""
    x = normal((11, 3, 8), 1)
    same(tools, text, x.reshape(33, 8), x)


def test_a_bias_for_all_tokens(tools):
    text = """
func.func @f(%b: tensor<8xf32>, %x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x8xf32>
  %empty = tensor.empty(%n) : tensor<?x8xf32>
  %all = linalg.broadcast ins(%b : tensor<8xf32>)
    outs(%empty : tensor<?x8xf32>) dimensions = [0]
  %y = arith.addf %x, %all : tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}
"""
    b, x = normal((8,), 1), normal((33, 8), 2)
    same(tools, text, x + b, b, x)


def test_a_value_for_all_features(tools):
    text = """
func.func @f(%s: tensor<?xf32>) -> tensor<?x8xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %s, %c0 : tensor<?xf32>
  %empty = tensor.empty(%n) : tensor<?x8xf32>
  %y = linalg.broadcast ins(%s : tensor<?xf32>)
    outs(%empty : tensor<?x8xf32>) dimensions = [1]
  return %y : tensor<?x8xf32>
}
"""
    s = normal((33,), 1)
    same(tools, text, np.repeat(s[:, None], 8, axis=1), s)


def test_a_transposed_matrix(tools):
    text = """
func.func @f(%x: tensor<12x20xf32>) -> tensor<20x12xf32> {
  %empty = tensor.empty() : tensor<20x12xf32>
  %y = linalg.transpose ins(%x : tensor<12x20xf32>)
    outs(%empty : tensor<20x12xf32>) permutation = [1, 0]
  return %y : tensor<20x12xf32>
}
"""
    x = normal((12, 20), 1)
    same(tools, text, x.T, x)


def test_transposed_tokens(tools):
    text = """
func.func @f(%x: tensor<?x20xf32>) -> tensor<20x?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x20xf32>
  %empty = tensor.empty(%n) : tensor<20x?xf32>
  %y = linalg.transpose ins(%x : tensor<?x20xf32>)
    outs(%empty : tensor<20x?xf32>) permutation = [1, 0]
  return %y : tensor<20x?xf32>
}
"""
    for tokens in (0, 1, 33):
        x = normal((tokens, 20), 1)
        same(tools, text, x.T, x)


@pytest.mark.parametrize("value", ["2.5", "0x7F800000", "-0.0"])
def test_fills(tools, value):
    text = f"""
func.func @f(%x: tensor<?x5xf32>) -> tensor<?x5xf32> {{
  %c0 = arith.constant 0 : index
  %v = arith.constant {value} : f32
  %n = tensor.dim %x, %c0 : tensor<?x5xf32>
  %empty = tensor.empty(%n) : tensor<?x5xf32>
  %y = linalg.fill ins(%v : f32) outs(%empty : tensor<?x5xf32>)
    -> tensor<?x5xf32>
  return %y : tensor<?x5xf32>
}}
"""
    wanted = {"2.5": 2.5, "0x7F800000": np.inf, "-0.0": -0.0}[value]
    for tokens in (0, 33):
        got = tools.run(text, np.zeros((tokens, 5), np.float32))
        np.testing.assert_array_equal(
            got.view(np.int32),
            np.full((tokens, 5), wanted, np.float32).view(np.int32))
