"""Routing on logits from -100 to 100, on infinities and on NaN.

A result that is NaN in float64 must be NaN, and no other may be. All others are
compared number by number, relative to their own size for weights; gradients are
differences, and relative to the sizes of what is subtracted. What is below the
normal range of an f32 may be 0.
"""

from itertools import product

import modules
import numpy as np
import pytest
from moe.reference import route_grad, route_weights
from moe.reference.elementwise import softmax
from moe.reference.route import renormalized, selection_values

EXPERTS, TOP_K, ROWS = 16, 5, 200
NORMAL = 2.0**-126
# e^d with d up to 200, rounded to f32 before and after: 200 * 2^-24 and a few.
TOLERANCE = 2e-5
GUARDS = [{}, {"epsilon": 1e-20}, {"floor": 1e-12}]
FORMS = [form for form in product(["softmax", "sigmoid"], [False, True],
                                  [False, True], [False, True], GUARDS)
         if form[3] or not form[4]]


def extreme_logits(seed):
    random = np.random.default_rng(seed)
    logits = random.uniform(-100, 100, (ROWS, EXPERTS)).astype(np.float32)
    logits[50:100] = -np.abs(logits[50:100])
    logits[100:150] -= 2 * np.float32(100)  # to -300
    for row, values in enumerate([
            [np.nan], [np.inf], [-np.inf], [np.nan, np.inf], [np.inf, np.inf],
            [-np.inf] * 8, [-np.inf] * 14, [-np.inf] * 16, [np.nan] * 16,
            [np.inf] * 16, [np.nan, -np.inf, np.inf]]):
        at = random.permutation(EXPERTS)[:len(values)]
        logits[row, at] = values
    return logits


def name_of(form):
    scoring, bias, groups, renormalize, guards = form
    return "-".join([scoring, *["bias"] * bias, *["groups"] * groups,
                     *["renormalize"] * renormalize, *guards])


def attributes(scoring, renormalize, guards):
    return {"scoring": f"#moe.scoring<{scoring}>", "scale": "2.5 : f64",
            **({"renormalize": None} if renormalize else {}),
            **{name: f"{value:.17e} : f64" for name, value in guards.items()}}


def check(got, want, size):
    np.testing.assert_array_equal(np.isnan(got), np.isnan(want))
    finite = ~np.isnan(want)
    error = np.abs(got - want)[finite] - NORMAL
    assert (error <= TOLERANCE * np.broadcast_to(size, want.shape)[finite]).all()


@pytest.mark.parametrize("form", FORMS, ids=name_of)
def test_weights_and_gradients(tools, form):
    scoring, has_bias, groups, renormalize, guards = form
    logits = extreme_logits(len(name_of(form)))
    random = np.random.default_rng(1)
    bias = random.normal(size=EXPERTS).astype(np.float32)
    options = attributes(scoring, renormalize, guards)
    grouped = {"groups": "4 : i64", "selected_groups": "2 : i64",
               "group_score": "#moe.group_score<top2_sum>"} if groups else {}
    inputs = [logits, bias] if has_bias else [logits]
    weights, indices = tools.run(
        modules.route(EXPERTS, TOP_K, bias=has_bias, **options, **grouped),
        *inputs, results=2)
    given = {"scoring": scoring, "renormalize": renormalize, "scale": 2.5,
             **guards}
    with np.errstate(invalid="ignore"):
        want = route_weights(logits, indices, **given)
    check(weights, want, np.abs(want))

    # The selection is valid, and in descending order up to f32's rounding.
    with np.errstate(invalid="ignore", over="ignore"):
        values = selection_values(logits, scoring=scoring,
                                  bias=bias if has_bias else None,
                                  groups=4 if groups else None)
    assert all(len(set(row)) == TOP_K for row in indices)
    assert (indices >= 0).all() and (indices < EXPERTS).all()
    taken = np.take_along_axis(values, indices, 1)
    with np.errstate(invalid="ignore"):
        assert not (taken[:, :-1] < taken[:, 1:] - 1e-5).any()
    if not groups:
        best = np.sort(np.where(np.isnan(values), -np.inf, values))[:, ::-1]
        np.testing.assert_allclose(np.where(np.isnan(taken), -np.inf, taken),
                                   best[:, :TOP_K], atol=1e-5)

    again = tools.run(modules.route_weights(EXPERTS, TOP_K, **options), logits,
                      indices)
    check(again, want, np.abs(want))

    dweights = random.normal(size=indices.shape).astype(np.float32)
    got = tools.run(modules.route_grad(EXPERTS, TOP_K, **options), logits,
                    indices, dweights)
    with np.errstate(invalid="ignore"):
        want = route_grad(logits, indices, dweights, **given)
        size = np.abs(want) + sizes_of_differences(logits, indices, dweights,
                                                   given)
    check(got, want, size)


def sizes_of_differences(logits, indices, dweights, given):
    """The sizes of the terms of each sum that a gradient is made of."""
    scoring, scale = given["scoring"], given["scale"]
    largest = 2 * scale * np.abs(dweights).max(axis=1, keepdims=True)
    scores = softmax(logits) if scoring == "softmax" else np.zeros(logits.shape)
    if not given["renormalize"]:
        # An expert with more than half of the scores sees those of the others.
        return largest * scores * np.where(scores > .5, others(scores), 1)
    shares, rest, _ = renormalized(logits, indices, scoring,
                                   given.get("epsilon", 0),
                                   given.get("floor", 0))
    guarded = "epsilon" in given or "floor" in given
    rest = rest if guarded else np.zeros_like(rest)
    sizes = scores * rest * largest
    terms = shares * (others(shares) + rest) * largest
    np.put_along_axis(sizes, indices, terms, axis=1)
    return sizes


def others(values):
    """The sum of a row without the element itself."""
    width = values.shape[1]
    return np.where(np.eye(width, dtype=bool), 0, values[:, None, :]).sum(2)
