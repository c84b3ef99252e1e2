"""`moe.plan` against a stable sort in NumPy."""

import modules
import numpy as np
import pytest
from moe.reference import plan


def check_plan(tools, indices, experts, drop=False):
    got = tools.run(modules.plan(experts, indices.shape[1], drop=drop),
                    indices, results=4)
    expected = plan(indices, experts,
                    out_of_range="drop" if drop else "error")
    for name, value in zip(expected._fields, got):
        np.testing.assert_array_equal(value, getattr(expected, name), name)
    return got


# Around the width of a subgroup, of a scan block, and the most there may be.
@pytest.mark.parametrize("experts", [1, 2, 31, 32, 33, 64, 257, 1024])
@pytest.mark.parametrize("tokens", [7, 300])
def test_slots_are_sorted_stably(tools, experts, tokens):
    indices = np.random.default_rng(tokens + experts).integers(
        0, experts, (tokens, 3), np.int32)
    check_plan(tools, indices, experts)


@pytest.mark.parametrize("top_k", [1, 2, 16])
def test_no_tokens_give_offsets_of_zeros(tools, top_k):
    offsets, *rows = check_plan(tools, np.zeros((0, top_k), np.int32), 8)
    assert not offsets.any() and not any(value.size for value in rows)


def test_all_slots_of_one_expert_keep_their_order(tools):
    check_plan(tools, np.full((1025, 4), 5, np.int32), 8)


def test_a_token_that_names_an_expert_twice_has_two_rows(tools):
    indices = np.array([[1, 1], [0, 1], [2, 2], [0, 0]], np.int32)
    check_plan(tools, indices, 3)


@pytest.mark.parametrize("tokens", [1, 77, 5000])
def test_dropped_slots_leave_a_tail(tools, tokens):
    indices = np.random.default_rng(tokens).integers(-2, 9, (tokens, 4),
                                                     np.int32)
    indices[0, 0], indices[-1, -1] = 2**31 - 1, -2**31
    check_plan(tools, indices, 6, drop=True)


def test_all_slots_dropped_leave_no_row(tools):
    offsets, _, row_to_slot, _ = check_plan(
        tools, np.full((40, 2), -1, np.int32), 4, drop=True)
    assert not offsets.any() and (row_to_slot == -1).all()


def test_the_largest_plan(tools):
    indices = np.random.default_rng(20).integers(0, 512, (2**20, 16), np.int32)
    indices[:, 3] = 7  # one expert has far more than its share
    check_plan(tools, indices, 512)
