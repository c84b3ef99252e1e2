"""Maps between slots and rows that a user gives are checked on the device."""

import numpy as np
import pytest
from moe.reference import check_maps, plan

TOKENS, TOP_K = 50, 3
SLOTS = "expected slot_to_row to be -1 or a row that row_to_slot gives back"
ROWS = "expected row_to_slot to be -1 or a slot that slot_to_row gives back"


def module(top_k=TOP_K):
    slots, rows = f"tensor<?x{top_k}xi32>", "tensor<?xi32>"
    return (f"func.func @check(%s: {slots}, %r: {rows}) -> ({slots}, {rows}) "
            f"{{\n  %0, %1 = moe.check_maps %s, %r : {slots}, {rows}\n"
            f"  return %0, %1 : {slots}, {rows}\n}}\n")


def planned(tokens, top_k, experts=5, low=-1):
    """The maps of a plan that drops some slots, so that it has a tail."""
    indices = np.random.default_rng(tokens).integers(low, experts,
                                                     (tokens, top_k), np.int32)
    p = plan(indices, experts, out_of_range="drop")
    return p.slot_to_row.copy(), p.row_to_slot.copy()


def message_of(fault, top_k):
    if fault.name == "slot_to_row":
        where = f"token {fault.position // top_k}, slot {fault.position % top_k}"
        text = SLOTS
    else:
        where, text = f"row {fault.position}", ROWS
    return f"kernel 'check_maps': {text}, but got {fault.value} at {where}"


@pytest.mark.parametrize("tokens, top_k", [
    (0, 2), (1, 1), (1, 3), (5, 1), (33, 2), (64, 4), (257, 16), (50000, 3)])
def test_maps_of_a_plan_are_given_back(tools, tokens, top_k):
    slots, rows = planned(tokens, top_k)
    got = tools.run(module(top_k), slots, rows, results=2)
    np.testing.assert_array_equal(got[0], slots)
    np.testing.assert_array_equal(got[1], rows)


def test_one_slot_and_one_row(tools):
    none, first, second = ([np.array([[value]], np.int32),
                            np.array([value], np.int32)]
                           for value in (-1, 0, 1))
    for maps in (none, first):
        got = tools.run(module(1), *maps, results=2)
        assert [a.item() for a in got] == [a.item() for a in maps]
    assert tools.fault(module(1), first[0], none[1], status=3) == (
        f"kernel 'check_maps': {SLOTS}, but got 0 at token 0, slot 0")
    assert tools.fault(module(1), none[0], second[1], status=3) == (
        f"kernel 'check_maps': {ROWS}, but got 1 at row 0")


def test_no_slot_need_have_a_row(tools):
    slots, rows = np.full((9, 3), -1, np.int32), np.full(27, -1, np.int32)
    got = tools.run(module(), slots, rows, results=2)
    assert (got[0] == -1).all() and (got[1] == -1).all()


@pytest.mark.parametrize("value", [TOKENS * TOP_K, 2**31 - 1, -2, -2**31])
@pytest.mark.parametrize("name", ["slot_to_row", "row_to_slot"])
@pytest.mark.parametrize("position", [0, 61, TOKENS * TOP_K - 1])
def test_what_is_out_of_range_is_named(tools, name, position, value):
    slots, rows = planned(TOKENS, TOP_K, low=0)
    if name == "slot_to_row":
        # The row that the slot had stands back.
        rows[slots.reshape(-1)[position]] = -1
        slots.reshape(-1)[position] = value
    else:
        slots.reshape(-1)[rows[position]] = -1
        rows[position] = value
    message = tools.fault(module(), slots, rows, status=3)
    fault = check_maps(slots, rows).fault
    assert (fault.name, fault.position, fault.value) == (name, position, value)
    assert message == message_of(fault, TOP_K)


def test_the_right_row_of_another_slot_is_named(tools):
    slots, rows = planned(TOKENS, TOP_K, low=0)
    slots[20, 1] = slots[7, 2]  # one row twice
    assert tools.fault(module(), slots, rows, status=3) == (
        f"kernel 'check_maps': {SLOTS}, but got {slots[7, 2]} at token 20, "
        "slot 1")


def test_a_row_of_the_tail_that_claims_a_slot_is_named(tools):
    slots, rows = planned(TOKENS, TOP_K)
    assert rows[-1] == -1
    rows[-1] = rows[4]  # a slot that has another row
    assert tools.fault(module(), slots, rows, status=3) == (
        f"kernel 'check_maps': {ROWS}, but got {rows[4]} at row "
        f"{rows.size - 1}")


def test_a_fault_of_the_slots_comes_before_one_of_the_rows(tools):
    slots, rows = planned(TOKENS, TOP_K, low=0)
    rows[0] = -7
    rows[slots[TOKENS - 1, 2]] = -1
    slots[TOKENS - 1, 2] = 1000
    fault = check_maps(slots, rows).fault
    assert fault.name == "slot_to_row"
    assert tools.fault(module(), slots, rows,
                       status=3) == message_of(fault, TOP_K)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("name", ["slot_to_row", "row_to_slot"])
def test_the_first_of_many_is_named(tools, seed, name):
    # Many invocations, each with faults of its own.
    slots, rows = planned(20011, TOP_K, low=0)
    random = np.random.default_rng(seed)
    values = slots.reshape(-1) if name == "slot_to_row" else rows
    others = rows if name == "slot_to_row" else slots.reshape(-1)
    for position in random.integers(10000, values.size, 40):
        others[values[position]] = -1
        values[position] = random.integers(values.size, 2**31)
    fault = check_maps(slots, rows).fault
    assert fault.name == name
    assert tools.fault(module(), slots, rows,
                       status=3) == message_of(fault, TOP_K)


def test_a_fault_does_not_spoil_the_next_run(tools):
    slots, rows = planned(TOKENS, TOP_K)
    wrong = slots.copy()
    wrong[0, 0] = 10**6
    tools.fault(module(), wrong, rows, status=3)
    tools.run(module(), slots, rows, results=2)


def test_maps_of_unequal_size_are_refused_by_the_host(tools):
    slots, rows = planned(TOKENS, TOP_K)
    message = tools.fault(module(), slots, rows[:-1], status=2)
    assert "expected" in message and "149" in message and "150" in message
