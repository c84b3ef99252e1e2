"""Positions that come from data are checked on the device."""

import numpy as np
import pytest

GPU = ["--validate=gpu"]  # sees accesses out of bounds
FAR = [-1, -2**31, 2**31 - 1]


def gather(size="?"):
    x = f"tensor<{size}xf32>"
    return f"""
func.func @f(%x: {x}, %i: tensor<?xi32>) -> tensor<?xf32> {{
  %c0 = arith.constant 0 : index
  %n = tensor.dim %i, %c0 : tensor<?xi32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %0 = linalg.generic {{indexing_maps = [affine_map<(d0) -> (d0)>,
                                         affine_map<(d0) -> (d0)>],
                        iterator_types = ["parallel"]}}
      ins(%i : tensor<?xi32>) outs(%e : tensor<?xf32>) {{
  ^bb0(%a: i32, %o: f32):
    %at = arith.index_cast %a : i32 to index
    %v = tensor.extract %x[%at] : {x}
    linalg.yield %v : f32
  }} -> tensor<?xf32>
  return %0 : tensor<?xf32>
}}
"""


def at_element(value, slot, limit="dim 0 of input 0"):
    return (f"kernel 'elementwise': expected index 0 of 'tensor.extract' to be "
            f"in [0, {limit}), but got {value} at element {slot}")


@pytest.mark.parametrize("value", [4, *FAR])
@pytest.mark.parametrize("size", ["?", 4])
def test_gather(tools, size, value):
    x = np.arange(1, 5, dtype=np.float32)
    good = np.array([0, 3, 1, 2, 3], np.int32)
    np.testing.assert_array_equal(
        tools.run(gather(size), x, good, options=GPU), x[good])
    bad = np.array([0, 3, value, 2, -7], np.int32)
    limit = "dim 0 of input 0" if size == "?" else 4
    assert tools.fault(gather(size), x, bad, status=3, options=GPU) == \
        at_element(value, 2, limit)


def test_nothing_to_gather_from(tools):
    none = np.zeros(0, np.float32)
    assert tools.run(gather(), none, np.zeros(0, np.int32)).size == 0
    assert tools.fault(gather(), none, np.zeros(3, np.int32), status=3,
                       options=GPU) == at_element(0, 0)


@pytest.mark.parametrize("seed", range(8))
def test_many_random_positions(tools, seed):
    random = np.random.default_rng(seed)
    x = random.normal(size=100).astype(np.float32)
    at = random.integers(0, 100, 20000, np.int32)
    np.testing.assert_array_equal(tools.run(gather(), x, at), x[at])
    wrong = random.integers(0, at.size, 30)
    at[wrong] = random.integers(100, 2**31, wrong.size)
    at[wrong[::2]] = random.integers(-2**31, 0, wrong[::2].size)
    first = wrong.min()
    assert tools.fault(gather(), x, at, status=3) == \
        at_element(at[first], first)


SLICE = """
func.func @f(%x: tensor<?x2xf32>, %i: tensor<1xi32>) -> tensor<3x2xf32> {
  %c0 = arith.constant 0 : index
  %a = tensor.extract %i[%c0] : tensor<1xi32>
  %at = arith.index_cast %a : i32 to index
  %r = tensor.extract_slice %x[%at, 0] [3, 2] [1, 1]
    : tensor<?x2xf32> to tensor<3x2xf32>
  return %r : tensor<3x2xf32>
}
"""
INSERT = """
func.func @f(%x: tensor<5xf32>, %i: tensor<1xi32>) -> tensor<5xf32> {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1.0 : f32
  %a = tensor.extract %i[%c0] : tensor<1xi32>
  %at = arith.index_cast %a : i32 to index
  %r = tensor.insert %one into %x[%at] : tensor<5xf32>
  return %r : tensor<5xf32>
}
"""


@pytest.mark.parametrize("value", [0, 2, 3, 5, *FAR])
def test_slice(tools, value):
    x = np.arange(10, dtype=np.float32).reshape(5, 2)
    at = np.array([value], np.int32)
    if 0 <= value <= 2:
        np.testing.assert_array_equal(tools.run(SLICE, x, at, options=GPU),
                                      x[value:value + 3])
        return
    assert tools.fault(SLICE, x, at, status=3, options=GPU) == (
        "kernel 'elementwise': expected 'tensor.extract_slice' to start and "
        f"end in [0, dim 0 of input 0) along dim 0, but got start {value}")


@pytest.mark.parametrize("value", [0, 4, 5, *FAR])
def test_insert(tools, value):
    x, at = np.zeros(5, np.float32), np.array([value], np.int32)
    if 0 <= value < 5:
        got = tools.run(INSERT, x, at, options=GPU)
        np.testing.assert_array_equal(got, np.arange(5) == value)
        return
    assert tools.fault(INSERT, x, at, status=3, options=GPU) == (
        "kernel 'elementwise': expected 'tensor.insert_slice' to start and "
        f"end in [0, 5) along dim 0, but got start {value}")
