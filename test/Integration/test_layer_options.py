"""Whole layers with each option, and with many."""

import numpy as np
import pytest
from moe.config import LayerConfig
from moe.layer import layer_module
from moe.reference import layer
from moe.testing import check_layer, check_values, layer_inputs

OPTIONS = {
    "sigmoid": {"scoring": "sigmoid"},
    "renormalize": {"renormalize": True},
    "scale": {"scale": 2.5},
    "sigmoid, renormalize, scale": {"scoring": "sigmoid", "renormalize": True,
                                    "scale": 1.75},
    "bias": {"bias": True},
    "one shared expert": {"shared_experts": 1},
    "three shared experts": {"shared_experts": 3},
    "correction bias": {"correction_bias": True},
    "correction bias, sigmoid": {"correction_bias": True,
                                 "scoring": "sigmoid"},
    "groups by top2": {"groups": 4, "selected_groups": 2},
    "groups by max": {"groups": 4, "selected_groups": 2, "group_score": "max"},
    "interleaved": {"interleaved_gate_up": True},
    "gelu": {"activation": "gelu"},
    "relu2": {"activation": "relu2"},
    "gelu, bias, shared": {"activation": "gelu", "bias": True,
                           "shared_experts": 2},
    "relu2, bias": {"activation": "relu2", "bias": True},
    # The router of DeepSeek-V3.
    "everything": {"scoring": "sigmoid", "renormalize": True, "scale": 2.5,
                   "correction_bias": True, "groups": 4, "selected_groups": 2,
                   "shared_experts": 1, "interleaved_gate_up": True,
                   "bias": True},
}


@pytest.mark.parametrize("name", OPTIONS)
def test_layer_with_an_option_equals_float64(tools, name):
    config = LayerConfig(40, 8, 3, 24, return_routing=True, **OPTIONS[name])
    program = tools.compile(layer_module(config))
    names = [result for result, _, _ in config.results()]
    for tokens in (33, 1, 0):
        inputs = layer_inputs(config, tokens, 11)
        outputs = tools.run(program, *inputs.values(), results=3)
        check_layer(dict(zip(names, outputs)), inputs, config)


def test_a_layer_without_its_routing_gives_the_same_numbers(tools):
    config = LayerConfig(40, 8, 3, 24)
    inputs = layer_inputs(config, 33, 11)
    got = tools.run(layer_module(config), *inputs.values())
    check_values(got, layer(config, inputs).out)


def test_all_rows_at_one_expert(tools):
    config = LayerConfig(40, 8, 1, 24, return_routing=True)
    inputs = dict(layer_inputs(config, 100, 11))
    inputs["x"] = np.abs(inputs["x"])
    inputs["router"] = np.zeros((40, 8), np.float32)
    inputs["router"][:, 5] = 1
    outputs = tools.run(layer_module(config), *inputs.values(), results=3)
    assert (outputs[2] == 5).all()
    check_layer(dict(zip(["out", "weights", "indices"], outputs)), inputs,
                config)


def test_a_token_of_nan_spoils_no_other(tools):
    config = LayerConfig(40, 8, 2, 24)
    inputs = dict(layer_inputs(config, 33, 11))
    right = tools.run(layer_module(config), *inputs.values())
    inputs["x"] = inputs["x"].copy()
    inputs["x"][7, 3] = np.nan
    got = tools.run(layer_module(config), *inputs.values())
    assert np.isnan(got[7]).all()
    others = np.arange(33) != 7
    np.testing.assert_array_equal(got[others].view(np.int32),
                                  right[others].view(np.int32))
