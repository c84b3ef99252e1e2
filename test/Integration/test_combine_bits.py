"""`moe.combine` against its f32 operations in NumPy, bit for bit."""

import modules
import numpy as np
import pytest
from moe.random import normal
from moe.reference import combine, plan

SLOT = {"order": "#moe.combine_order<slot>"}
STEPWISE = {"rounding": "#moe.combine_rounding<stepwise>"}


def run(tools, rows, p, weights, **options):
    text = modules.combine(rows.shape[1], p.offsets.size - 1,
                           p.slot_to_row.shape[1],
                           weighted=weights is not None, **options)
    return tools.run(text, rows, p.offsets, p.slot_to_row, p.row_to_slot,
                     *([] if weights is None else [weights]))


def check(tools, indices, experts, width, order="expert", weighted=True,
          rows=None):
    tokens, top_k = indices.shape
    p = plan(indices, experts, out_of_range="drop")
    if rows is None:
        rows = normal((tokens * top_k, width), 1)
    weights = normal((tokens, top_k), 2) if weighted else None
    options = SLOT if order == "slot" else {}
    got = run(tools, rows, p, weights, **options)
    expected = combine(rows, p, weights, order=order, element_type="f32")
    np.testing.assert_array_equal(got.view(np.int32), expected.view(np.int32))
    return got


def random_indices(tokens, experts, top_k, low=0):
    return np.random.default_rng(tokens).integers(low, experts,
                                                  (tokens, top_k), np.int32)


@pytest.mark.parametrize("order", ["expert", "slot"])
@pytest.mark.parametrize("top_k", [1, 2, 3, 8, 16])
@pytest.mark.parametrize("weighted", [False, True])
def test_products_and_sums_are_separate_operations(tools, order, top_k,
                                                   weighted):
    check(tools, random_indices(37, 20, top_k), 20, 24, order, weighted)


@pytest.mark.parametrize("tokens, width", [(0, 4), (1, 1), (129, 5), (7, 257)])
def test_any_width(tools, tokens, width):
    check(tools, random_indices(tokens, 6, 2), 6, width)


@pytest.mark.parametrize("order", ["expert", "slot"])
def test_the_order_of_the_sum_is_kept(tools, order):
    # 1 and -1 cancel only where nothing small came between them.
    values = np.array([1, 2**-12, -1, 2**-24], np.float32)
    indices = np.stack([np.random.default_rng(i).permutation(4)
                        for i in range(40)]).astype(np.int32)
    p = plan(indices, 4)
    rows = np.repeat(values[p.row_expert][:, None], 4, axis=1)
    check(tools, indices, 4, 4, order, rows=rows)


def test_the_two_orders_differ_where_they_should(tools):
    p = plan(np.array([[2, 1, 0]], np.int32), 3)
    rows = np.array([[1e8], [-1e8], [1]], np.float32)
    weights = np.ones((1, 3), np.float32)
    assert run(tools, rows, p, weights)[0, 0] == 1
    assert run(tools, rows, p, weights, **SLOT)[0, 0] == 0


@pytest.mark.parametrize("order", ["expert", "slot"])
def test_a_token_that_names_an_expert_twice_counts_both(tools, order):
    indices = np.array([[1, 1, 1], [3, 3, 0], [2, 0, 2]], np.int32)
    check(tools, indices, 4, 8, order)


@pytest.mark.parametrize("order", ["expert", "slot"])
def test_dropped_slots_add_nothing(tools, order):
    check(tools, random_indices(60, 5, 4, low=-3), 5, 12, order)


@pytest.mark.parametrize("options", [{}, SLOT], ids=["expert", "slot"])
def test_a_dropped_slot_of_weight_nan_adds_nothing(tools, options):
    p = plan(np.array([[0, -1], [-1, -1]], np.int32), 2, out_of_range="drop")
    rows = np.full((4, 4), np.nan, np.float32)
    rows[0] = 3
    weights = np.array([[2, np.nan], [np.nan, np.inf]], np.float32)
    got = run(tools, rows, p, weights, **options)
    assert (got[0] == 6).all()
    assert (got[1].view(np.int32) == 0).all()  # +0


def test_negative_zeros_sum_to_positive_zero(tools):
    p = plan(np.array([[0, 1]], np.int32), 2)
    rows = np.full((2, 4), -0.0, np.float32)
    got = run(tools, rows, p, None)
    assert (got.view(np.int32) == 0).all()


def test_stepwise_rounding_is_the_same_in_f32(tools):
    p = plan(random_indices(30, 6, 3), 6)
    rows, weights = normal((90, 8), 1), normal((30, 3), 2)
    np.testing.assert_array_equal(
        run(tools, rows, p, weights, **STEPWISE).view(np.int32),
        run(tools, rows, p, weights).view(np.int32))


def test_rows_of_an_expert_may_be_permuted_with_their_maps(tools):
    # No expert twice: the order of two slots of one expert is that of the rows.
    random = np.random.default_rng(9)
    indices = np.stack([random.permutation(5)[:3] for _ in range(80)])
    p = plan(indices.astype(np.int32), 5)
    rows, weights = normal((240, 8), 1), normal((80, 3), 2)
    order = np.arange(240)
    for begin, end in zip(p.offsets[:-1], p.offsets[1:]):
        random.shuffle(order[begin:end])  # new row i is the old row order[i]
    place = np.argsort(order).astype(np.int32)
    permuted = p._replace(slot_to_row=place[p.slot_to_row],
                          row_to_slot=p.row_to_slot[order])
    np.testing.assert_array_equal(
        run(tools, rows[order], permuted, weights).view(np.int32),
        run(tools, rows, p, weights).view(np.int32))
