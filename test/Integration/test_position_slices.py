"""Slices and elements at positions that follow from sizes."""

import numpy as np
import pytest
from adjoint import differentiate


def reversed_insert(start, size, stride):
    return (f"func.func @f(%s: tensor<{size}xf32>, %d: tensor<7xf32>) "
            f"-> tensor<7xf32> {{\n  %r = tensor.insert_slice %s into "
            f"%d[{start}] [{size}] [{stride}] : tensor<{size}xf32> into "
            "tensor<7xf32>\n  return %r : tensor<7xf32>\n}\n")


@pytest.mark.parametrize("start, size, stride", [
    (3, 4, -1), (6, 7, -1), (6, 4, -2), (5, 2, -5), (0, 1, -3), (2, 1, 0),
    (0, 4, 2), (1, 3, 1)])
def test_insert(tools, start, size, stride):
    piece = np.arange(1, size + 1, dtype=np.float32)
    into = -np.arange(1, 8, dtype=np.float32)
    want = into.copy()
    for i in range(size):
        want[start + i * stride] = piece[i]
    got = tools.run(reversed_insert(start, size, stride), piece, into)
    np.testing.assert_array_equal(got, want)


def test_insert_rows_that_are_reversed_and_reduced(tools):
    got = tools.run("""
func.func @f(%s: tensor<3x2xf32>, %d: tensor<4x5x2xf32>) -> tensor<4x5x2xf32> {
  %r = tensor.insert_slice %s into %d[3, 4, 1] [3, 1, 2] [-1, 1, -1]
    : tensor<3x2xf32> into tensor<4x5x2xf32>
  return %r : tensor<4x5x2xf32>
}
""", np.arange(6, dtype=np.float32).reshape(3, 2),
                    np.full((4, 5, 2), -1, np.float32))
    want = np.full((4, 5, 2), -1, np.float32)
    want[3:0:-1, 4, ::-1] = np.arange(6).reshape(3, 2)
    np.testing.assert_array_equal(got, want)


LAST_ROWS = """
func.func @f(%x: tensor<?x2xf32>) -> tensor<3x2xf32> {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %n = tensor.dim %x, %c0 : tensor<?x2xf32>
  %at = arith.subi %n, %c3 : index
  %r = tensor.extract_slice %x[%at, 0] [3, 2] [1, 1]
    : tensor<?x2xf32> to tensor<3x2xf32>
  return %r : tensor<3x2xf32>
}
"""


def test_the_last_rows(tools):
    x = np.arange(10, dtype=np.float32).reshape(5, 2)
    np.testing.assert_array_equal(tools.run(LAST_ROWS, x), x[2:])
    assert tools.fault(LAST_ROWS, x[:2], status=2) == (
        "expected (dim 0 of input 0 + -3), the start of dim 0 of "
        "'tensor.extract_slice', to be at least 0, but got -1")


def test_an_element_before_the_first(tools):
    text = """
func.func @f(%x: tensor<?xf32>) -> tensor<2xf32> {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %at = arith.subi %n, %c3 : index
  %v = tensor.extract %x[%at] : tensor<?xf32>
  %r = tensor.splat %v : tensor<2xf32>
  return %r : tensor<2xf32>
}
"""
    x = np.arange(1, 5, dtype=np.float32)
    np.testing.assert_array_equal(tools.run(text, x), [2, 2])
    assert tools.fault(text, x[:2], status=2) == (
        "expected (dim 0 of input 0 + -3), index 0 of 'tensor.extract', "
        "to be at least 0, but got -1")


@pytest.mark.parametrize("start, size, stride, message", [
    (1, 3, -1, "expected the last position of dim 0 to be at least 0, "
     "but got -1")])
def test_what_never_fits_is_no_program(tools, start, size, stride, message):
    assert message in tools.compile_fault(reversed_insert(start, size, stride))


def test_a_constant_index_that_never_fits(tools):
    assert "expected index 0 to be at most 2, but got 5" in \
        tools.compile_fault("""
func.func @f(%x: tensor<3xf32>) -> tensor<2xf32> {
  %c5 = arith.constant 5 : index
  %v = tensor.extract %x[%c5] : tensor<3xf32>
  %r = tensor.splat %v : tensor<2xf32>
  return %r : tensor<2xf32>
}
""")


def test_the_derivative_of_a_reversal(tools):
    text = differentiate(tools, """
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = tensor.extract_slice %x[3] [4] [-1] : tensor<4xf32> to tensor<4xf32>
  %y = arith.mulf %r, %r : tensor<4xf32>
  return %y : tensor<4xf32>
}
""")
    x = np.arange(1, 5, dtype=np.float32)
    _, got = tools.run(text, x, np.float32([1, 10, 100, 1000]), results=2,
                       entry="f_vjp")
    np.testing.assert_array_equal(got, [2000, 400, 60, 8])
