"""Backward passes that went wrong elsewhere, each by the name of its case.

Memory is poisoned by an earlier run of the session on NaN, in the same places.
"""

import hashlib
from functools import partial

import modules
import numpy as np
import pytest
from adjoint import derivatives, differentiate
from moe.config import LayerConfig
from moe.derivative import vjp_module
from moe.inputs import layer_inputs
from moe.printer import Value, names, operation
from moe.random import normal
from moe.reference import layer, plan


def poison(run, arguments):
    """Run on NaN, which the first experts get and all results have some of."""
    for result in run(*(
            np.full_like(a, np.nan) if a.dtype == np.float32 else a
            for a in arguments)):
        assert result.dtype != np.float32 or np.isnan(result).any()


def vjp_arguments(config, inputs, dout):
    """The arguments of a layer's derivative."""
    return [*inputs.values(), dout, *[np.zeros(
        (len(dout), config.top_k), np.float32)] * config.return_routing]


@pytest.mark.parametrize("save", ["all", "minimal"])
def test_tail_2_backward_twice_in_poisoned_memory(tools, session, save):
    # Of 64 experts most have no rows, and NaN goes to the first ones.
    config = LayerConfig(36, 64, 2, 20, bias=True, shared_experts=1)
    inputs = layer_inputs(config, 7, 7)
    arguments = vjp_arguments(config, inputs, normal((7, 36), 1))
    run = session(vjp_module(config, tools.moe_opt, save=save)).run
    first = run(*arguments)
    poison(run, arguments)
    again = run(*arguments)
    for a, b in zip(first, again, strict=True):
        assert np.isfinite(a).all() and a.any()
        np.testing.assert_array_equal(a.view(np.int32), b.view(np.int32))


def test_empty_2_most_experts_have_no_rows(tools, session):
    config = LayerConfig(24, 256, 2, 8, bias=True, return_routing=True)
    inputs = layer_inputs(config, 16, 7)
    run = session(vjp_module(config, tools.moe_opt)).run
    # NaN in the gradients of other experts, which have no rows afterwards.
    other = {**inputs, "x": -inputs["x"]}
    _, _, before, *poisoned = run(*vjp_arguments(
        config, other, np.full((16, 24), np.nan, np.float32)))
    _, _, indices, *got = run(*vjp_arguments(config, inputs,
                                             normal((16, 24), 1)))
    count = np.bincount(indices.reshape(-1), minlength=256)
    assert (count == 0).sum() >= 224
    stale = before[count[before] == 0]
    assert len(stale) > 20 and np.isnan(poisoned[3][stale]).all()
    for name, gradient in zip(inputs, got, strict=True):
        if name.startswith(("w_", "b_")):
            of_expert = gradient.reshape(256, -1)
            assert not of_expert[count == 0].any(), name
            assert of_expert[count > 0].any(axis=1).all(), name


def test_zero_1_no_tokens(tools, session):
    config = LayerConfig(36, 5, 2, 20, bias=True, shared_experts=1)
    both = session(derivatives(tools, config, "minimal"))
    forward = partial(both.run, entry="layer_fwd")
    backward = partial(both.run, entry="layer_bwd")
    inputs = layer_inputs(config, 33, 7)
    dout = normal((33, 36), 1)
    out, *residuals = forward(*inputs.values())
    poison(forward, list(inputs.values()))
    poison(backward, [*inputs.values(), *residuals, dout])

    inputs = list({**inputs, "x": np.zeros((0, 36), np.float32)}.values())
    out, *residuals = forward(*inputs)
    assert out.shape == (0, 36)
    offsets, = [r for r in residuals if r.shape == (6,)]
    assert offsets.dtype == np.int32 and not offsets.any()
    dx, *rest = backward(*inputs, *residuals, dout[:0])
    assert dx.shape == (0, 36)
    assert not any(gradient.any() for gradient in rest)


def test_repeat_1_one_hash(session):
    random = np.random.default_rng(1)
    p = plan(random.integers(-1, 9, (70, 4), np.int32), 9, out_of_range="drop")
    run = session(modules.combine(19, 9, 4)).run
    given = [normal((280, 19), 1), *p[:3], normal((70, 4), 2)]
    hashes = set()
    for i in range(100):
        if i % 10 == 9:
            poison(run, given)
        hashes.add(hashlib.sha1(run(*given)[0]).digest())
    assert len(hashes) == 1


def test_grad_1_each_weight_is_applied_once(tools, session):
    # Logits of log 9 and 0, so weights of .9 and .1, for experts 2 and 0.
    config = LayerConfig(5, 4, 2, 3, renormalize=True, return_routing=True)
    inputs = dict(layer_inputs(config, 3, 7))
    inputs["x"] = np.array(inputs["x"])
    inputs["x"][:, 0] = 1
    inputs["router"] = np.zeros((5, 4), np.float32)
    inputs["router"][0] = [0, -30, np.log(9), -30]
    w = [normal((3, 5), 1), normal((3, 2), 2)]
    out, weights, indices, *got = session(
        vjp_module(config, tools.moe_opt)).run(*inputs.values(), *w)
    assert (indices == [2, 0]).all()
    np.testing.assert_allclose(weights, np.tile([.9, .1], (3, 1)), rtol=1e-6)

    def loss(name, value):
        results = layer(config, {**inputs, name: value}, indices)
        return sum((r * c).sum() for r, c in zip(results[:2], w))

    for (name, value), gradient in zip(inputs.items(), got, strict=True):
        expected = np.empty(value.shape)
        for at in np.ndindex(*value.shape):
            ends = []
            for step in (1e-5, -1e-5):
                moved = value.astype(np.float64)
                moved[at] += step
                ends.append(loss(name, moved))
            expected[at] = (ends[0] - ends[1]) / 2e-5
        error = np.abs(gradient - expected).max()
        assert error <= 2e-6 * np.abs(expected).max(), name


def test_experts_that_are_the_identity_pass_the_gradient_on(tools, session):
    # Weights of 1/4 and 3/4 applied once sum to 1; twice they would to 5/8.
    x, rows, y = (Value(name, (None, 4)) for name in ("x", "rows", "y"))
    maps, w = modules.maps(2, 2), Value("w", (None, 2))
    text = modules.module("identity", [x, *maps, w], [y], [
        *operation([rows], f"moe.dispatch {x}, {names(maps)}", [x, *maps]),
        *operation([y], f"moe.combine {rows}, {names(maps)} weights {w}",
                   [rows, *maps, w])])
    p = plan(np.array([[0, 1], [1, 0], [1, 1]]), 2)
    w = np.tile(np.float32([.25, .75]), (3, 1))
    x = normal((3, 4), 1)
    _, dx, dw = session(differentiate(tools, text)).run(
        x, *p[:3], w, np.ones((3, 4), np.float32))
    assert (dx == 1).all()
    np.testing.assert_allclose(dw, np.tile(x.sum(1)[:, None], 2), rtol=1e-6)
