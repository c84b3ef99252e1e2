"""`dispatch` and `combine`, with duplicates, drops and rounding."""

import numpy as np
import pytest
from moe.reference import combine, dispatch, plan, round_to


def drop_plan(indices, experts):
    return plan(indices, experts, out_of_range="drop")


def test_dispatch_copies_bits():
    x = np.array([[np.nan, -0.0], [np.inf, 1e-45]], np.float32)
    rows = dispatch(x, plan([[1, 0], [0, 1]], 2))
    assert rows.dtype == np.float32
    assert rows.view(np.int32).tolist() == \
        x[[0, 1, 0, 1]].view(np.int32).tolist()


def test_dispatch_zeroes_tail_rows():
    rows = dispatch(np.full((2, 3), np.nan), drop_plan([[-1, 5], [7, -1]], 4))
    assert rows.shape == (4, 3) and not rows.any()


def test_weighted_dispatch_rounds_once():
    weights = np.float32([[1 / 3, 3]])
    x = round_to([[1.1, 2.3]], "bf16")
    got = dispatch(x, plan([[1, 0]], 2), weights, element_type="bf16")
    want = round_to(x * weights[0, ::-1, None], "bf16")
    assert got.tolist() == want.tolist()


def test_weighted_dispatch_in_float64():
    got = dispatch([[3.0]], plan([[0, 1]], 2), [[0.1, 0.2]])
    assert got.tolist() == [[3.0 * 0.1], [3.0 * 0.2]]


@pytest.mark.parametrize("indices", [[1, 1], [3, 3, 5], [2, 2, 2]])
@pytest.mark.parametrize("order", ["expert", "slot"])
def test_combine_visits_repeated_experts_once_each(indices, order):
    planned = plan([indices], 6)
    rows = np.zeros((len(indices), 1))
    for slot, row in enumerate(planned.slot_to_row[0]):
        rows[row] = 10.0**slot
    weights = [[float(slot + 1) for slot in range(len(indices))]]
    want = sum((slot + 1) * 10**slot for slot in range(len(indices)))
    assert combine(rows, planned, weights, order=order).tolist() == [[want]]


def test_combine_matches_a_plain_loop():
    random = np.random.default_rng(5)
    indices = random.integers(-1, 5, (9, 3))
    planned = drop_plan(indices, 5)
    rows, weights = random.normal(size=(27, 4)), random.normal(size=(9, 3))
    got = combine(rows, planned, weights)
    for token in range(9):
        want = [0.0] * 4
        for slot in range(3):
            row = planned.slot_to_row[token, slot]
            if row >= 0:
                want = [a + weights[token, slot] * b
                        for a, b in zip(want, rows[row])]
        np.testing.assert_allclose(got[token], want, atol=1e-14)


@pytest.mark.parametrize("order, want", [("expert", 0.0), ("slot", 1.0)])
def test_combine_order_shows_in_f32(order, want):
    # By expert 2^24 + 1 comes first and loses the 1; by slot the large values
    # cancel before it.
    planned = plan([[0, 2, 1]], 3)
    rows = [[2.0**24], [1.0], [-2.0**24]]
    got = combine(rows, planned, order=order, element_type="f32")
    assert got.item() == want


def test_combine_stepwise_rounds_products_and_sums():
    # 1 + 2^-8 lies between two bf16 values and falls to the even one, 1.
    planned = plan([[0, 1, 2]], 3)
    rows = np.array([[1.0], [2.0**-8], [2.0**-8]])
    once = combine(rows, planned, element_type="bf16")
    step = combine(rows, planned, element_type="bf16", rounding="stepwise")
    assert once.item() == 1.0 + 2.0**-7 and step.item() == 1.0


@pytest.mark.parametrize("element_type", ["f32", "f16", "bf16"])
def test_combine_stepwise_matches_scalar_emulation(element_type):
    random = np.random.default_rng(11)
    planned = plan(random.integers(0, 6, (8, 4)), 6)
    rows = round_to(random.normal(size=(32, 3)), element_type)
    weights = random.normal(size=(8, 4)).astype(np.float32)
    got = combine(rows, planned, weights, rounding="stepwise",
                  element_type=element_type)
    for token in range(8):
        slots = sorted(range(4), key=lambda j: planned.slot_to_row[token, j])
        for column in range(3):
            total = np.float32(0)
            for slot in slots:
                row = rows[planned.slot_to_row[token, slot], column]
                product = round_to(row * weights[token, slot], element_type)
                total = round_to(total + product, element_type)
            assert got[token, column] == total


def test_combine_of_negative_zeros_is_positive():
    got = combine([[-0.0], [-0.0]], plan([[0, 1]], 2), element_type="f32")
    assert not np.signbit(got.item())


def test_combine_keeps_nan_of_a_zero_weight_but_not_of_a_dropped_slot():
    planned = drop_plan([[0, -1], [-1, -1]], 1)
    rows = np.array([[2.0], [np.nan], [np.nan], [np.nan]])
    assert combine(rows, planned, np.ones((2, 2))).tolist() == [[2.0], [0.0]]
    rows[0] = np.nan
    assert np.isnan(combine(rows, planned, np.zeros((2, 2)))[0, 0])


def test_no_tokens():
    planned = plan(np.zeros((0, 2), np.int32), 3)
    assert dispatch(np.zeros((0, 5)), planned).shape == (0, 5)
    assert combine(np.zeros((0, 7)), planned).shape == (0, 7)


@pytest.mark.parametrize("arguments, message", [
    ({"order": "row"}, "expected order expert or slot, but got row"),
    ({"rounding": "up"}, "expected rounding once or stepwise, but got up"),
    ({"element_type": "f8"}, "expected an element type .*, but got f8"),
])
def test_bad_arguments(arguments, message):
    with pytest.raises(ValueError, match=message):
        combine([[1.0]], plan([[0]], 1), **arguments)
