"""Gradients whose bits are promised, against their f32 operations in NumPy."""

import modules
import numpy as np
import pytest
from adjoint import differentiate
from moe.random import normal
from moe.reference import combine, combine_weight_grad, dispatch, plan


def planned(tokens, experts=6, top_k=3, low=-1):
    """Slots dropped, experts named twice, the last expert without rows."""
    return plan(np.random.default_rng(tokens).integers(
        low, experts - 1, (tokens, top_k), np.int32), experts,
        out_of_range="drop")


def assert_same_bits(got, expected):
    assert got.dtype == expected.dtype == np.float32
    np.testing.assert_array_equal(got.view(np.int32), expected.view(np.int32))


WIDTHS = pytest.mark.parametrize("width", [1, 20, 33])
TOKENS = (0, 1, 37, 130)


@WIDTHS
def test_of_dispatch(tools, session, width):
    run = session(differentiate(tools, modules.dispatch(width, 6, 3))).run
    for tokens in TOKENS:
        p = planned(tokens)
        x, g = normal((tokens, width), 1), normal((tokens * 3, width), 2)
        g[p.offsets[-1]:] = np.nan  # the tail is not read
        _, dx = run(x, *p[:3], g)
        assert_same_bits(dx, combine(g, p, order="slot", element_type="f32"))


def test_of_dispatch_counts_each_slot(tools, session):
    # Small integers: sums are exact, so K times the rows that were given out.
    p = planned(40, low=0)
    x = np.random.default_rng(1).integers(-9, 9, (40, 12)).astype(np.float32)
    run = session(differentiate(tools, modules.dispatch(12, 6, 3))).run
    _, dx = run(x, *p[:3], dispatch(x, p))
    assert_same_bits(dx, 3 * x)


@WIDTHS
def test_of_weighted_dispatch(tools, session, width):
    run = session(differentiate(
        tools, modules.dispatch(width, 6, 3, weighted=True))).run
    for tokens in TOKENS:
        p = planned(tokens)
        x, w = normal((tokens, width), 1), normal((tokens, 3), 2)
        g = normal((tokens * 3, width), 3)
        _, dx, _ = run(x, *p[:3], w, g)
        assert_same_bits(dx, combine(g, p, w, order="slot", element_type="f32"))


@pytest.mark.parametrize("rounding", ["once", "stepwise"])
@WIDTHS
def test_of_the_rows_of_combine(tools, session, rounding, width):
    run = session(differentiate(tools, modules.combine(
        width, 6, 3, rounding=f"#moe.combine_rounding<{rounding}>"))).run
    for tokens in TOKENS:
        p = planned(tokens)
        y, w = normal((tokens * 3, width), 1), normal((tokens, 3), 2)
        g = normal((tokens, width), 3)
        _, drows, _ = run(y, *p[:3], w, g)
        assert_same_bits(drows, dispatch(g, p, w, element_type="f32"))


@pytest.mark.parametrize("order", ["expert", "slot"])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("top_k", [1, 3, 8])
def test_combine_stepwise(session, order, weighted, top_k):
    # Values that cancel only where nothing small came between them.
    random = np.random.default_rng(top_k)
    p = planned(41, 9, top_k)
    rows = random.choice(np.array([1, 2**-12, -1, 2**-24, 3], np.float32),
                         (41 * top_k, 10))
    weights = [normal((41, top_k), 2)] * weighted
    text = modules.combine(10, 9, top_k, weighted=weighted,
                           order=f"#moe.combine_order<{order}>",
                           rounding="#moe.combine_rounding<stepwise>")
    got, = session(text).run(rows, *p[:3], *weights)
    assert_same_bits(got, combine(rows, p, *weights, order=order,
                                  rounding="stepwise", element_type="f32"))


def weight_grad(session, strategy, g, y, p):
    text = modules.combine_weight_grad(g.shape[1], p.offsets.size - 1,
                                       p.slot_to_row.shape[1],
                                       strategy=strategy)
    return session(text).run(g, y, *p[:3])[0]


def fused(g, y, p):
    """What it would be with one rounding for a product and its sum."""
    token, slot = np.nonzero(p.slot_to_row >= 0)
    total = np.zeros(p.slot_to_row.shape, np.float32)
    for left, right in zip(g.T.astype(np.float64), y.T.astype(np.float64)):
        total[token, slot] += left[token] * right[p.slot_to_row[token, slot]]
    return total


@pytest.mark.parametrize("width", [1, 7, 31, 32, 33, 65, 4096])
def test_serial_sums_of_products_are_not_fused(session, width):
    random = np.random.default_rng(width)
    p = planned(17)
    # Products of 26 bits, of either sign: what is rounded away matters.
    both = 1 + 2.0**-13 * random.integers(-99, 99, (17 + 51, width))
    g, y = np.split(both.astype(np.float32), [17])
    y[:, ::2] *= -1
    expected = combine_weight_grad(g, y, p, strategy="serial",
                                   element_type="f32")
    assert_same_bits(weight_grad(session, "serial", g, y, p), expected)
    assert width == 1 or (expected != fused(g, y, p)).any()


@pytest.mark.parametrize("width", [1, 7, 31, 32, 33, 65, 4096])
def test_a_tree_is_nearer_than_a_serial_sum(session, width):
    p = planned(17)
    g, y = normal((17, width), 1), normal((51, width), 2)
    expected = combine_weight_grad(g, y, p)
    error = np.abs(weight_grad(session, "tree", g, y, p) - expected)
    # At 4096 columns the serial sum is wrong by 2.7e-5.
    assert (error <= 1e-5 * np.maximum(1, np.abs(expected))).all()


@pytest.mark.parametrize("strategy", ["tree", "serial"])
def test_more_slots_than_the_smallest_grid_has_groups(session, strategy):
    p = planned(21900)
    g, y = normal((21900, 5), 1), normal((65700, 5), 2)
    expected = combine_weight_grad(g, y, p, strategy="serial",
                                   element_type="f32")
    got = weight_grad(session, strategy, g, y, p)
    if strategy == "serial":
        assert_same_bits(got, expected)
    assert np.abs(got - expected).max() <= 1e-6 * np.abs(expected).max()
