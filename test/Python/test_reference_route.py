"""`route`: the specified rows, ties, and an independent loop."""

import math

import numpy as np
import pytest
from moe.reference import route, route_weights

INF, NAN = math.inf, math.nan


@pytest.mark.parametrize("logits, top_k, indices, weights", [
    # Ties, also of +0 and -0, go to the lower id.
    ([1, 1, 1, 1], 2, [0, 1], [0.25, 0.25]),
    ([-0.0, 0.0, 0.0, -0.0], 3, [0, 1, 2], [0.25] * 3),
    # Minus infinity is selectable, with weight zero, lowest ids first.
    ([-INF, 0, -INF, -INF], 3, [1, 0, 2], [1, 0, 0]),
    # A row without scores gives the first ids and NaN.
    ([0, NAN, 5, 1], 2, [0, 1], [NAN, NAN]),
    ([0, 1, INF, 1], 2, [0, 1], [NAN, NAN]),
    ([-INF, -INF, -INF, -INF], 3, [0, 1, 2], [NAN] * 3),
])
def test_softmax_row(logits, top_k, indices, weights):
    got = route([logits], top_k)
    assert got.indices.tolist() == [indices]
    np.testing.assert_allclose(got.weights, [weights], rtol=1e-15)


def test_renormalized_weights_sum_to_scale():
    got = route([[0.5, 2, -1, 1]], 2, renormalize=True, scale=2.5)
    assert got.indices.tolist() == [[1, 3]]
    assert got.weights.sum() == pytest.approx(2.5)
    assert got.weights[0, 0] / got.weights[0, 1] == pytest.approx(math.e)


def test_selection_compares_logits_where_probabilities_underflow():
    # exp(-1000) and exp(-900) are both 0: only the logits tell them apart.
    assert route([[-1000, 0, -900]], 2).indices.tolist() == [[1, 2]]


def test_selection_rounds_logits_to_f32():
    assert route([[1.0, 1.0 + 1e-12]], 1).indices.tolist() == [[0]]


def test_sigmoid_nan_is_selected_last_and_stays_alone():
    got = route([[NAN, 0, -5]], 3, scoring="sigmoid")
    assert got.indices.tolist() == [[1, 2, 0]]
    assert np.isnan(got.weights).tolist() == [[False, False, True]]


def test_renormalized_zero_sum_is_nan():
    got = route([[-INF, -INF]], 1, scoring="sigmoid", renormalize=True)
    assert got.indices.tolist() == [[0]] and np.isnan(got.weights).all()


def test_bias_moves_the_selection_but_not_the_weights():
    got = route([[3, 2, 1, 0]], 1, scoring="sigmoid", bias=[0, 0, 0, 1])
    assert got.indices.tolist() == [[3]]
    assert got.weights[0, 0] == 0.5


@pytest.mark.parametrize("scoring", ["softmax", "sigmoid"])
@pytest.mark.parametrize("with_bias", [False, True])
@pytest.mark.parametrize("renormalize", [False, True])
def test_matches_a_plain_loop(scoring, with_bias, renormalize):
    random = np.random.default_rng(3)
    logits = random.integers(-3, 4, (40, 7)).astype(np.float32)
    bias = random.normal(size=7).astype(np.float32) if with_bias else None
    got = route(logits, 3, scoring=scoring, bias=bias,
                renormalize=renormalize, scale=1.5)
    for token, row in enumerate(logits.tolist()):
        total = sum(math.exp(x) for x in row)
        scores = [math.exp(x) / total if scoring == "softmax"
                  else 1 / (1 + math.exp(-x)) for x in row]
        values = row if bias is None else [
            np.float32(s) + b for s, b in zip(scores, bias)]
        chosen = sorted(range(7), key=lambda e: (-values[e], e))[:3]
        weights = [scores[e] for e in chosen]
        if renormalize:
            weights = [w / sum(weights) for w in weights]
        assert got.indices[token].tolist() == chosen
        np.testing.assert_allclose(got.weights[token],
                                   [1.5 * w for w in weights], rtol=1e-13)


def test_no_tokens():
    got = route(np.zeros((0, 4)), 2)
    assert got.weights.shape == got.indices.shape == (0, 2)


def test_dropped_slot_has_no_weight_and_stays_out_of_the_sum():
    weights = route_weights([[0, 0, 0, 0]], [[2, -1]], renormalize=True)
    assert weights.tolist() == [[1, 0]]


def test_repeated_expert_counts_in_each_slot():
    weights = route_weights([[0, 0]], [[1, 1]], renormalize=True)
    assert weights.tolist() == [[0.5, 0.5]]


@pytest.mark.parametrize("arguments, message", [
    ({"top_k": 0}, "expected top_k between 1 and 4 .*, but got 0"),
    ({"top_k": 5}, "expected top_k between 1 and 4 .*, but got 5"),
    ({"scoring": "tanh"}, "expected scoring softmax or .*, but got tanh"),
    ({"bias": [0] * 3}, r"expected bias of shape \(4,\), but got \(3,\)"),
    ({"scale": 0}, "expected a finite positive scale, but got 0"),
    ({"scale": INF}, "expected a finite positive scale, but got inf"),
])
def test_bad_arguments(arguments, message):
    with pytest.raises(ValueError, match=message):
        route(np.zeros((1, 4)), **{"top_k": 2, **arguments})
