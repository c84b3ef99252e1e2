"""`moe.route` against float64, on ordinary logits."""

import modules
import numpy as np
import pytest
from moe.random import normal
from moe.reference import route, route_weights
from moe.testing import check_values

SIGMOID = "#moe.scoring<sigmoid>"
TOP2_SUM = "#moe.group_score<top2_sum>"


def check_route(tools, logits, top_k, bias=None, **options):
    """Compare with the reference; `options` are those of the reference."""
    attributes = {}
    if options.get("scoring") == "sigmoid":
        attributes["scoring"] = SIGMOID
    if options.get("renormalize"):
        attributes["renormalize"] = None
    if "scale" in options:
        attributes["scale"] = f"{options['scale']} : f64"
    for name in ("groups", "selected_groups"):
        if name in options:
            attributes[name] = f"{options[name]} : i64"
    if options.get("group_score") == "top2_sum":
        attributes["group_score"] = TOP2_SUM
    text = modules.route(logits.shape[1], top_k, bias=bias is not None,
                         **attributes)
    inputs = [logits] if bias is None else [logits, bias]
    weights, indices = tools.run(text, *inputs, results=2)
    expected = route(logits, top_k, bias=bias, **options)
    np.testing.assert_array_equal(indices, expected.indices)
    selection = {key: options[key] for key in ("scoring", "renormalize",
                                               "scale") if key in options}
    check_values(weights, route_weights(logits, indices, **selection))
    return weights, indices


# Below, at and above the width of a subgroup; and the most experts.
@pytest.mark.parametrize("experts, top_k", [
    (1, 1), (2, 2), (7, 3), (8, 8), (9, 2), (32, 4), (33, 16), (257, 8),
    (1024, 5)])
@pytest.mark.parametrize("scoring", ["softmax", "sigmoid"])
def test_experts_are_selected_by_their_logits(tools, experts, top_k, scoring):
    logits = normal((45, experts), experts)
    check_route(tools, logits, top_k, scoring=scoring, renormalize=True)


def test_all_experts_can_be_selected(tools):
    check_route(tools, normal((45, 40), 1), 40)


def test_no_tokens(tools):
    weights, indices = check_route(tools, np.zeros((0, 8), np.float32), 2)
    assert weights.shape == indices.shape == (0, 2)


@pytest.mark.parametrize("scoring", ["softmax", "sigmoid"])
@pytest.mark.parametrize("renormalize", [False, True])
def test_weights_are_scaled(tools, scoring, renormalize):
    check_route(tools, normal((45, 12), 2), 3, scoring=scoring,
                renormalize=renormalize, scale=2.5)


@pytest.mark.parametrize("scoring", ["softmax", "sigmoid"])
def test_a_bias_decides_the_selection_but_not_the_weights(tools, scoring):
    bias = np.zeros(12, np.float32)
    bias[9] = 5.0
    _, indices = check_route(tools, normal((45, 12), 3), 3, bias=bias,
                             scoring=scoring)
    assert (indices[:, 0] == 9).all()


@pytest.mark.parametrize("group_score", ["max", "top2_sum"])
@pytest.mark.parametrize("scoring", ["softmax", "sigmoid"])
@pytest.mark.parametrize("experts, groups, selected_groups, top_k", [
    (8, 4, 2, 3), (64, 8, 4, 8), (12, 3, 1, 4), (16, 1, 1, 3), (30, 5, 5, 7)])
def test_only_the_best_groups_take_part(tools, group_score, scoring, experts,
                                        groups, selected_groups, top_k):
    _, indices = check_route(
        tools, normal((45, experts), experts), top_k, scoring=scoring,
        groups=groups, selected_groups=selected_groups,
        group_score=group_score)
    used = [len(set(row)) for row in indices // (experts // groups)]
    assert max(used) <= selected_groups


def test_groups_are_judged_with_the_bias(tools):
    bias = np.array([0, 0, 0, 0, 0, 0, 9, 9], np.float32)
    _, indices = check_route(
        tools, normal((45, 8), 4), 2, bias=bias, scoring="sigmoid",
        renormalize=True, scale=2.5, groups=4, selected_groups=2,
        group_score="top2_sum")
    assert (indices >= 6).all()
