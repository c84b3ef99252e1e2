"""`moe.dispatch` copies bits, and multiplies once."""

import modules
import numpy as np
import pytest
from moe.random import normal
from moe.reference import dispatch, plan


def planned(tokens, experts, top_k, seed=1, low=0):
    indices = np.random.default_rng(seed).integers(
        low, experts, (tokens, top_k), np.int32)
    return plan(indices, experts, out_of_range="drop")


def run(tools, x, p, weights=None):
    text = modules.dispatch(x.shape[1], p.offsets.size - 1,
                            p.slot_to_row.shape[1],
                            weighted=weights is not None)
    return tools.run(text, x, p.offsets, p.slot_to_row, p.row_to_slot,
                     *([] if weights is None else [weights]))


def assert_same_bits(got, expected):
    assert got.dtype == expected.dtype == np.float32
    np.testing.assert_array_equal(got.view(np.int32), expected.view(np.int32))


@pytest.mark.parametrize("tokens, hidden", [(0, 8), (1, 1), (33, 5), (31, 64),
                                            (513, 12)])
def test_rows_are_exact_copies(tools, tokens, hidden):
    p = planned(tokens, 6, 3)
    x = normal((tokens, hidden), 1)
    assert_same_bits(run(tools, x, p), dispatch(x, p))


def test_every_bit_pattern_survives(tools):
    p = planned(64, 4, 2)
    bits = np.random.default_rng(2).integers(-2**31, 2**31, (64, 16))
    x = bits.astype(np.int32).view(np.float32)
    x[0, :6] = [np.nan, np.inf, -np.inf, -0.0, 1e-45, -1e-40]
    assert_same_bits(run(tools, x, p), dispatch(x, p))


def test_rows_of_the_tail_are_zero(tools):
    p = planned(50, 4, 2, low=-3)
    assert (p.row_to_slot < 0).any()
    x = np.full((50, 12), np.nan, np.float32)
    got = run(tools, x, p)
    tail = p.row_to_slot < 0
    assert_same_bits(got[tail], np.zeros_like(got[tail]))
    assert np.isnan(got[~tail]).all()


@pytest.mark.parametrize("tokens", [0, 1, 33, 513])
def test_weights_multiply_with_one_rounding(tools, tokens):
    p = planned(tokens, 7, 3, low=-1)
    x, weights = normal((tokens, 20), 1), normal((tokens, 3), 2)
    assert_same_bits(run(tools, x, p, weights),
                     dispatch(x, p, weights, element_type="f32"))


def test_a_weight_of_nan_leaves_the_tail_zero(tools):
    p = plan(np.array([[0, -1], [-1, 1]], np.int32), 2, out_of_range="drop")
    weights = np.array([[2, np.nan], [np.nan, 3]], np.float32)
    got = run(tools, np.ones((2, 4), np.float32), p, weights)
    assert got[:, 0].tolist() == [2, 3, 0, 0]
