"""What keeps the sum of a renormalization away from 0: epsilon and floor."""

import modules
import numpy as np
import pytest
from moe.random import normal
from moe.reference import route_grad, route_weights

GUARDS = [{"epsilon": 1e-20}, {"epsilon": 0.5}, {"floor": 1e-12},
          {"floor": 0.75}, {"epsilon": 0.125, "floor": 0.5},
          {"epsilon": 2.0**-126}, {"floor": 2.0**-126}]
TARGETS = [(), ("target=minimal",), ("target=lavapipe reference=true",)]


def attributes(scoring, guards, scale=2.5):
    return {"scoring": f"#moe.scoring<{scoring}>", "renormalize": None,
            "scale": f"{float(scale)!r} : f64",
            **{name: f"{value:.17e} : f64" for name, value in guards.items()}}


def logits_of_all_sizes(tokens, experts):
    """Ordinary rows, and rows down to where a guard is all there is."""
    logits = normal((tokens, experts), 7)
    logits -= np.linspace(0, 120, tokens, dtype=np.float32)[:, None]
    return logits


def direct(logits, indices, scoring, epsilon=0, floor=0, scale=2.5):
    """The formula as published, where f64 has the range for it."""
    x = logits.astype(np.float64)
    scores = 1 / (1 + np.exp(-x)) if scoring == "sigmoid" else \
        np.exp(x) / np.exp(x).sum(axis=1, keepdims=True)
    chosen = np.take_along_axis(scores, indices, 1)
    total = chosen.sum(axis=1, keepdims=True)
    return scale * chosen / np.maximum(total + epsilon, floor)


@pytest.mark.parametrize("pipeline", TARGETS, ids=str)
@pytest.mark.parametrize("scoring", ["softmax", "sigmoid"])
@pytest.mark.parametrize("guards", GUARDS, ids=str)
def test_weights(tools, guards, scoring, pipeline):
    logits = logits_of_all_sizes(61, 6)
    # The bias takes the worst expert: softmax scores are small there, too.
    logits[:, 5] -= np.linspace(0, 95, 61, dtype=np.float32)
    bias = np.array([0, 0, 0, 0, 9, 19], np.float32)
    options = attributes(scoring, guards)
    weights, indices = tools.run(
        tools.compile(modules.route(6, 2, bias=True, **options), *pipeline),
        logits, bias, results=2)
    assert (indices == [5, 4]).all()
    want = direct(logits, indices, scoring, **guards)
    np.testing.assert_allclose(weights, want, rtol=2e-5, atol=2.0**-126)
    np.testing.assert_allclose(
        route_weights(logits, indices, scoring=scoring, renormalize=True,
                      scale=2.5, **guards), want, rtol=1e-12, atol=1e-200)
    if not pipeline:
        got = tools.run(modules.route_weights(6, 2, **options), logits, indices)
        np.testing.assert_allclose(got, want, rtol=2e-5, atol=2.0**-126)


@pytest.mark.parametrize("scoring", ["softmax", "sigmoid"])
@pytest.mark.parametrize("guards", GUARDS, ids=str)
def test_gradients(tools, guards, scoring):
    logits = logits_of_all_sizes(61, 6)
    logits[:, 4:] -= np.linspace(0, 95, 61, dtype=np.float32)[:, None]
    indices = np.tile(np.array([[5, 4, -1]], np.int32), (61, 1))
    dweights = normal((61, 3), 5)
    dweights[:, 2] = np.nan  # of a slot without an expert
    got = tools.run(modules.route_grad(6, 3, **attributes(scoring, guards)),
                    logits, indices, dweights)
    want = route_grad(logits, indices, dweights, scoring=scoring,
                      renormalize=True, scale=2.5, **guards)
    bound = np.abs(want) + np.abs(want).max(axis=1, keepdims=True) / 32
    assert (np.abs(got - want) <= 2e-5 * bound + 2.0**-126).all()


@pytest.mark.parametrize("scoring", ["softmax", "sigmoid"])
@pytest.mark.parametrize("guards", GUARDS[:5], ids=str)
def test_the_reference_against_differences(guards, scoring):
    # Near the guard, so that each of its parts has a share in the slope.
    logits = normal((5, 6), 3).astype(np.float64)
    if max(guards.values()) < 1e-3:
        logits[:, 4:] += np.log(max(guards.values()))
    indices = np.tile([[5, 4]], (5, 1))
    dweights = normal((5, 2), 5).astype(np.float64)
    got = route_grad(logits, indices, dweights, scoring=scoring,
                     renormalize=True, scale=2.5, **guards)
    for expert in range(6):
        ends = []
        for sign in (1, -1):
            moved = logits.copy()
            moved[:, expert] += sign * 1e-5
            weights = route_weights(moved, indices, scoring=scoring,
                                    renormalize=True, scale=2.5, **guards)
            ends.append((weights * dweights).sum(axis=1))
        np.testing.assert_allclose(got[:, expert],
                                   (ends[0] - ends[1]) / 2e-5, atol=1e-8)


def test_an_epsilon_hides_scores_below_it(tools):
    # Ports of DeepSeek-V3 add 1e-20, the vendor's own code nothing.
    logits = np.array([[-95, -96, -97, -98]], np.float32)
    bias = np.array([0, .3, .2, .1], np.float32)
    for guard in ({"epsilon": 1e-20}, {"floor": 1e-12}):
        weights, indices = tools.run(
            modules.route(4, 2, bias=True, **attributes("sigmoid", guard, 1.0)),
            logits, bias, results=2)
        assert indices.tolist() == [[1, 2]]
        value, = guard.values()
        np.testing.assert_allclose(
            weights, np.exp(np.array([[-96.0, -97.0]])) / value, rtol=1e-6)


@pytest.mark.parametrize("scoring", ["softmax", "sigmoid"])
def test_nothing_but_zero_scores_is_zero_with_a_guard(tools, scoring):
    logits = np.array([[200, -np.inf, -np.inf], [-200, -np.inf, -np.inf]],
                      np.float32)
    indices = np.array([[1, 2]] * 2, np.int32)
    for guards in ({"epsilon": 1e-20}, {"floor": 1e-12}):
        options = attributes(scoring, guards)
        assert not tools.run(modules.route_weights(3, 2, **options), logits,
                             indices).any()
        assert not tools.run(modules.route_grad(3, 2, **options), logits,
                             indices, np.ones((2, 2), np.float32)).any()
