"""Derivatives of whole layers against float64; one bundle for any tokens."""

import numpy as np
import pytest
from moe.config import LayerConfig
from moe.derivative import vjp_module
from moe.inputs import layer_inputs
from moe.random import normal
from moe.reference import layer_vjp
from session import Session

_SEED = 7
# Of the largest magnitude of the whole result, and of each row or expert.
_TOLERANCE = 3e-5
_PART_TOLERANCE = 1e-4
_TOKENS = (0, 1, 7, 31, 33, 128, 513)


def _layer(hidden, experts, top_k, intermediate, **options):
    return LayerConfig(hidden, experts, top_k, intermediate,
                       return_routing=True, **options)


# The fifth is granite-3.0-1b-a400m: a gradient of exactly the 128 MiB that a
# binding may have on the CPU driver. One of granite-3.0-3b-a800m is far above.
_LAYERS = [_layer(64, 4, 2, 128), _layer(96, 7, 3, 40), _layer(64, 1, 1, 32),
           _layer(64, 4, 4, 32), _layer(1024, 32, 8, 512, renormalize=True)]
_GRANITE_3B = _layer(1536, 40, 8, 512, renormalize=True)
_CASES = [(config, tokens) for config in _LAYERS
          for tokens in _TOKENS] + [(_GRANITE_3B, 33)]


def _name(value):
    if isinstance(value, int):
        return f"T{value}"
    return "x".join(str(size) for size in (
        value.hidden, value.experts, value.top_k, value.intermediate))


@pytest.fixture(scope="module")
def session_of(tools, build):
    """Gives the session of a layer's derivative; one at a time, they are large."""
    opened = {}

    def give(config):
        if config not in opened:
            for session in opened.values():
                session.close()
            opened.clear()
            text = vjp_module(config, tools.moe_opt)
            opened[config] = Session(build / "lib/libmoe-runtime.so",
                                     tools.compile(text), validate=True)
        return opened[config]

    yield give
    for session in opened.values():
        session.close()


@pytest.mark.parametrize("config, tokens", _CASES, ids=_name)
def test_gradients_equal_float64(session_of, config, tokens):
    session = session_of(config)
    inputs = layer_inputs(config, tokens, _SEED)
    dout = normal((tokens, config.hidden), 1)
    dweights = normal((tokens, config.top_k), 2)
    out, weights, indices, *got = session.run(*inputs.values(), dout, dweights)
    outputs, gradients = layer_vjp(config, inputs, dout, indices, dweights)
    _check("out", out, outputs.out)
    _check("weights", weights, outputs.weights)
    for (name, expected), gradient in zip(gradients.items(), got, strict=True):
        _check(name, gradient, expected)


def _check(name, got, expected):
    assert got.shape == expected.shape and got.dtype == np.float32, name
    parts, largest = [], 0.0
    for part, reference in zip(got, expected):  # one at a time: they are large
        error = np.abs(part - reference).max(initial=0)
        size = np.abs(reference).max(initial=0)
        # Negated, so that a NaN fails; without a size, no error either.
        assert error <= _PART_TOLERANCE * size, (name, len(parts), error, size)
        parts.append(error)
        largest = max(largest, size)
    assert max(parts, default=0) <= _TOLERANCE * largest, name
