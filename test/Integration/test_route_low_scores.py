"""Routing weights where scores are below the range of an f32, or next to 1."""

import modules
import numpy as np
import pytest
from moe.reference import route_grad, route_weights

SIGMOID = {"scoring": "#moe.scoring<sigmoid>"}
RENORMALIZED = {"renormalize": None}
SELECTION = np.array([0, .3, .2, .1], np.float32)
TARGETS = [(), ("target=minimal",), ("target=lavapipe reference=true",)]

# Logits, the selection's bias, and the two weights; experts 1 and 2 are
# selected. For softmax an expert 90 above them takes all of the scores.
LOW = {
    "sigmoid-95": (SIGMOID, [-95, -96, -97, -98], SELECTION, -96, -97),
    "sigmoid-88": (SIGMOID, [-88, -88.5, -89, -90], SELECTION, -88.5, -89),
    "sigmoid-300": (SIGMOID, [-1, -300, -300.5, 0], [-9, 2, 1.9, -9], -300,
                    -300.5),
    "sigmoid-and-0": (SIGMOID, [9, 0.25, -80, 9], [-9, 9, 8, -9], None, None),
    "softmax-90": ({}, [0, -90, -90.5, 0], [-9, 2, 1.9, -9], -90, -90.5),
    "softmax-150": ({}, [50, -100, -101, 0], [-9, 2, 1.9, -9], -100, -101),
}


def expected_weights(name, logits):
    _, _, _, first, second = LOW[name]
    if first is None:
        return route_weights(np.array([logits]), [[1, 2]], scoring="sigmoid",
                             renormalize=True)[0]
    ratio = np.exp(np.float64(second) - first)
    return np.array([1, ratio]) / (1 + ratio)


@pytest.mark.parametrize("pipeline", TARGETS, ids=str)
@pytest.mark.parametrize("name", LOW)
def test_renormalized_weights_are_the_exact_ratio(tools, name, pipeline):
    options, logits, bias, _, _ = LOW[name]
    bundle = tools.compile(modules.route(4, 2, bias=True, **options,
                                         **RENORMALIZED), *pipeline)
    weights, indices = tools.run(bundle, np.array([logits], np.float32),
                                 np.array(bias, np.float32), results=2)
    assert indices.tolist() == [[1, 2]]
    np.testing.assert_allclose(weights[0], expected_weights(name, logits),
                               rtol=1e-6)


@pytest.mark.parametrize("name", LOW)
def test_weights_of_a_given_selection_are_the_same(tools, name):
    options, logits, _, _, _ = LOW[name]
    weights = tools.run(modules.route_weights(4, 2, **options, **RENORMALIZED),
                        np.array([logits], np.float32),
                        np.array([[1, 2]], np.int32))
    np.testing.assert_allclose(weights[0], expected_weights(name, logits),
                               rtol=1e-6)


@pytest.mark.parametrize("dweights", [[1, 0], [1, -.5], [1000, -500]], ids=str)
@pytest.mark.parametrize("first", [-95, -84])
def test_gradients_of_low_renormalized_scores(tools, first, dweights):
    logits = np.array([first - np.arange(4)], np.float32)
    got = tools.run(modules.route_grad(4, 2, **SIGMOID, **RENORMALIZED), logits,
                    np.array([[1, 2]], np.int32),
                    np.array([dweights], np.float32))[0]
    share = 1 / (1 + np.exp(-1))
    want = share * (1 - share) * (dweights[0] - dweights[1])
    np.testing.assert_allclose(got, [0, want, -want, 0], rtol=1e-6)
    if dweights == [1, -.5]:
        np.testing.assert_allclose(got[1], .295, rtol=1e-3)


def test_gradients_of_low_softmax_scores(tools):
    got = tools.run(modules.route_grad(4, 2, **RENORMALIZED),
                    np.array([[0, -90, -90.5, 0]], np.float32),
                    np.array([[1, 2]], np.int32),
                    np.array([[1, 0]], np.float32))[0]
    share = 1 / (1 + np.exp(-.5))
    want = share * (1 - share)
    np.testing.assert_allclose(got, [0, want, -want, 0], rtol=1e-6)


@pytest.mark.parametrize("x, want", [
    (8, 3.3524e-4), (15, 3.0590e-7), (17, 4.1399e-8), (20, 2.0612e-9),
    (-15, 3.0590e-7)])
def test_slopes_of_sigmoid_scores(tools, x, want):
    got = tools.run(modules.route_grad(1, 1, **SIGMOID),
                    np.array([[x]], np.float32), np.zeros((1, 1), np.int32),
                    np.ones((1, 1), np.float32))[0, 0]
    power = np.exp(-abs(np.float64(x)))
    exact = power / (1 + power)**2
    assert abs(exact - want) < 1e-4 * want
    assert abs(got - exact) <= 1e-6 * exact


# One score is next to 1: the others' shares are what is left of it.
@pytest.mark.parametrize("scoring", ["softmax", "sigmoid"])
@pytest.mark.parametrize("renormalize", [False, True])
@pytest.mark.parametrize("gap", [10, 17, 20, 40])
def test_gradients_next_to_a_score_of_one(tools, scoring, renormalize, gap):
    logits = np.array([[gap / 2, -gap / 2, -gap / 2 - 1]], np.float32)
    indices = np.array([[0, 1]], np.int32)
    dweights = np.array([[1.5, 0.25]], np.float32)
    options = {"scoring": f"#moe.scoring<{scoring}>",
               **(RENORMALIZED if renormalize else {})}
    got = tools.run(modules.route_grad(3, 2, **options), logits, indices,
                    dweights)
    want = route_grad(logits, indices, dweights, scoring=scoring,
                      renormalize=renormalize)
    np.testing.assert_allclose(got, want, rtol=4e-6, atol=0)


def test_an_expert_alone_has_no_gradient(tools):
    got = tools.run(modules.route_grad(4, 1, **SIGMOID, **RENORMALIZED),
                    np.array([[-95, 0, 0, 0]], np.float32),
                    np.zeros((1, 1), np.int32), np.ones((1, 1), np.float32))
    assert got.tolist() == [[0, 0, 0, 0]]
