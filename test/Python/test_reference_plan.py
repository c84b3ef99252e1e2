"""`plan` is a stable counting sort that drops bad indices."""

import numpy as np
import pytest
from hypothesis import given, strategies as st
from moe.reference import SlotFault, plan


@st.composite
def index_tables(draw, *, in_range):
    """Indices [T, K] with the number of experts."""
    experts = draw(st.integers(1, 9))
    shape = draw(st.integers(0, 20)), draw(st.integers(1, 5))
    value = st.integers(0, experts - 1) if in_range else \
        st.one_of(st.integers(-2, experts + 1), st.just(2**31 - 1))
    size = shape[0] * shape[1]
    values = draw(st.lists(value, min_size=size, max_size=size))
    return np.array(values, np.int32).reshape(shape), experts


@given(index_tables(in_range=False))
def test_rows_are_the_kept_slots_in_stable_order(table):
    indices, experts = table
    got = plan(indices, experts, out_of_range="drop")
    slots = [s for s, e in enumerate(indices.flat) if 0 <= e < experts]
    slots.sort(key=lambda s: (indices.flat[s], s))
    tail = [-1] * (indices.size - len(slots))
    assert got.row_to_slot.tolist() == slots + tail
    assert got.row_expert.tolist() == [indices.flat[s] for s in slots] + tail


@given(index_tables(in_range=False))
def test_maps_are_inverse_on_kept_slots(table):
    indices, experts = table
    got = plan(indices, experts, out_of_range="drop")
    for slot, row in enumerate(got.slot_to_row.flat):
        kept = 0 <= indices.flat[slot] < experts
        assert got.row_to_slot[row] == slot if kept else row == -1


@given(index_tables(in_range=False))
def test_offsets_are_the_prefix_of_counts(table):
    indices, experts = table
    got = plan(indices, experts, out_of_range="drop")
    counts = [int((indices == e).sum()) for e in range(experts)]
    assert got.offsets.tolist() == [sum(counts[:e]) for e in range(experts + 1)]


@given(index_tables(in_range=True))
def test_good_indices_have_no_fault_and_no_tail(table):
    indices, experts = table
    got = plan(indices, experts)
    assert got.fault is None and got.offsets[-1] == indices.size
    assert (got.row_to_slot >= 0).all()


@given(index_tables(in_range=False))
def test_fault_is_the_first_bad_slot(table):
    indices, experts = table
    bad = [s for s, e in enumerate(indices.flat) if not 0 <= e < experts]
    want = None
    if bad:
        want = SlotFault(bad[0] // indices.shape[1], bad[0],
                         indices.flat[bad[0]])
    assert plan(indices, experts).fault == want
    assert plan(indices, experts, out_of_range="drop").fault is None


def test_known_offsets_with_empty_experts():
    got = plan([[0, 1], [0, 1], [1, 0]], 4)
    assert got.offsets.tolist() == [0, 3, 6, 6, 6]
    assert got.slot_to_row.tolist() == [[0, 3], [1, 4], [5, 2]]


def test_no_tokens_has_zero_offsets():
    got = plan(np.zeros((0, 2), np.int32), 3)
    assert got.offsets.tolist() == [0, 0, 0, 0]
    assert got.slot_to_row.shape == (0, 2)


def test_extreme_indices_are_faults():
    assert plan([[0, -1]], 2).fault == SlotFault(0, 1, -1)
    assert plan([[0, 1], [2, 0]], 2).fault == SlotFault(1, 2, 2)
    assert plan([[2**31 - 1]], 2).fault == SlotFault(0, 0, 2**31 - 1)


@pytest.mark.parametrize("indices, mode, message", [
    ([0, 1], "error", "expected indices of rank 2, but got rank 1"),
    ([[0]], "clamp", "expected out_of_range error or drop, but got clamp"),
])
def test_bad_arguments(indices, mode, message):
    with pytest.raises(ValueError, match=message):
        plan(indices, 2, out_of_range=mode)
