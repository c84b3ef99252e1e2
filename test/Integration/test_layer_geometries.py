"""Whole layers against float64; one bundle serves every number of tokens."""

import shutil

import pytest
from moe.config import LayerConfig
from moe.layer import layer_module
from moe.testing import check_layer, layer_inputs, run_layer

_SEED = 7


def _layer(hidden, experts, top_k, intermediate, **options):
    return LayerConfig(hidden, experts, top_k, intermediate,
                       return_routing=True, **options)


_SMALL = [_layer(64, 4, 2, 128), _layer(96, 7, 3, 40), _layer(64, 1, 1, 32),
          _layer(64, 4, 4, 32)]
# granite-3.0-1b-a400m: one weight is exactly the 128 MiB that a binding may
# have on the CPU driver. granite-3.0-3b-a800m: one is far above.
_GRANITE_1B = _layer(1024, 32, 8, 512, renormalize=True)
_GRANITE_3B = _layer(1536, 40, 8, 512, renormalize=True)

_CASES = [(config, tokens) for config in [*_SMALL, _GRANITE_1B]
          for tokens in (0, 1, 7, 31, 33, 128, 513)] + [(_GRANITE_3B, 33)]


def _name(value):
    if isinstance(value, LayerConfig):
        return "x".join(str(size) for size in (
            value.hidden, value.experts, value.top_k, value.intermediate))
    return f"T{value}"


@pytest.fixture(scope="module")
def bundles(tools):
    """Gives the one bundle of a layer."""
    return lambda config: tools.compile(layer_module(config))


@pytest.fixture(scope="module")
def directory(tmp_path_factory):
    """Where weights are kept between runs; they are too large to stay."""
    path = tmp_path_factory.mktemp("layers")
    yield path
    shutil.rmtree(path)


@pytest.mark.parametrize("config, tokens", _CASES, ids=_name)
def test_layer_equals_float64(tools, bundles, directory, config, tokens):
    outputs = run_layer(tools.moe_run, config, tokens, _SEED, directory,
                        validate=None, bundle=bundles(config),
                        options=tools.options)
    check_layer(outputs, layer_inputs(config, tokens, _SEED), config)
