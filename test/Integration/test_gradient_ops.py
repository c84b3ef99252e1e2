"""The ops of derivatives against float64, and serial sums bit for bit."""

import numpy as np
import pytest
from moe.reference import (combine_weight_grad, grouped_outer, grouped_reduce,
                           plan, route_grad, route_weights)

_TOLERANCE = 2e-5


def check(got, want):
    assert got.shape == want.shape
    if want.size:
        error = np.abs(got - want).max()
        assert error <= _TOLERANCE * max(np.abs(want).max(), 1e-30), error


def normal(random, *shape):
    return random.normal(size=shape).astype(np.float32)


def outer(experts, m, n, init=False):
    type_ = f"tensor<{experts}x{m}x{n}xf32>"
    return (f"func.func @outer(%a: tensor<?x{m}xf32>, %b: tensor<?x{n}xf32>, "
            f"%o: tensor<{experts + 1}xi32>"
            + (f", %i: {type_}" if init else "") + f") -> {type_} {{\n"
            f"  %r = moe.grouped_outer %a, %b, %o{' init %i' if init else ''}\n"
            f"    : tensor<?x{m}xf32>, tensor<?x{n}xf32>, "
            f"tensor<{experts + 1}xi32>{', ' + type_ if init else ''} -> {type_}"
            f"\n  return %r : {type_}\n}}\n")


@pytest.mark.parametrize("counts", [[3, 0, 5], [0, 0, 17], [1, 65, 2], [0, 0, 0]],
                         ids=str)
@pytest.mark.parametrize("m, n", [(1, 1), (4, 7), (17, 33), (16, 32), (40, 36)])
def test_grouped_outer(tools, counts, m, n):
    random = np.random.default_rng(m * n)
    offsets = np.cumsum([0, *counts]).astype(np.int32)
    lhs = normal(random, offsets[-1] + 2, m)
    rhs = normal(random, offsets[-1] + 2, n)
    lhs[offsets[-1]:] = np.nan  # the tail is not read
    want = grouped_outer(lhs, rhs, offsets)
    got = tools.run(outer(3, m, n), lhs, rhs, offsets)
    check(got, want)
    assert not got[np.array(counts) == 0].any()
    if m > 4:
        init = normal(random, 3, m, n)
        check(tools.run(outer(3, m, n, init=True), lhs, rhs, offsets, init),
              grouped_outer(lhs, rhs, offsets, init))


@pytest.mark.parametrize("schedule", ["target=minimal", "reference=true"])
def test_grouped_outer_in_other_forms(tools, schedule):
    random = np.random.default_rng(0)
    offsets = np.array([0, 3, 3, 10], np.int32)
    lhs, rhs = normal(random, 12, 10), normal(random, 12, 9)
    bundle = tools.compile(outer(3, 10, 9), schedule if "target" in schedule
                           else f"target=lavapipe {schedule}")
    check(tools.run(bundle, lhs, rhs, offsets), grouped_outer(lhs, rhs, offsets))


@pytest.mark.parametrize("counts", [[3, 0, 5], [0, 0, 200], [0, 0, 0]], ids=str)
@pytest.mark.parametrize("n", [1, 7, 32])
def test_grouped_reduce(tools, counts, n):
    offsets = np.cumsum([0, *counts]).astype(np.int32)
    rows = normal(np.random.default_rng(n), offsets[-1] + 2, n)
    rows[offsets[-1]:] = np.nan
    got = tools.run(
        f"func.func @f(%r: tensor<?x{n}xf32>, %o: tensor<4xi32>) -> "
        f"tensor<3x{n}xf32> {{\n  %0 = moe.grouped_reduce %r, %o : "
        f"tensor<?x{n}xf32>, tensor<4xi32> -> tensor<3x{n}xf32>\n"
        f"  return %0 : tensor<3x{n}xf32>\n}}\n", rows, offsets)
    check(got, grouped_reduce(rows, offsets))
    assert not got[np.array(counts) == 0].any()


@pytest.mark.parametrize("strategy", ["tree", "serial"])
@pytest.mark.parametrize("width", [1, 7, 33, 65, 300])
@pytest.mark.parametrize("tokens", [0, 1, 37])
def test_combine_weight_grad(tools, strategy, width, tokens):
    random = np.random.default_rng(width + tokens)
    indices = random.integers(-1, 4, (tokens, 3)).astype(np.int32)
    planned = plan(indices, 4, out_of_range="drop")
    grad = normal(random, tokens, width)
    rows = normal(random, tokens * 3, width)
    rows[planned.offsets[-1]:] = np.nan
    type_ = f"tensor<?x{width}xf32>"
    operands = f"{type_}, {type_}, tensor<5xi32>, tensor<?x3xi32>, tensor<?xi32>"
    got = tools.run(
        f"func.func @f(%g: {type_}, %y: {type_}, %o: tensor<5xi32>, "
        "%s: tensor<?x3xi32>, %r: tensor<?xi32>) -> tensor<?x3xf32> {\n"
        "  %0 = moe.combine_weight_grad %g, %y, %o, %s, %r "
        f"{{strategy = #moe.dot_strategy<{strategy}>}} : {operands} "
        "-> tensor<?x3xf32>\n  return %0 : tensor<?x3xf32>\n}\n",
        grad, rows, planned.offsets, planned.slot_to_row, planned.row_to_slot)
    want = combine_weight_grad(grad, rows, planned, strategy=strategy,
                               element_type="f32")
    if strategy == "serial":
        np.testing.assert_array_equal(got.view(np.int32), want.view(np.int32))
    else:
        check(got, want)
    assert not got[planned.slot_to_row < 0].any()


@pytest.mark.parametrize("scoring", ["softmax", "sigmoid"])
@pytest.mark.parametrize("renormalize", [False, True])
@pytest.mark.parametrize("tokens", [0, 1, 37])
def test_routing(tools, scoring, renormalize, tokens):
    random = np.random.default_rng(tokens)
    logits, dweights = normal(random, tokens, 8), normal(random, tokens, 3)
    indices = random.integers(-1, 8, (tokens, 3)).astype(np.int32)
    indices[:1] = -1  # all slots of a token are dropped
    attributes = (f"{{scoring = #moe.scoring<{scoring}>, scale = 2.5 : f64"
                  + (", renormalize}" if renormalize else "}"))
    got = tools.run(
        "func.func @f(%x: tensor<?x8xf32>, %i: tensor<?x3xi32>, "
        "%g: tensor<?x3xf32>) -> (tensor<?x3xf32>, tensor<?x8xf32>) {\n"
        f"  %w = moe.route_weights %x, %i {attributes} : tensor<?x8xf32>, "
        "tensor<?x3xi32> -> tensor<?x3xf32>\n"
        f"  %d = moe.route_grad %x, %i, %g {attributes} : tensor<?x8xf32>, "
        "tensor<?x3xi32>, tensor<?x3xf32> -> tensor<?x8xf32>\n"
        "  return %w, %d : tensor<?x3xf32>, tensor<?x8xf32>\n}\n",
        logits, indices, dweights, results=2)
    options = {"scoring": scoring, "renormalize": renormalize, "scale": 2.5}
    check(got[0], route_weights(logits, indices, **options))
    check(got[1], route_grad(logits, indices, dweights, **options))
