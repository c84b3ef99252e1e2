"""`moe.route` on ties, infinities and NaN."""

import modules
import numpy as np
import pytest
from moe.reference import route
from moe.testing import check_values

NAN, INF = np.nan, np.inf
SIGMOID = {"scoring": "#moe.scoring<sigmoid>"}


def run(tools, rows, top_k, **options):
    logits = np.array(rows, np.float32)
    text = modules.route(logits.shape[1], top_k, **options)
    return tools.run(text, logits, results=2)


def test_equal_logits_go_to_the_lower_expert(tools):
    weights, indices = run(tools, [[1, 1, 1, 1], [0, 2, 1, 2], [3, 1, 3, 3]],
                           2)
    assert indices.tolist() == [[0, 1], [1, 3], [0, 2]]
    assert (weights[0] == 0.25).all()


def test_zeros_of_both_signs_are_equal(tools):
    _, indices = run(tools, [[-0.0, 0.0, -0.0, 0.0], [-1, 0.0, -0.0, -2],
                             [-1, -0.0, 0.0, -2]], 2)
    assert indices.tolist() == [[0, 1], [1, 2], [1, 2]]


def test_ties_across_the_lanes_of_a_subgroup(tools):
    rows = np.zeros((3, 100), np.float32)
    rows[0, [5, 13, 64, 99]] = 1
    rows[1, 40:] = 1
    _, indices = run(tools, rows, 6)
    assert indices.tolist() == [[5, 13, 64, 99, 0, 1],
                                [40, 41, 42, 43, 44, 45], [0, 1, 2, 3, 4, 5]]


def test_equal_groups_go_to_the_lower_group(tools):
    _, indices = run(tools, [[1, 0, 0, 1, 1, 0, 0, 0]], 2,
                     groups="4 : i64", selected_groups="2 : i64")
    assert indices.tolist() == [[0, 3]]


@pytest.mark.parametrize("row", [
    [1, NAN, 2, 3, 4], [1, INF, 2, 3, 4], [-INF] * 5, [NAN] * 5,
    [1, 2, 3, 4, -NAN], [INF, INF, 0, 0, 0], [NAN, -INF, INF, 0, 1]],
    ids=str)
def test_softmax_without_a_value_takes_the_first_experts(tools, row):
    # The rows beside it must not suffer.
    weights, indices = run(tools, [[1, 2, 3, 4, 5], row, [5, 4, 3, 2, 1]], 3)
    assert indices.tolist() == [[4, 3, 2], [0, 1, 2], [0, 1, 2]]
    assert np.isnan(weights[1]).all()
    assert np.isfinite(weights[[0, 2]]).all()


def test_softmax_gives_an_expert_at_minus_infinity_no_weight(tools):
    weights, indices = run(tools, [[-INF, 1, -INF, 2], [3, -INF, -INF, -INF]],
                           3)
    assert indices.tolist() == [[3, 1, 0], [0, 1, 2]]
    assert weights[0, 2] == 0 and weights[1].tolist() == [1, 0, 0]


def test_softmax_of_large_logits_does_not_overflow(tools):
    rows = np.array([[3e38, -3e38, 1], [-3e38, -3e38, -3e38],
                     [88, 89, 90]], np.float32)
    weights, indices = run(tools, rows, 2)
    expected = route(rows, 2)
    assert (indices == expected.indices).all()
    check_values(weights, expected.weights)


def test_sigmoid_selects_an_expert_at_nan_last(tools):
    weights, indices = run(tools, [[NAN, 1, 2, 0], [1, NAN, NAN, 0],
                                   [NAN, NAN, NAN, NAN]], 4, **SIGMOID)
    assert indices.tolist() == [[2, 1, 3, 0], [0, 3, 1, 2], [0, 1, 2, 3]]
    assert np.isnan(weights).tolist() == [[False, False, False, True],
                                          [False, False, True, True],
                                          [True] * 4]


def test_sigmoid_of_infinities_is_one_and_zero(tools):
    weights, indices = run(tools, [[-INF, 0, INF, 1]], 4, **SIGMOID)
    assert indices.tolist() == [[2, 3, 1, 0]]
    assert weights[0, 0] == 1 and weights[0, 3] == 0
    check_values(weights, route([[-INF, 0, INF, 1]], 4,
                                scoring="sigmoid").weights)


def test_sigmoid_decides_by_logits_where_the_scores_are_equal(tools):
    # In f32 the sigmoid of each is 1.
    _, indices = run(tools, [[30, 50, 40, 60]], 2, **SIGMOID)
    assert indices.tolist() == [[3, 1]]


def test_renormalized_scores_that_sum_to_zero_are_nan(tools):
    weights, _ = run(tools, [[-INF, -INF, -INF]], 2, renormalize=None,
                     **SIGMOID)
    assert np.isnan(weights).all()


def test_a_bias_at_infinity_selects_first_and_nan_last(tools):
    text = modules.route(4, 4, bias=True, **SIGMOID)
    logits = np.array([[3, 2, 1, 0]], np.float32)
    bias = np.array([NAN, 0, INF, -INF], np.float32)
    _, indices = tools.run(text, logits, bias, results=2)
    assert indices.tolist() == [[2, 1, 3, 0]]
