"""Offsets that a user gives are checked on the device."""

import modules
import numpy as np
import pytest
from moe.random import normal
from moe.reference import grouped_matmul
from moe.testing import check_values

ROWS = 50


@pytest.fixture(scope="module")
def program(tools):
    return tools.compile(modules.grouped_matmul(4, 8, 12, transposed=True))


def inputs(offsets):
    return (normal((ROWS, 8), 1), normal((4, 12, 8), 2),
            np.array(offsets, np.int32))


@pytest.mark.parametrize("offsets", [
    [0, 10, 20, 30, 50], [0, 0, 0, 0, 0], [0, 0, 50, 50, 50],
    [0, 1, 2, 3, 4]], ids=str)
def test_prefixes_are_taken(tools, program, offsets):
    lhs, rhs, prefix = inputs(offsets)
    check_values(tools.run(program, lhs, rhs, prefix),
                 grouped_matmul(lhs, rhs, prefix, transpose_rhs=True))


@pytest.mark.parametrize("offsets, value, element", [
    ([0, 10, 9, 30, 50], 9, 2),  # decreases
    ([0, 10, 20, 30, 51], 51, 4),  # beyond the rows
    ([0, 60, 20, 70, 80], 60, 1),  # the first of several
    ([1, 10, 20, 30, 50], 1, 0),  # begins late
    ([-1, 10, 20, 30, 50], -1, 0),
    ([0, 10, -2**31, 30, 50], -2**31, 2),
    ([0, 10, 20, 2**31 - 1, 50], 2**31 - 1, 3)], ids=str)
def test_what_is_no_prefix_ends_the_run(tools, program, offsets, value,
                                        element):
    message = tools.fault(program, *inputs(offsets), status=3)
    assert message.startswith("kernel 'check_offsets': expected offsets ")
    assert message.endswith(f"but got {value} at element {element}")


def test_a_prefix_checked_alone_is_given_back(tools):
    text = """
func.func @check(%offsets: tensor<4xi32>, %rows: tensor<?x8xf32>)
    -> tensor<4xi32> {
  %checked = moe.check_offsets %offsets, %rows
    : tensor<4xi32>, tensor<?x8xf32>
  return %checked : tensor<4xi32>
}
"""
    rows = np.zeros((9, 8), np.float32)
    offsets = np.array([0, 2, 2, 9], np.int32)
    assert (tools.run(text, offsets, rows) == offsets).all()
    message = tools.fault(text, offsets, rows[:8], status=3)
    assert message.endswith("but got 9 at element 3")


def test_a_prefix_of_some_rows_is_checked_again_for_others(tools):
    text = """
func.func @check(%offsets: tensor<3xi32>, %many: tensor<?x8xf32>,
                 %few: tensor<?x8xf32>, %w: tensor<2x8x8xf32>)
    -> tensor<?x8xf32> {
  %checked = moe.check_offsets %offsets, %many
    : tensor<3xi32>, tensor<?x8xf32>
  %y = moe.grouped_matmul %few, %w, %checked
    : tensor<?x8xf32>, tensor<2x8x8xf32>, tensor<3xi32> -> tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}
"""
    many, few, w = normal((90, 8), 1), normal((9, 8), 2), normal((2, 8, 8), 3)
    message = tools.fault(text, np.array([0, 5, 60], np.int32), many, few, w,
                          status=3)
    assert message.endswith("but got 60 at element 2")
    good = np.array([0, 5, 7], np.int32)
    check_values(tools.run(text, good, many, few, w),
                 grouped_matmul(few, w, good))
