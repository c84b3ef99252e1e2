"""Derivatives of a layer's derivative against differences of the first."""

import subprocess

import numpy as np
import pytest
from moe.config import LayerConfig
from moe.inputs import layer_inputs
from moe.layer import layer_module
from moe.reference import layer_vjp

_STEP = 1e-5


def second_order_module(tools, config):
    """@layer_vjp_vjp: the derivative of all that @layer_vjp gives."""
    return subprocess.run(
        [tools.moe_opt, "--moe-differentiate=function=layer",
         "--moe-differentiate=function=layer_vjp",
         "--symbol-privatize=exclude=layer_vjp_vjp", "--symbol-dce"],
        input=layer_module(config), capture_output=True, text=True,
        check=True).stdout


@pytest.mark.parametrize("config", [
    LayerConfig(16, 4, 2, 8), LayerConfig(16, 4, 2, 8, renormalize=True),
    LayerConfig(16, 4, 3, 8, scoring="sigmoid", renormalize=True, scale=2.5,
                bias=True, activation="gelu", shared_experts=1),
    LayerConfig(16, 4, 2, 8, renormalize=True, renormalize_epsilon=0.25),
    LayerConfig(16, 4, 2, 8, scoring="sigmoid", renormalize=True,
                renormalize_epsilon=0.25),
    LayerConfig(16, 4, 2, 8, renormalize=True, renormalize_floor=0.7)],
    ids=["softmax", "renormalize", "sigmoid", "softmax-epsilon",
         "sigmoid-epsilon", "softmax-floor"])
def test_along_random_directions(tools, config):
    bundle = tools.compile(second_order_module(tools, config))
    random = np.random.default_rng(3)
    inputs = dict(layer_inputs(config, 5, 11))
    inputs["dout"] = random.normal(size=(5, 16)).astype(np.float32)
    names = list(inputs)
    indices = layer_vjp(config, inputs, inputs["dout"])[0].indices

    def first(values):
        outputs, gradients = layer_vjp(config, values, values["dout"], indices)
        return [outputs.out, *gradients.values()]

    cotangents = [random.normal(size=value.shape).astype(np.float32)
                  for value in first(inputs)]
    got = tools.run(bundle, *inputs.values(), *cotangents,
                    results=len(cotangents) + len(names))
    gradients = dict(zip(names, got[len(cotangents):]))
    for _ in range(4):
        direction = {name: random.normal(size=inputs[name].shape)
                     for name in names}
        ends = []
        for sign in (1, -1):
            moved = {name: inputs[name] + sign * _STEP * direction[name]
                     for name in names}
            ends.append(sum((value * c).sum()
                            for value, c in zip(first(moved), cotangents)))
        expected = (ends[0] - ends[1]) / (2 * _STEP)
        along = {name: (gradients[name] * direction[name]).sum()
                 for name in names}
        scale = sum(abs(value) for value in along.values())
        assert abs(sum(along.values()) - expected) <= 1e-4 * scale
