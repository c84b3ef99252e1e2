"""Runs under GPU-assisted validation, which sees accesses out of bounds."""

import modules
import numpy as np
import pytest
from moe.config import LayerConfig
from moe.layer import layer_module
from moe.random import normal
from moe.reference import plan, route_grad, route_weights
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


@pytest.mark.parametrize("value", [1000, 99999, 2**31 - 1, -2, -2**31])
@pytest.mark.parametrize("fused", [False, True])
def test_maps_that_are_no_maps(tools, fused, value):
    p = plan(np.arange(16, dtype=np.int32).reshape(8, 2) % 4, 4)
    x = normal((8, 12), 1)
    slots, rows = p.slot_to_row.copy(), p.row_to_slot.copy()
    slots[3, 1] = rows[3] = value
    for wrong in ((p.slot_to_row, rows), (slots, p.row_to_slot)):
        if fused:  # the product gathers its rows itself
            text = gather_and_add(12, 4, 2)
            operands = [x, normal((4, 12, 12), 2), p.offsets, *wrong]
        else:
            text = modules.combine(12, 4, 2, weighted=False)
            operands = [normal((16, 12), 1), p.offsets, *wrong]
        tools.fault(text, *operands, status=3, options=OPTIONS)


def gather_and_add(width, experts, top_k):
    maps = (f"tensor<{experts + 1}xi32>, tensor<?x{top_k}xi32>, tensor<?xi32>")
    matrix = f"tensor<?x{width}xf32>"
    weights = f"tensor<{experts}x{width}x{width}xf32>"
    return f"""
func.func @f(%x: {matrix}, %w: {weights}, %o: tensor<{experts + 1}xi32>,
             %s: tensor<?x{top_k}xi32>, %r: tensor<?xi32>) -> {matrix} {{
  %rows = moe.dispatch %x, %o, %s, %r : {matrix}, {maps} -> {matrix}
  %y = moe.grouped_matmul %rows, %w, %o
    : {matrix}, {weights}, tensor<{experts + 1}xi32> -> {matrix}
  %out = moe.combine %y, %o, %s, %r : {matrix}, {maps} -> {matrix}
  return %out : {matrix}
}}
"""


def test_indices_of_no_expert_mask_a_slot(tools):
    random = np.random.default_rng(0)
    logits = random.normal(size=(6, 8)).astype(np.float32)
    dweights = random.normal(size=(6, 2)).astype(np.float32)
    indices = random.integers(0, 8, (6, 2)).astype(np.int32)
    indices[:5, 1] = [-1, 8, 2**31 - 1, -2**31, -2]
    dweights[:5, 1] = np.nan  # whose gradient is then nobody's
    types = "tensor<?x8xf32>, tensor<?x2xi32>"
    got = tools.run(
        "func.func @f(%x: tensor<?x8xf32>, %i: tensor<?x2xi32>, "
        "%g: tensor<?x2xf32>) -> (tensor<?x2xf32>, tensor<?x8xf32>) {\n"
        f"  %w = moe.route_weights %x, %i {{renormalize}} : {types} -> "
        "tensor<?x2xf32>\n"
        f"  %d = moe.route_grad %x, %i, %g {{renormalize}} : {types}, "
        "tensor<?x2xf32> -> tensor<?x8xf32>\n"
        "  return %w, %d : tensor<?x2xf32>, tensor<?x8xf32>\n}\n",
        logits, indices, dweights, results=2, options=OPTIONS)
    assert not got[0][:5, 1].any()
    np.testing.assert_allclose(
        got[0], route_weights(logits, indices, renormalize=True), atol=1e-6)
    np.testing.assert_allclose(
        got[1], route_grad(logits, indices, dweights, renormalize=True),
        atol=1e-6)
