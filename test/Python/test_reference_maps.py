"""`check_maps`: what is dropped, and which fault is named."""

import numpy as np
import pytest
from hypothesis import given, strategies as st
from moe.reference import MapFault, check_maps, plan


@given(st.integers(0, 9), st.integers(1, 4), st.integers(0, 2**32 - 1))
def test_maps_of_a_plan_are_right(tokens, top_k, seed):
    indices = np.random.default_rng(seed).integers(-1, 3, (tokens, top_k))
    p = plan(indices, 3, out_of_range="drop")
    checked = check_maps(p.slot_to_row, p.row_to_slot)
    assert checked.fault is None
    np.testing.assert_array_equal(checked.slot_to_row, p.slot_to_row)
    np.testing.assert_array_equal(checked.row_to_slot, p.row_to_slot)


@given(st.lists(st.integers(-3, 8), min_size=6, max_size=6),
       st.lists(st.integers(-3, 8), min_size=6, max_size=6))
def test_what_is_left_is_a_pair_of_inverse_maps(slots, rows):
    checked = check_maps(np.reshape(slots, (3, 2)), rows)
    kept = checked.slot_to_row.reshape(-1)
    pairs = {(slot, row) for slot, row in enumerate(kept) if row >= 0}
    assert pairs == {(slot, row) for row, slot in
                     enumerate(checked.row_to_slot) if slot >= 0}
    assert pairs == {(slot, row) for slot, row in enumerate(slots)
                     if 0 <= row < 6 and rows[row] == slot}
    unchanged = kept.tolist() == slots and checked.row_to_slot.tolist() == rows
    assert (checked.fault is None) == unchanged


@pytest.mark.parametrize("slots, rows, fault", [
    ([[1, 0]], [1, 0], None),
    ([[-1, -1]], [-1, -1], None),
    ([[2, 0]], [1, 0], MapFault("slot_to_row", 0, 2)),
    ([[1, -2]], [-1, 0], MapFault("slot_to_row", 1, -2)),
    ([[0, 0]], [0, -1], MapFault("slot_to_row", 1, 0)),
    ([[1, -1]], [1, 0], MapFault("row_to_slot", 0, 1)),
    ([[1, -1]], [2**31 - 1, 0], MapFault("row_to_slot", 0, 2**31 - 1)),
    ([[9, -1]], [5, -1], MapFault("slot_to_row", 0, 9)),
], ids=str)
def test_the_first_fault_is_named(slots, rows, fault):
    assert check_maps(slots, rows).fault == fault


def test_maps_of_different_sizes_are_refused():
    with pytest.raises(ValueError, match="expected 2 elements .* but got 3"):
        check_maps([[0, 1]], [0, 1, -1])
