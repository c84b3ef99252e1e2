"""`route` limited to the best groups of experts."""

import math

import numpy as np
import pytest
from moe.reference import route


def test_published_group_limited_routing():
    got = route([list(range(8))], 2, scoring="sigmoid", bias=[10] + [0] * 7,
                groups=2, selected_groups=1, group_score="top2_sum",
                renormalize=True, scale=2)
    assert got.indices.tolist() == [[0, 3]]
    third = 1 / (1 + math.exp(-3))
    np.testing.assert_allclose(
        got.weights, [[2 * 0.5 / (0.5 + third), 2 * third / (0.5 + third)]])


def test_group_score_max_prefers_the_best_expert():
    logits = [[4, -9, 3, 3]]
    best = route(logits, 1, groups=2, selected_groups=1, group_score="max",
                 scoring="sigmoid")
    pair = route(logits, 1, groups=2, selected_groups=1, scoring="sigmoid",
                 group_score="top2_sum")
    assert (best.indices.item(), pair.indices.item()) == (0, 2)


def test_one_group_compares_logits():
    logits = [[-1000, 0, -900]]
    got = route(logits, 2, groups=1, selected_groups=1)
    assert got.indices.tolist() == route(logits, 2).indices.tolist()


def test_groups_match_a_plain_loop():
    random = np.random.default_rng(4)
    logits = random.normal(size=(60, 12))
    bias = random.normal(size=12)
    got = route(logits, 4, scoring="sigmoid", bias=bias, groups=4,
                selected_groups=2, group_score="top2_sum")
    for token, row in enumerate(logits):
        values = [1 / (1 + math.exp(-x)) + b for x, b in zip(row, bias)]
        parts = [sorted(values[3 * g:3 * g + 3]) for g in range(4)]
        best = sorted(range(4), key=lambda g: -sum(parts[g][1:]))[:2]
        allowed = [e for e in range(12) if e // 3 in best]
        allowed.sort(key=lambda e: -values[e])
        assert got.indices[token].tolist() == allowed[:4]


@pytest.mark.parametrize("arguments, message", [
    ({"groups": 2}, "expected groups and selected_groups together"),
    ({"groups": 3, "selected_groups": 1},
     r"expected groups to divide 4 \(experts\), but got 3"),
    ({"groups": 2, "selected_groups": 3},
     "expected selected_groups between 1 and 2 .*, but got 3"),
    ({"top_k": 3, "groups": 2, "selected_groups": 1},
     "expected top_k of at most 2 .*, but got 3"),
    ({"groups": 2, "selected_groups": 1, "group_score": "mean"},
     "expected group_score max or top2_sum, but got mean"),
    ({"groups": 4, "selected_groups": 2, "group_score": "top2_sum"},
     "expected at least 2 experts in a group for top2_sum, but got 1"),
])
def test_bad_arguments(arguments, message):
    with pytest.raises(ValueError, match=message):
        route(np.zeros((1, 4)), **{"top_k": 2, **arguments})
