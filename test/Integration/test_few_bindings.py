"""Whole layers on a device of four storage buffers, as `minimal` has them."""

import itertools

import numpy as np
import pytest
from harness import run_tool
from moe.config import ACTIVATIONS, GROUP_SCORES, SCORINGS, LayerConfig
from moe.derivative import vjp_module
from moe.inputs import layer_inputs
from moe.layer import layer_module
from moe.random import normal
from moe.reference import layer_vjp
from moe.testing import check_layer
from moe.trainer import Trainer, random_parameters
from moe.training import TrainingConfig, training_module
from test_layer_vjp import check as check_gradient

TOKENS = 33
# What decides about buffers, without the code of kernels.
STAGES = [f"--moe-{stage}-pipeline=target=minimal"
          for stage in ("kernels", "schedule", "linalg", "gpu", "program")]
DERIVATIVE = ["--moe-differentiate=function=layer",
              "--symbol-privatize=exclude=layer_vjp", "--symbol-dce"]
GROUPS = [{}] + [{"groups": 2, "selected_groups": 1, "group_score": score}
                 for score in GROUP_SCORES]
# A scale and a guard of the sum are operations on what is there already: they
# come and go with the division.
SUMS = [{}, {"renormalize": True},
        {"renormalize": True, "renormalize_epsilon": 1e-20,
         "renormalize_floor": 1e-12, "scale": 2.5}]


def layers(activation, scoring):
    """Each combination of all other options."""
    flags = [False, True]
    for groups, total, bias, shared, correction, routing, interleaved in \
            itertools.product(GROUPS, SUMS, flags, [0, 1], flags, flags,
                              flags):
        if interleaved and activation != "swiglu":
            continue
        yield LayerConfig(16, 4, 2, 8, activation=activation, scoring=scoring,
                          bias=bias, shared_experts=shared,
                          correction_bias=correction, return_routing=routing,
                          interleaved_gate_up=interleaved, **groups, **total)


@pytest.mark.parametrize("vjp", [False, True], ids=["forward", "vjp"])
@pytest.mark.parametrize("scoring", SCORINGS)
@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_every_combination_of_options_fits(tools, tmp_path, activation, scoring,
                                           vjp):
    source = tmp_path / "layers.mlir"
    source.write_text("\n// -----\n".join(
        layer_module(config) for config in layers(activation, scoring)),
        encoding="utf-8")
    run_tool([tools.moe_opt, source, "--split-input-file", "--verify-each=0",
              *(DERIVATIVE if vjp else []), *STAGES, "-o", tmp_path / "out"])


LAYERS = {
    "plain": LayerConfig(64, 4, 2, 64),
    "bias": LayerConfig(64, 4, 2, 64, bias=True),
    "renormalize": LayerConfig(64, 4, 2, 64, renormalize=True),
    "all": LayerConfig(
        48, 8, 2, 20, bias=True, correction_bias=True, shared_experts=2,
        groups=4, selected_groups=2, scoring="sigmoid", renormalize=True,
        renormalize_epsilon=1e-20, renormalize_floor=1e-12, scale=2.5,
        interleaved_gate_up=True),
    "gelu": LayerConfig(33, 6, 3, 21, activation="gelu", bias=True,
                        renormalize=True),
}


def run(tools, text, *inputs, target, results):
    bundle = tools.compile(text, f"target={target}")
    return tools.run(bundle, *inputs, results=results)


def assert_near(got, expected):
    """Equal but for the order of the sums that lanes share."""
    for one, other in zip(got, expected, strict=True):
        assert one.shape == other.shape and one.dtype == other.dtype
        largest = np.abs(other).max(initial=0)
        assert (np.abs(one - other) <= 2e-6 * largest).all()


@pytest.mark.parametrize("tokens", [TOKENS, 1, 0])
@pytest.mark.parametrize("name", LAYERS)
def test_layers(tools, name, tokens):
    config = LayerConfig(**{**vars(LAYERS[name]), "return_routing": True})
    inputs = layer_inputs(config, tokens, 11)
    text = layer_module(config)
    few, many = (run(tools, text, *inputs.values(), target=target, results=3)
                 for target in ("minimal", "lavapipe"))
    names = [result for result, _, _ in config.results()]
    check_layer(dict(zip(names, few)), inputs, config)
    assert_near(few, many)


@pytest.mark.parametrize("tokens", [TOKENS, 1, 0])
@pytest.mark.parametrize("name", LAYERS)
def test_derivatives(tools, name, tokens):
    config = LAYERS[name]
    inputs = layer_inputs(config, tokens, 11)
    dout = normal((tokens, config.hidden), 1)
    text = vjp_module(config, tools.moe_opt)
    few, many = (run(tools, text, *inputs.values(), dout, target=target,
                     results=1 + len(inputs))
                 for target in ("minimal", "lavapipe"))
    outputs, gradients = layer_vjp(config, inputs, dout)
    check_gradient("out", few[0], outputs.out)
    for (argument, expected), gradient in zip(gradients.items(), few[1:],
                                              strict=True):
        check_gradient(argument, gradient, expected)
    assert_near(few, many)


def test_training(tools):
    config = TrainingConfig(LayerConfig(33, 5, 3, 7, renormalize=True,
                                        scoring="sigmoid"), 13, 3)
    parameters = random_parameters(config, 1)
    text = training_module(config, tools.moe_opt)
    trainers = [Trainer(config, tools.compile(text, f"target={target}")
                        .read_bytes(), parameters, validate="sync")
                for target in ("minimal", "lavapipe")]
    random = np.random.default_rng(2)
    for _ in range(4):
        x = random.normal(size=(29, 13)).astype(np.float32)
        labels = random.integers(0, 3, 29).astype(np.int32)
        few, many = (trainer.step(x, labels, 3e-3) for trainer in trainers)
        assert few.loss == pytest.approx(many.loss, rel=2e-6)
        assert (few.counts == many.counts).all()
    few, many = (trainer.parameters for trainer in trainers)
    for name, value in few.items():
        assert np.abs(value - many[name]).max() <= 1e-6, name
        assert np.abs(value - parameters[name]).max() > 3e-3, name
    for trainer in trainers:
        trainer.session.close()
