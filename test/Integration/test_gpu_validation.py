"""Runs under GPU-assisted validation, which sees accesses out of bounds."""

import modules
import numpy as np
import pytest
from moe.config import LayerConfig
from moe.layer import layer_module
from moe.random import normal
from moe.testing import check_layer, layer_inputs

OPTIONS = ["--validate=gpu"]  # the last one given counts


@pytest.mark.parametrize("tokens", [0, 33])
def test_layer(tools, tokens):
    config = LayerConfig(64, 4, 2, 128, return_routing=True)
    inputs = layer_inputs(config, tokens, 7)
    got = tools.run(layer_module(config), *inputs.values(), results=3,
                    options=OPTIONS)
    names = [name for name, _, _ in config.results()]
    check_layer(dict(zip(names, got)), inputs, config)


def test_indices_that_are_no_expert(tools):
    indices = np.array([[0, 2**31 - 1], [-2**31, 3], [4, -1]], np.int32)
    tools.run(modules.plan(4, 2, drop=True), indices, results=4,
              options=OPTIONS)
    tools.fault(modules.plan(4, 2), indices, status=3, options=OPTIONS)


@pytest.mark.parametrize("offsets", [[0, 1000, -5, 2**31 - 1, 7]], ids=str)
def test_offsets_that_are_no_prefix(tools, offsets):
    lhs, rhs = normal((50, 8), 1), normal((4, 12, 8), 2)
    tools.fault(modules.grouped_matmul(4, 8, 12, transposed=True), lhs, rhs,
                np.array(offsets, np.int32), status=3, options=OPTIONS)
