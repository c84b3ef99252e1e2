"""Every number of tokens around the tiles of a layer, in one session."""

import numpy as np
import pytest
from moe.config import LayerConfig
from moe.layer import layer_module
from moe.testing import check_layer, layer_inputs
from session import Session

CONFIG = LayerConfig(24, 8, 2, 20, renormalize=True, return_routing=True)
TOKENS = range(131)


@pytest.fixture
def session(build, tools):
    bundle = tools.compile(layer_module(CONFIG))
    session = Session(build / "lib/libmoe-runtime.so", bundle, validate=True)
    yield session
    session.close()


def run(session, inputs):
    names = [name for name, _, _ in CONFIG.results()]
    return dict(zip(names, session.run(*inputs.values())))


@pytest.mark.parametrize("order", [1, -1], ids=["growing", "shrinking"])
def test_every_number_of_tokens_is_right(session, order):
    whole = layer_inputs(CONFIG, max(TOKENS), 7)
    for tokens in TOKENS[::order]:
        inputs = {**whole, "x": whole["x"][:tokens]}
        check_layer(run(session, inputs), inputs, CONFIG)


def test_other_routings_of_as_many_tokens(session):
    # The plan of an earlier run must not show through.
    weights = layer_inputs(CONFIG, 33, 7)
    random = np.random.default_rng(1)
    for _ in range(40):
        x = random.standard_normal((33, CONFIG.hidden), np.float32)
        x[random.integers(0, 33)] = 0  # its scores are ties
        inputs = {**weights, "x": x}
        check_layer(run(session, inputs), inputs, CONFIG)
    assert session.statistics()["recordings"] == 1


def test_a_token_is_the_same_in_any_company(session):
    inputs = layer_inputs(CONFIG, 100, 7)
    out = run(session, inputs)["out"]
    for tokens in (slice(0, 1), slice(40, 57), slice(31, 100, 3)):
        alone = {**inputs, "x": np.ascontiguousarray(inputs["x"][tokens])}
        got = run(session, alone)["out"]
        np.testing.assert_array_equal(got.view(np.int32),
                                      out[tokens].view(np.int32))
