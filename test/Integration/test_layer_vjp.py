"""Whole layers' derivatives against float64, with any number of tokens."""

import numpy as np
import pytest
from moe.config import LayerConfig
from moe.derivative import vjp_module
from moe.inputs import layer_inputs
from moe.reference import layer_vjp, route

_SEED = 7
# Of the largest magnitude of the whole result, and of a row or an expert.
_TOLERANCE = 3e-5
_PART_TOLERANCE = 1e-4

_CONFIGS = {
    "swiglu": LayerConfig(64, 4, 2, 128),
    "odd": LayerConfig(97, 7, 3, 41, renormalize=True),
    "one-expert": LayerConfig(64, 1, 1, 32),
    "all-experts": LayerConfig(64, 4, 4, 32, scoring="sigmoid", scale=2.5),
    "everything": LayerConfig(
        48, 8, 2, 20, bias=True, correction_bias=True, shared_experts=2,
        groups=4, selected_groups=2, scoring="sigmoid", renormalize=True,
        scale=2.5, interleaved_gate_up=True),
    "epsilon": LayerConfig(32, 6, 2, 24, renormalize=True,
                           renormalize_epsilon=0.25),
    "floor": LayerConfig(32, 6, 2, 24, scoring="sigmoid", renormalize=True,
                         renormalize_floor=1.25),
    "gelu": LayerConfig(32, 6, 2, 24, activation="gelu", bias=True),
    "relu2": LayerConfig(32, 6, 2, 24, activation="relu2", shared_experts=1),
}


def check(name, got, want):
    """Compare a result as a whole, and by its first dimension."""
    assert got.shape == want.shape, name
    if not want.size:
        return
    error = np.abs(got - want)
    assert error.max() <= _TOLERANCE * np.abs(want).max(), name
    if want.ndim > 1:
        axes = tuple(range(1, want.ndim))
        largest = np.abs(want).max(axis=axes)
        # A part that cancels to next to nothing has no digits to compare.
        floor = 1e-3 * largest.max()
        assert (error.max(axis=axes)
                <= _PART_TOLERANCE * np.maximum(largest, floor)).all(), name


def check_gradients(tools, config, save, tokens):
    bundle = tools.compile(vjp_module(config, tools.moe_opt, save=save))
    names = [argument for argument, _ in config.arguments()]
    inputs = layer_inputs(config, tokens, _SEED)
    dout = np.random.default_rng(tokens).normal(
        size=(tokens, config.hidden)).astype(np.float32)
    outputs, gradients = layer_vjp(config, inputs, dout)
    got = tools.run(bundle, *inputs.values(), dout, results=1 + len(names))
    check("out", got[0], outputs.out)
    for argument, gradient in zip(names, got[1:]):
        check(argument, gradient, gradients[argument])


@pytest.mark.parametrize("tokens", [1, 7, 33])
@pytest.mark.parametrize("save", ["all", "minimal"])
@pytest.mark.parametrize("name", list(_CONFIGS))
def test_gradients_equal_float64(tools, name, save, tokens):
    check_gradients(tools, _CONFIGS[name], save, tokens)


@pytest.mark.parametrize("save", ["all", "minimal"])
@pytest.mark.parametrize("name", list(_CONFIGS))
def test_without_tokens(tools, name, save):
    check_gradients(tools, _CONFIGS[name], save, 0)


def test_runs_are_identical(tools):
    config = _CONFIGS["swiglu"]
    bundle = tools.compile(vjp_module(config, tools.moe_opt))
    inputs = layer_inputs(config, 65, _SEED)
    runs = [tools.run(bundle, *inputs.values(), inputs["x"], results=5)
            for _ in range(3)]
    for run in runs[1:]:
        for first, again in zip(runs[0], run):
            np.testing.assert_array_equal(first.view(np.int32),
                                          again.view(np.int32))


def test_an_expert_without_tokens_has_zero_gradients(tools):
    config = _CONFIGS["swiglu"]
    inputs = dict(layer_inputs(config, 9, _SEED))
    inputs["x"] = np.abs(inputs["x"])
    inputs["router"] = inputs["router"].copy()
    inputs["router"][:, 2] = -10.0  # so that no token takes expert 2
    assert not (route(inputs["x"] @ inputs["router"], 2).indices == 2).any()
    bundle = tools.compile(vjp_module(config, tools.moe_opt))
    got = tools.run(bundle, *inputs.values(), inputs["x"], results=5)
    assert not got[3][2].any() and not got[4][2].any()
    assert got[3][0].any()
