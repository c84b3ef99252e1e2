"""Everything with fewer bindings and push constants than any device has: the
same bits as where they suffice."""

import numpy as np
import pytest
from harness import run_tool
from moe.config import LayerConfig
from moe.derivative import vjp_module
from moe.inputs import layer_inputs
from moe.layer import layer_module
from moe.random import normal
from moe.runtime import StatusError
from moe.trainer import Trainer, random_parameters
from moe.training import TrainingConfig, training_module
from test_many_sizes import concat
from test_position_gathers import at_element, gather

# Storage buffers, and bytes of push constants.
LIMITS = [(1, 8), (3, 128), (32, 4)]


@pytest.fixture(params=LIMITS, ids=lambda limits: f"{limits[0]}x{limits[1]}")
def tight(request, tools, tmp_path):
    """Compiles a module for lavapipe, but for its limits."""
    buffers, push_constants = request.param
    fit = (f"--moe-fit-interfaces=max-storage-buffers={buffers} "
           f"max-push-constants={push_constants}")

    def make(text):
        lowered, bundle = tmp_path / "lowered.mlir", tmp_path / "tight.moeb"
        run_tool([tools.moe_opt, "-", "--moe-kernels-pipeline",
                  "--moe-schedule-pipeline", "--moe-linalg-pipeline",
                  "--moe-gpu-pipeline", fit, "--moe-spirv-pipeline",
                  "--moe-program-pipeline", "-o", lowered], stdin=text)
        run_tool([tools.moe_translate, "--moe-to-bundle", lowered,
                  "-o", bundle])
        run_tool([tools.moe_translate, "--validate-bundle", bundle])
        check_dispatches(lowered.read_text(encoding="utf-8"), buffers,
                         push_constants)
        return bundle

    return make


def check_dispatches(text, buffers, push_constants):
    """Assert that no dispatch binds or is pushed more."""
    seen = 0
    for line in text.splitlines():
        if line.lstrip().startswith("moe_rt.dispatch"):
            parts = {word: line.split(f" {word}(")[1].split(")")[0].count(",") + 1
                     for word in ("push", "reads", "writes", "updates")
                     if f" {word}(" in line}
            assert parts.pop("push", 0) * 4 <= push_constants, line
            assert sum(parts.values()) <= buffers, line
            seen += 1
    assert seen


def assert_same_bits(got, expected):
    for one, other in zip(got, expected, strict=True):
        assert one.shape == other.shape and one.dtype == other.dtype
        np.testing.assert_array_equal(one.view(np.int32), other.view(np.int32))


CONFIG = LayerConfig(17, 4, 2, 7, bias=True, correction_bias=True,
                     shared_experts=1, groups=2, selected_groups=1,
                     scoring="sigmoid", renormalize=True, return_routing=True)


@pytest.mark.parametrize("tokens", [29, 0])
@pytest.mark.parametrize("derivative", [False, True])
def test_layer(tools, tight, derivative, tokens):
    text = layer_module(CONFIG)
    inputs = [*layer_inputs(CONFIG, tokens, 11).values()]
    results = 3
    if derivative:
        text = vjp_module(CONFIG, tools.moe_opt)
        results += len(inputs)
        inputs += [normal((tokens, 17), 1), normal((tokens, 2), 2)]
    assert_same_bits(tools.run(tight(text), *inputs, results=results),
                     tools.run(text, *inputs, results=results))


def test_concat(tools, tight):
    random = np.random.default_rng(5)
    inputs = [random.normal(size=(n, 3)).astype(np.float32)
              for n in random.integers(0, 4, 17)]
    np.testing.assert_array_equal(
        tools.run(tight(concat(17, 3)), *inputs), np.concatenate(inputs))


def test_faults_are_found(tools, tight):
    bundle = tight(gather())
    x = np.arange(1, 5, dtype=np.float32)
    good = np.array([0, 3, 1, 2, 3], np.int32)
    np.testing.assert_array_equal(tools.run(bundle, x, good), x[good])
    bad = np.array([0, 3, -2, 2, 9], np.int32)
    assert tools.fault(bundle, x, bad, status=3) == at_element(-2, 2)


def test_state_changes_in_runs_without_a_fault_alone(tools, tight):
    config = TrainingConfig(LayerConfig(16, 4, 2, 8, renormalize=True), 5, 3)
    parameters = random_parameters(config, 1)
    text = training_module(config, tools.moe_opt)
    trainers = [Trainer(config, bundle.read_bytes(), parameters,
                        validate="sync")
                for bundle in (tight(text), tools.compile(text))]
    random = np.random.default_rng(2)
    for _ in range(2):
        x = random.normal(size=(9, 5)).astype(np.float32)
        labels = random.integers(0, 3, 9).astype(np.int32)
        losses = [trainer.step(x, labels, 3e-3).loss for trainer in trainers]
        assert losses[0] == losses[1]
    few, many = (trainer.state() for trainer in trainers)
    assert_same_bits(few.values(), many.values())
    for name in parameters:
        assert not np.array_equal(few[name], parameters[name]), name
    # The trainer would refuse the label; the program finds it by itself.
    names = [name for name, _ in config.parameters()]
    state = [None] * (1 + 3 * len(names))
    with pytest.raises(StatusError, match="expected index 1 of"):
        trainers[0].session.run("train_step", [
            x, np.full(9, 3, np.int32), np.float32(3e-3), *state])
    assert_same_bits(trainers[0].state().values(), few.values())
    for trainer in trainers:
        trainer.session.close()
