"""A layer's derivative in two functions, and in one: the same bits.

What the first function gives is fed back to the second; that both compute the
derivative is checked by the adjoint identity.
"""

import numpy as np
import pytest
from adjoint import check_adjoint, derivatives
from moe.config import LayerConfig
from moe.inputs import layer_inputs
from moe.random import normal
from moe.reference import layer

# A token's gradient of the router is a multiple of one sum that may cancel.
_TOLERANCE = 5e-6
_CONFIGS = {
    "swiglu": LayerConfig(40, 6, 2, 24, return_routing=True),
    "every-expert": LayerConfig(33, 4, 4, 18, scoring="sigmoid", scale=2.5,
                                return_routing=True),
    "everything": LayerConfig(
        48, 8, 3, 20, bias=True, correction_bias=True, shared_experts=2,
        groups=4, selected_groups=2, scoring="sigmoid", renormalize=True,
        scale=2.5, interleaved_gate_up=True, return_routing=True),
    "gelu": LayerConfig(32, 6, 3, 24, activation="gelu", bias=True,
                        renormalize=True, return_routing=True),
    "relu2": LayerConfig(32, 6, 1, 24, activation="relu2", shared_experts=1,
                         return_routing=True),
}


@pytest.mark.parametrize("save", ["all", "minimal"])
@pytest.mark.parametrize("name", list(_CONFIGS))
def test_split_is_joint_and_adjoint(tools, session, name, save):
    config = _CONFIGS[name]
    run = session(derivatives(tools, config, save)).run
    for tokens in (0, 1, 33):
        inputs = layer_inputs(config, tokens, 7)
        given = list(inputs.values())
        w = [normal((tokens, config.hidden), 1),
             normal((tokens, config.top_k), 2)]
        outputs = run(*given, entry="layer_fwd")
        results, residuals = outputs[:3], outputs[3:]
        gradients = run(*given, *residuals, *w, entry="layer_bwd")
        joint = run(*given, *w, entry="layer_vjp")
        for got, expected in zip([*results, *gradients], joint, strict=True):
            assert got.shape == expected.shape
            np.testing.assert_array_equal(got.view(np.int32),
                                          expected.view(np.int32))

        def function(*values, indices=results[2]):
            return layer(config, dict(zip(inputs, values)), indices)[:2]

        check_adjoint(function, given, w, dict(enumerate(gradients)),
                      tolerance=_TOLERANCE)


@pytest.mark.parametrize("experts, top_k, intermediate", [
    (8, 2, 96), (16, 4, 48), (32, 8, 24)])
def test_minimal_saves_the_hidden_values_and_the_plan(
        tools, session, experts, top_k, intermediate):
    config = LayerConfig(64, experts, top_k, intermediate)
    run = session(derivatives(tools, config, "minimal")).run
    for tokens in (0, 5):
        inputs = layer_inputs(config, tokens, 7)
        _, *residuals = run(*inputs.values(), entry="layer_fwd")
        # weights, indices, slot_to_row, row_to_slot; offsets
        plan = 4 * (4 * tokens * top_k + experts + 1)
        saved = inputs["x"].nbytes + sum(r.nbytes for r in residuals)
        assert saved == 4 * tokens * (64 + 2 * 192) + plan
