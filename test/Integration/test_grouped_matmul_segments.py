"""`moe.grouped_matmul` over segments of any lengths."""

import modules
import numpy as np
import pytest
from moe.random import normal
from moe.reference import grouped_matmul
from moe.testing import check_values


def offsets_of(counts):
    return np.cumsum([0, *counts], dtype=np.int32)


def product(tools, lhs, rhs, counts, bias=None, rows=None):
    """Run with weights as layers have them, [E, N, C]."""
    experts, columns, contraction = rhs.shape
    text = modules.grouped_matmul(experts, contraction, columns,
                                  transposed=True, bias=bias is not None,
                                  rows=rows)
    return tools.run(text, lhs, rhs, offsets_of(counts),
                     *([] if bias is None else [bias]))


def check_product(tools, counts, contraction=64, columns=32, tail=0):
    lhs = normal((sum(counts) + tail, contraction), 1)
    lhs[sum(counts):] = np.nan
    rhs = normal((len(counts), columns, contraction), 2)
    got = product(tools, lhs, rhs, counts)
    check_values(got, grouped_matmul(lhs, rhs, offsets_of(counts),
                                     transpose_rhs=True))
    return got


@pytest.mark.parametrize("counts", [
    [8, 0, 8, 0], [0, 0, 0, 7], [0, 0, 0, 0], [128, 130, 65], [1],
    [127, 1, 129], [1, 0, 17], [0, 0, 17, 0], [1, 65, 2, 0], [16, 32],
    [31, 1, 32, 33], [15, 1, 16, 17]], ids=str)
def test_equals_a_product_for_each_expert(tools, counts):
    check_product(tools, counts)


@pytest.mark.parametrize("counts", [[3, 2, 0], [0, 0, 0], [16, 16, 1]],
                         ids=str)
@pytest.mark.parametrize("tail", [1, 5, 40])
def test_rows_of_the_tail_are_zero_and_never_read(tools, counts, tail):
    # The reference has zeros there, which check_values wants exactly.
    check_product(tools, counts, contraction=4, columns=8, tail=tail)


def test_the_tail_gets_no_bias(tools):
    lhs = np.full((10, 4), np.nan, np.float32)
    lhs[:5] = normal((5, 4), 1)
    rhs, bias = normal((3, 6, 4), 2), normal((3, 6), 3)
    got = product(tools, lhs, rhs, [3, 2, 0], bias)
    check_values(got, grouped_matmul(lhs, rhs, offsets_of([3, 2, 0]), bias,
                                     transpose_rhs=True))
    assert not got[5:].any()


def test_the_matrix_of_an_empty_expert_is_not_read(tools):
    lhs, rhs = normal((20, 16), 1), normal((4, 8, 16), 2)
    rhs[[0, 2]] = np.nan
    got = product(tools, lhs, rhs, [0, 13, 0, 7])
    check_values(got, grouped_matmul(lhs, rhs, offsets_of([0, 13, 0, 7]),
                                     transpose_rhs=True))


def test_many_experts_with_few_rows(tools):
    counts = np.random.default_rng(4).integers(0, 3, 1024)
    check_product(tools, counts.tolist(), contraction=8, columns=8)


def test_static_rows(tools):
    lhs, rhs = normal((48, 24), 1), normal((3, 20, 24), 2)
    got = product(tools, lhs, rhs, [30, 0, 11], rows=48)
    lhs[41:] = np.nan
    check_values(got, grouped_matmul(lhs, rhs, offsets_of([30, 0, 11]),
                                     transpose_rhs=True))


@pytest.mark.parametrize("tokens", [1, 7, 31])
def test_a_segment_inside_a_tile_has_the_bits_of_an_aligned_one(tools, tokens):
    # Three experts in the first 32 rows, against one expert a call, where the
    # same rows start at row 0.
    counts = [tokens, 2, 13]
    lhs, rhs = normal((sum(counts), 40), 1), normal((3, 12, 40), 2)
    together = product(tools, lhs, rhs, counts)
    offsets = offsets_of(counts)
    for expert in range(3):
        own = slice(offsets[expert], offsets[expert + 1])
        alone = [0, 0, 0]
        alone[expert] = counts[expert]
        aligned = product(tools, lhs[own], rhs, alone)
        np.testing.assert_array_equal(together[own].view(np.int32),
                                      aligned.view(np.int32))


def test_permuted_rows_of_an_expert_keep_their_bits(tools):
    counts = [37, 0, 5, 70]
    lhs, rhs = normal((sum(counts), 40), 1), normal((4, 12, 40), 2)
    order = np.arange(len(lhs))
    random = np.random.default_rng(5)
    for begin, end in zip(offsets_of(counts)[:-1], offsets_of(counts)[1:]):
        random.shuffle(order[begin:end])
    np.testing.assert_array_equal(
        product(tools, lhs[order], rhs, counts).view(np.int32),
        product(tools, lhs, rhs, counts)[order].view(np.int32))
