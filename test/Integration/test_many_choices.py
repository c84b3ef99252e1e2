"""Tokens that take up to 32 experts, the most there may be."""

import modules
import numpy as np
import pytest
from moe.config import LayerConfig
from moe.derivative import vjp_module
from moe.inputs import layer_inputs
from moe.layer import layer_module
from moe.reference import (check_maps, combine, combine_weight_grad, layer,
                           layer_vjp, plan)
from moe.testing import check_values

TARGETS = [(), ("target=minimal",)]
TOP_K = [17, 31, 32]
TOKENS = [0, 1, 33]
EXPERTS = 40


def config_of(top_k):
    return LayerConfig(16, EXPERTS, top_k, 8, scoring="sigmoid",
                       return_routing=True)


@pytest.mark.parametrize("pipeline", TARGETS, ids=str)
@pytest.mark.parametrize("top_k", TOP_K)
def test_layers(tools, top_k, pipeline):
    config = config_of(top_k)
    bundle = tools.compile(layer_module(config), *pipeline)
    for tokens in TOKENS:
        inputs = layer_inputs(config, tokens, top_k)
        out, weights, indices = tools.run(bundle, *inputs.values(), results=3)
        want = layer(config, inputs, indices)
        np.testing.assert_array_equal(indices, layer(config, inputs).indices)
        check_values(weights, want.weights)
        check_values(out, want.out)


@pytest.mark.parametrize("pipeline", TARGETS, ids=str)
@pytest.mark.parametrize("top_k", TOP_K)
def test_gradients_of_layers(tools, top_k, pipeline):
    config = LayerConfig(16, EXPERTS, top_k, 8, scoring="sigmoid")
    bundle = tools.compile(vjp_module(config, tools.moe_opt), *pipeline)
    names = [name for name, _ in config.arguments()]
    for tokens in TOKENS:
        inputs = layer_inputs(config, tokens, top_k)
        dout = np.random.default_rng(tokens).normal(
            size=(tokens, config.hidden)).astype(np.float32)
        outputs, gradients = layer_vjp(config, inputs, dout)
        got = tools.run(bundle, *inputs.values(), dout,
                        results=1 + len(names))
        for value, want in zip(got, [outputs.out, *gradients.values()]):
            error = np.abs(value - want).max(initial=0)
            assert error <= 3e-5 * np.abs(want).max(initial=0)


@pytest.mark.parametrize("pipeline", TARGETS, ids=str)
@pytest.mark.parametrize("order", ["expert", "slot"])
@pytest.mark.parametrize("top_k", TOP_K)
def test_combine_bit_for_bit(tools, top_k, order, pipeline):
    random = np.random.default_rng(top_k)
    bundle = tools.compile(modules.combine(
        5, EXPERTS, top_k, order=f"#moe.combine_order<{order}>"), *pipeline)
    for tokens in TOKENS:
        # Slots are dropped and experts named twice.
        indices = random.integers(-1, EXPERTS, (tokens, top_k), np.int32)
        p = plan(indices, EXPERTS, out_of_range="drop")
        rows = random.normal(size=(tokens * top_k, 5)).astype(np.float32)
        weights = random.normal(size=(tokens, top_k)).astype(np.float32)
        got = tools.run(bundle, rows, p.offsets, p.slot_to_row, p.row_to_slot,
                        weights)
        want = combine(rows, p, weights, order=order, element_type="f32")
        np.testing.assert_array_equal(got.view(np.int32), want.view(np.int32))


@pytest.mark.parametrize("pipeline", TARGETS, ids=str)
@pytest.mark.parametrize("top_k", TOP_K)
def test_plans_maps_and_gradients_of_weights(tools, top_k, pipeline):
    random = np.random.default_rng(top_k)
    bundles = [tools.compile(text, *pipeline) for text in (
        modules.plan(EXPERTS, top_k, drop=True),
        modules.combine_weight_grad(5, EXPERTS, top_k))]
    for tokens in TOKENS:
        indices = random.integers(-1, EXPERTS, (tokens, top_k), np.int32)
        p = plan(indices, EXPERTS, out_of_range="drop")
        for got, want in zip(tools.run(bundles[0], indices, results=4), p[:4]):
            np.testing.assert_array_equal(got, want)
        assert check_maps(p.slot_to_row, p.row_to_slot).fault is None
        # Maps that are arguments are checked before they are used.
        grad = random.normal(size=(tokens, 5)).astype(np.float32)
        rows = random.normal(size=(tokens * top_k, 5)).astype(np.float32)
        got = tools.run(bundles[1], grad, rows, p.offsets, p.slot_to_row,
                        p.row_to_slot)
        want = combine_weight_grad(grad, rows, p)
        assert np.abs(got - want).max(initial=0) <= 1e-5
