"""The whole layer against a dense loop over all experts of one token."""

import math
from dataclasses import replace

import numpy as np
import pytest
from moe.config import LayerConfig
from moe.reference import layer

BASE = LayerConfig(hidden=6, experts=4, top_k=2, intermediate=3)


def random_inputs(config, tokens, seed=0):
    random = np.random.default_rng(seed)
    return {name: random.normal(size=[tokens if n is None else n
                                      for n in shape]).astype(np.float32)
            for name, shape in config.arguments()}


def block(config, x, w_up, w_down, b_up, b_down, interleaved):
    hidden = w_up @ x + b_up
    units = len(w_down[0])
    active = []
    for i in range(units):
        if config.activation == "swiglu":
            gate = hidden[2 * i if interleaved else i]
            up = hidden[2 * i + 1 if interleaved else units + i]
            active.append(gate / (1 + math.exp(-gate)) * up)
        elif config.activation == "gelu":
            a = hidden[i]
            inner = math.sqrt(2 / math.pi) * (a + 0.044715 * a**3)
            active.append(0.5 * a * (1 + math.tanh(inner)))
        else:
            active.append(max(hidden[i], 0)**2)
    return w_down @ np.array(active) + b_down


def dense_layer(config, inputs, indices, weights):
    """Each token through its experts, one after the other."""
    wide = {name: np.float64(array) for name, array in inputs.items()}
    out = []
    for token, x in enumerate(wide["x"]):
        total = np.zeros(config.hidden)
        for expert, weight in zip(indices[token], weights[token]):
            bias = (wide["b_gate_up"][expert], wide["b_down"][expert]) \
                if config.bias else (0, 0)
            total += weight * block(config, x, wide["w_gate_up"][expert],
                                    wide["w_down"][expert], *bias,
                                    config.interleaved_gate_up)
        if config.shared_experts:
            total += block(config, x, wide["w_shared_gate_up"],
                           wide["w_shared_down"], 0, 0, False)
        out.append(total)
    return np.array(out)


@pytest.mark.parametrize("options", [
    {},
    {"activation": "gelu", "bias": True},
    {"activation": "relu2", "shared_experts": 1},
    {"interleaved_gate_up": True, "bias": True, "shared_experts": 2},
    {"scoring": "sigmoid", "correction_bias": True, "groups": 2,
     "selected_groups": 1, "renormalize": True, "scale": 2.5},
    {"top_k": 4},
    {"experts": 1, "top_k": 1},
], ids=str)
def test_matches_the_dense_loop(options):
    config = replace(BASE, **options)
    inputs = random_inputs(config, 7)
    got = layer(config, inputs)
    want = dense_layer(config, inputs, got.indices, got.weights)
    np.testing.assert_allclose(got.out, want, atol=1e-12)


def test_top_k_of_all_experts_weighs_by_the_softmax():
    inputs = random_inputs(BASE, 3)
    got = layer(replace(BASE, top_k=4), inputs)
    np.testing.assert_allclose(got.weights.sum(axis=1), 1, rtol=1e-14)
    assert (np.diff(got.weights, axis=1) <= 0).all()


def test_given_indices_are_used_and_weighed_in_float64():
    inputs = random_inputs(BASE, 2)
    own = layer(BASE, inputs)
    given = np.array([[3, 3], [0, 2]])
    got = layer(BASE, inputs, given)
    assert got.indices.tolist() == given.tolist()
    want = dense_layer(BASE, inputs, given, got.weights)
    np.testing.assert_allclose(got.out, want, atol=1e-12)
    powers = np.exp(own.logits - own.logits.max(axis=1, keepdims=True))
    scores = powers / powers.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(got.weights,
                               np.take_along_axis(scores, given, axis=1))


def test_no_tokens():
    got = layer(BASE, random_inputs(BASE, 0))
    assert got.out.shape == (0, 6) and got.indices.shape == (0, 2)


def test_index_out_of_range():
    with pytest.raises(ValueError, match="expected indices between 0 and 3, "
                                         "but got 4 for token 1 in slot 2"):
        layer(BASE, random_inputs(BASE, 2), [[0, 1], [4, 1]])
