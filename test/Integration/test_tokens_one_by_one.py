"""Every number of tokens around the tiles of a layer."""

from dataclasses import replace

import numpy as np
from moe.config import LayerConfig
from moe.layer import layer_module
from moe.testing import check_layer, layer_inputs

CONFIG = LayerConfig(24, 8, 2, 20, renormalize=True, return_routing=True)
TOKENS = range(131)


def test_every_number_of_tokens_is_right(tools):
    program = tools.compile(layer_module(CONFIG))
    whole = layer_inputs(CONFIG, max(TOKENS), 7)
    names = [name for name, _, _ in CONFIG.results()]
    for tokens in TOKENS:
        inputs = {**whole, "x": whole["x"][:tokens]}
        outputs = tools.run(program, *inputs.values(), results=3)
        check_layer(dict(zip(names, outputs)), inputs, CONFIG)


def test_a_token_is_the_same_in_any_company(tools):
    # All rows at one expert, then the same tokens among others.
    config = replace(CONFIG, top_k=1)
    program = tools.compile(layer_module(config))
    inputs = layer_inputs(config, 100, 7)
    out, _, indices = tools.run(program, *inputs.values(), results=3)
    expert = np.bincount(indices[:, 0]).argmax()
    chosen = np.flatnonzero(indices[:, 0] == expert)
    alone = {**inputs, "x": inputs["x"][chosen]}
    got = tools.run(program, *alone.values(), results=3)[0]
    np.testing.assert_array_equal(got.view(np.int32),
                                  out[chosen].view(np.int32))
