"""Positions in every place that computes one, at random, none out of bounds."""

import numpy as np
import pytest

GPU = ["--validate=gpu"]
ROWS, WIDTH = 7, 8


def in_a_body(body, result):
    """A function of x, rows i and columns j that gathers elements of x."""
    return f"""
func.func @f(%x: tensor<{ROWS}x{WIDTH}xf32>, %i: tensor<?xi32>,
             %j: tensor<?xi32>) -> {result} {{
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %i, %c0 : tensor<?xi32>
{body}
}}
"""


ELEMENTS = in_a_body("""
  %e = tensor.empty(%n) : tensor<?xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>,
      affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>],
      iterator_types = ["parallel"]}
      ins(%i, %j : tensor<?xi32>, tensor<?xi32>) outs(%e : tensor<?xf32>) {
  ^bb0(%a: i32, %b: i32, %o: f32):
    %r = arith.index_cast %a : i32 to index
    %c = arith.index_cast %b : i32 to index
    %v = tensor.extract %x[%r, %c] : tensor<7x8xf32>
    linalg.yield %v : f32
  } -> tensor<?xf32>
  return %0 : tensor<?xf32>""", "tensor<?xf32>")

# The sum of the rows that i names: a gather inside a reduction.
SUMS = in_a_body("""
  %e = tensor.empty() : tensor<8xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1)>,
      affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]}
      ins(%i : tensor<?xi32>) outs(%z : tensor<8xf32>) {
  ^bb0(%a: i32, %o: f32):
    %r = arith.index_cast %a : i32 to index
    %c = linalg.index 0 : index
    %v = tensor.extract %x[%r, %c] : tensor<7x8xf32>
    %s = arith.addf %o, %v : f32
    linalg.yield %s : f32
  } -> tensor<8xf32>
  return %0 : tensor<8xf32>""", "tensor<8xf32>")


def first_fault(i, j):
    """The kernel's message about the first position that is out of range."""
    for slot, (row, column) in enumerate(zip(i, j)):
        for dim, value, size in ((0, row, ROWS), (1, column, WIDTH)):
            if not 0 <= value < size:
                return (f"kernel 'elementwise': expected index {dim} of "
                        f"'tensor.extract' to be in [0, {size}), but got "
                        f"{value} at element {slot}")
    return None


@pytest.mark.parametrize("seed", range(10))
def test_a_thousand_random_positions(tools, seed):
    random = np.random.default_rng(seed)
    x = random.normal(size=(ROWS, WIDTH)).astype(np.float32)
    i = random.integers(0, ROWS, 1000, np.int32)
    j = random.integers(0, WIDTH, 1000, np.int32)
    np.testing.assert_array_equal(
        tools.run(ELEMENTS, x, i, j, options=GPU), x[i, j])
    for at in random.integers(0, 1000, 1 + seed):
        wrong, size = ((i, ROWS), (j, WIDTH))[random.integers(2)]
        wrong[at] = random.choice([-1, size, -2**31, 2**31 - 1, 10**6])
    assert tools.fault(ELEMENTS, x, i, j, status=3,
                       options=GPU) == first_fault(i, j)


@pytest.mark.parametrize("value", [ROWS, -1, -2**31, 2**31 - 1])
def test_a_gather_inside_a_sum(tools, value):
    x = np.arange(ROWS * WIDTH, dtype=np.float32).reshape(ROWS, WIDTH)
    i = np.array([6, 0, 3, 3], np.int32)
    np.testing.assert_array_equal(tools.run(SUMS, x, i, i, options=GPU),
                                  x[i].sum(axis=0))
    i[2] = value
    assert tools.fault(SUMS, x, i, i, status=3, options=GPU) == (
        "kernel 'reduce': expected index 0 of 'tensor.extract' to be in "
        f"[0, 7), but got {value} at element 0")
