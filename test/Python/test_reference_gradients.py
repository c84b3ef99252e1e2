"""The gradient operations and `layer_vjp`, against central differences."""

import numpy as np
import pytest
from moe.config import LayerConfig
from moe.reference import (activate, activate_vjp, combine,
                           combine_weight_grad, dispatch, grouped_matmul,
                           grouped_outer, grouped_reduce, layer, layer_vjp,
                           plan, route, route_grad, route_weights)

STEP = 1e-6


def differences(function, x, weights):
    """Central differences of sum(function(x) * weights), element by element."""
    result = np.empty(x.shape)
    for at in np.ndindex(*x.shape):
        ends = []
        for sign in (1, -1):
            moved = x.copy()
            moved[at] += sign * STEP
            ends.append((function(moved) * weights).sum())
        result[at] = (ends[0] - ends[1]) / (2 * STEP)
    return result


def random_plan(random, tokens=5, top_k=2, experts=4, dropped=True):
    """A plan with an empty expert, repeated experts and dropped slots."""
    indices = random.integers(-1 if dropped else 0, experts - 1,
                              (tokens, top_k)).astype(np.int32)
    return plan(indices, experts, out_of_range="drop")


@pytest.mark.parametrize("seed", range(3))
def test_products_and_sums_are_adjoint(seed):
    random = np.random.default_rng(seed)
    planned = random_plan(random)
    rows = planned.row_to_slot.size
    a, y = random.normal(size=(rows, 3)), random.normal(size=(rows, 6))
    matrices = random.normal(size=(4, 3, 6))
    product = grouped_matmul(a, matrices, planned.offsets)
    inner = (product * y).sum()
    outer = grouped_outer(a, y, planned.offsets)
    assert (outer * matrices).sum() == pytest.approx(inner)
    assert not outer[-1].any()  # the expert without rows
    assert (grouped_outer(a, y, planned.offsets, matrices)
            == outer + matrices).all()
    bias = random.normal(size=(4, 6))
    repeated = grouped_matmul(a[:, :0], matrices[:, :0], planned.offsets, bias)
    assert (grouped_reduce(y, planned.offsets) * bias).sum() == pytest.approx(
        (repeated * y).sum())


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("strategy", ["tree", "serial"])
def test_combine_weight_grad(seed, strategy):
    random = np.random.default_rng(seed)
    planned = random_plan(random)
    rows = random.normal(size=(planned.row_to_slot.size, 3))
    rows[planned.offsets[-1]:] = np.nan  # the tail is not read
    g = random.normal(size=(5, 3))
    weights = random.normal(size=(5, 2))
    got = combine_weight_grad(g, rows, planned, strategy=strategy)
    np.testing.assert_allclose(
        got, differences(lambda w: combine(rows, planned, w), weights, g),
        atol=1e-8)
    assert not got[planned.slot_to_row < 0].any()
    # dispatch is the adjoint of combine
    other = random.normal(size=rows.shape)
    other[planned.offsets[-1]:] = 0
    assert (dispatch(g, planned, weights) * other).sum() == pytest.approx(
        (combine(other, planned, weights) * g).sum())


@pytest.mark.parametrize("scoring", ["softmax", "sigmoid"])
@pytest.mark.parametrize("renormalize", [False, True])
@pytest.mark.parametrize("top_k", [1, 2, 4])
def test_route_grad(scoring, renormalize, top_k):
    random = np.random.default_rng(top_k)
    options = {"scoring": scoring, "renormalize": renormalize, "scale": 2.5}
    logits = random.normal(size=(6, 4))
    indices = random.integers(-1, 4, (6, top_k))
    indices[0] = -1  # a token all of whose slots are dropped
    g = random.normal(size=(6, top_k))
    got = route_grad(logits, indices, g, **options)
    np.testing.assert_allclose(
        got, differences(lambda x: route_weights(x, indices, **options),
                         logits, g), atol=1e-8)
    assert not got[0].any()


def test_route_grad_by_hand():
    logits = np.log(np.array([[1.0, 2.0, 4.0, 8.0]]) / 15)
    got = route_grad(logits, [[3, 2]], [[1.0, -2.0]], renormalize=True,
                     scale=2.5)
    # D = 12/15, mean = (8 - 2 * 4)/15 = 0, ds = 2.5 * 15/12 * (1, -2)
    expected = 2.5 * np.array([[0, 0, -2 * 4 / 12, 8 / 12]])
    np.testing.assert_allclose(got, expected, atol=1e-12)


@pytest.mark.parametrize("name, interleaved", [
    ("swiglu", False), ("swiglu", True), ("gelu", False), ("relu2", False)])
def test_activate_vjp(name, interleaved):
    random = np.random.default_rng(0)
    hidden = random.normal(size=(4, 6))
    g = random.normal(size=activate(name, hidden).shape)
    np.testing.assert_allclose(
        activate_vjp(name, hidden, g, interleaved=interleaved),
        differences(lambda h: activate(name, h, interleaved=interleaved),
                    hidden, g), atol=1e-8)


@pytest.mark.parametrize("options", [
    {},
    {"renormalize": True, "scale": 2.5, "bias": True, "top_k": 3},
    {"scoring": "sigmoid", "renormalize": True, "activation": "gelu",
     "shared_experts": 2},
    {"correction_bias": True, "groups": 2, "selected_groups": 1,
     "interleaved_gate_up": True, "shared_experts": 1},
    {"activation": "relu2", "top_k": 1},
    {"scoring": "sigmoid", "scale": 0.5, "top_k": 4},
    {"scoring": "softmax", "top_k": 4, "bias": True},
])
def test_layer_vjp(options):
    config = LayerConfig(**{"hidden": 5, "experts": 4, "top_k": 2,
                            "intermediate": 3, **options})
    random = np.random.default_rng(len(options))
    inputs = {name: random.normal(size=[3 if n is None else n for n in shape])
              for name, shape in config.arguments()}
    dout = random.normal(size=(3, 5))
    dweights = random.normal(size=(3, config.top_k))
    outputs, gradients = layer_vjp(config, inputs, dout, dweights=dweights)
    assert list(gradients) == [name for name, _ in config.arguments()]
    for name, gradient in gradients.items():
        if name == "correction_bias":
            assert not gradient.any()
            continue
        expected = differences(
            lambda value, name=name: np.hstack(
                layer(config, {**inputs, name: value}, outputs.indices)[:2]),
            inputs[name], np.hstack([dout, dweights]))
        np.testing.assert_allclose(gradient, expected, atol=2e-7,
                                   err_msg=name)


def test_no_token_gives_zero_weight_gradients():
    config = LayerConfig(5, 4, 2, 3)
    inputs = {name: np.zeros([n or 0 for n in shape])
              for name, shape in config.arguments()}
    _, gradients = layer_vjp(config, inputs, np.zeros((0, 5)))
    assert gradients["x"].shape == (0, 5)
    assert all(not g.any() for g in gradients.values())
    assert route(np.zeros((0, 4)), 2).indices.shape == (0, 2)
