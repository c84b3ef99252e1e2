"""`moe.grouped_matmul` of any widths and layouts."""

import modules
import numpy as np
import pytest
from moe.random import normal
from moe.reference import grouped_matmul
from moe.testing import check_values


def check_product(tools, counts, contraction, columns, transposed, bias=False):
    experts, rows = len(counts), sum(counts)
    offsets = np.cumsum([0, *counts], dtype=np.int32)
    lhs = normal((rows, contraction), 1)
    matrix = (columns, contraction) if transposed else (contraction, columns)
    rhs = normal((experts, *matrix), 2)
    inputs = [lhs, rhs, offsets]
    added = None
    if bias:
        added = normal((experts, columns), 3)
        inputs.append(added)
    text = modules.grouped_matmul(experts, contraction, columns,
                                  transposed=transposed, bias=bias)
    got = tools.run(text, *inputs)
    check_values(got, grouped_matmul(lhs, rhs, offsets, added,
                                     transpose_rhs=transposed))


@pytest.mark.parametrize("transposed", [False, True])
@pytest.mark.parametrize("contraction, columns", [
    (13, 5), (1025, 8), (1, 1), (1, 33), (33, 1), (7, 15), (16, 16), (17, 65),
    (31, 31), (32, 32), (65, 17), (64, 128), (4, 6), (6, 4)])
def test_widths_need_no_alignment(tools, contraction, columns, transposed):
    check_product(tools, [20, 0, 33, 8], contraction, columns, transposed)


@pytest.mark.parametrize("transposed", [False, True])
@pytest.mark.parametrize("contraction, columns", [(13, 5), (32, 64)])
def test_the_bias_is_that_of_the_expert(tools, contraction, columns,
                                        transposed):
    check_product(tools, [20, 0, 33, 8], contraction, columns, transposed,
                  bias=True)


@pytest.mark.parametrize("transposed", [False, True])
@pytest.mark.parametrize("bias", [False, True])
def test_nothing_to_sum_gives_the_bias_or_zero(tools, transposed, bias):
    check_product(tools, [2, 0, 3], 0, 5, transposed, bias)


@pytest.mark.parametrize("transposed", [False, True])
def test_one_expert_is_a_dense_product(tools, transposed):
    check_product(tools, [50], 48, 40, transposed)


def test_infinities_and_nan_stay_in_their_row(tools):
    lhs, rhs = normal((40, 16), 1), normal((2, 16, 8), 2)
    lhs[3, 5], lhs[20, 0], lhs[21, 1] = np.nan, np.inf, -np.inf
    offsets = np.array([0, 20, 40], np.int32)
    got = tools.run(modules.grouped_matmul(2, 16, 8), lhs, rhs, offsets)
    with np.errstate(invalid="ignore"):
        expected = grouped_matmul(lhs, rhs, offsets)
    check_values(got, expected)


def test_long_sums_keep_small_terms(tools):
    # Visible where a sum is kept in less than f32.
    lhs = np.full((5, 4096), 2.0**-11, np.float32)
    lhs[:, ::2] = 1
    rhs = np.ones((1, 4096, 4), np.float32)
    got = tools.run(modules.grouped_matmul(1, 4096, 4), lhs, rhs,
                    np.array([0, 5], np.int32))
    assert (got == 2049).all()
