"""The table of derivatives, in float64: each entry against central differences.

An entry is an op, its float arguments by shape, and what the table gives for
their gradients from that of the result.
"""

import numpy as np
import pytest
from moe.reference import (combine, combine_weight_grad, dispatch,
                           grouped_matmul, grouped_outer, grouped_reduce, plan)

STEP = 1e-3  # the ops are linear in each argument: differences are exact
T, K, E, H, N = 5, 3, 4, 5, 2
# Slots dropped, experts named twice, the last expert without rows.
INDICES = np.array([[-1, 0, 0], [2, 1, 2], [0, 0, 0], [1, -1, 4], [2, 0, 1]])
PLAN = plan(INDICES, E, out_of_range="drop")
O, R = PLAN.offsets, T * K
ROWS, SLOTS = np.arange(R) < O[E], PLAN.slot_to_row >= 0


def per_row(values):
    """Give each row its expert's: a product over no features."""
    return grouped_matmul(np.zeros((R, 0)), np.zeros((E, 0, N)), O, values)


CASES = {
    "dispatch": (
        lambda x: dispatch(x, PLAN), [(T, H)],
        lambda g, x: [combine(g, PLAN, order="slot")]),
    "dispatch_weighted": (
        lambda x, w: dispatch(x, PLAN, w), [(T, H), (T, K)],
        lambda g, x, w: [combine(g, PLAN, w, order="slot"),
                         combine_weight_grad(x, g, PLAN)]),
    "matmul": (
        lambda a, w, b: grouped_matmul(a, w, O, b), [(R, H), (E, H, N), (E, N)],
        lambda g, a, w, b: [grouped_matmul(g, w, O, transpose_rhs=True),
                            grouped_outer(a, g, O), grouped_reduce(g, O)]),
    "matmul_transposed": (
        lambda a, w, b: grouped_matmul(a, w, O, b, transpose_rhs=True),
        [(R, H), (E, N, H), (E, N)],
        lambda g, a, w, b: [grouped_matmul(g, w, O), grouped_outer(g, a, O),
                            grouped_reduce(g, O)]),
    "outer": (
        lambda a, b, i: grouped_outer(a, b, O, i),
        [(R, H), (R, N), (E, H, N)],
        lambda g, a, b, i: [grouped_matmul(b, g, O, transpose_rhs=True),
                            grouped_matmul(a, g, O), g]),
    "reduce": (
        lambda y: grouped_reduce(y, O), [(R, N)], lambda g, y: [per_row(g)]),
    **{f"combine_{order}": (
        lambda y, order=order: combine(y, PLAN, order=order), [(R, H)],
        lambda g, y: [dispatch(g, PLAN)]) for order in ("expert", "slot")},
    **{f"combine_weighted_{rounding}": (
        lambda y, w, rounding=rounding: combine(y, PLAN, w, rounding=rounding),
        [(R, H), (T, K)],
        lambda g, y, w: [dispatch(g, PLAN, w), combine_weight_grad(g, y, PLAN)])
       for rounding in ("once", "stepwise")},
    **{f"weight_grad_{strategy}": (
        lambda g, y, strategy=strategy: combine_weight_grad(
            g, y, PLAN, strategy=strategy), [(T, H), (R, H)],
        lambda d, g, y: [combine(y, PLAN, d), dispatch(g, PLAN, d)])
       for strategy in ("tree", "serial")},
}


def along(function, arguments, number, at):
    """The derivative for one element of one argument."""
    ends = []
    for step in (STEP, -STEP):
        moved = [a.copy() for a in arguments]
        moved[number][at] += step
        ends.append(function(*moved))
    return (ends[0] - ends[1]) / (2 * STEP)


@pytest.mark.parametrize("name", list(CASES))
def test_table(name):
    function, shapes, gradients = CASES[name]
    random = np.random.default_rng(1)
    arguments = [random.normal(size=shape) for shape in shapes]
    g = random.normal(size=function(*arguments).shape)
    for number, got in enumerate(gradients(g, *arguments)):
        expected = np.empty(shapes[number])
        for at in np.ndindex(*expected.shape):
            expected[at] = (along(function, arguments, number, at) * g).sum()
        np.testing.assert_allclose(got, expected, rtol=0, atol=1e-10,
                                   err_msg=str(number))
        if shapes[number][0] == R:  # of a tail row there is none
            assert not got[~ROWS].any()
        if shapes[number] == (T, K):
            assert not got[~SLOTS].any()


def test_gradients_of_an_empty_expert_are_zero():
    random = np.random.default_rng(2)
    rows = random.normal(size=(R, H))
    assert O[E] == O[E - 1]
    assert not grouped_outer(rows, rows, O)[-1].any()
    assert not grouped_reduce(rows, O)[-1].any()
