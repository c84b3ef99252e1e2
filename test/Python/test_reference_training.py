"""The training step in float64, against central differences."""

import numpy as np
import pytest
from moe.config import LayerConfig
from moe.reference import (evaluate, gradients, initial_state, plan,
                           train_step)
from moe.training import TrainingConfig

CONFIGS = [
    TrainingConfig(LayerConfig(6, 4, 2, 5, renormalize=True), 7, 3,
                   balance=0.3, z=0.2),
    TrainingConfig(LayerConfig(5, 3, 3, 4, activation="gelu",
                               scoring="sigmoid"), 4, 5, balance=0.0, z=0.0),
]
STEP = 1e-6


def random_problem(config, tokens=9, seed=0):
    random = np.random.default_rng(seed)
    parameters = {name: random.normal(size=shape) * 0.4
                  for name, shape in config.parameters()}
    return (parameters, random.normal(size=(tokens, config.features)),
            random.integers(0, config.classes, tokens))


@pytest.mark.parametrize("config", CONFIGS, ids=["softmax", "sigmoid"])
def test_gradients(config):
    parameters, x, labels = random_problem(config)
    outputs, slopes = gradients(config, parameters, x, labels)
    assert list(slopes) == [name for name, _ in config.parameters()]
    for name, slope in slopes.items():
        assert slope.shape == parameters[name].shape
        expected = np.empty(slope.shape)
        for at in np.ndindex(*slope.shape):
            ends = []
            for sign in (1, -1):
                moved = dict(parameters, **{name: parameters[name].copy()})
                moved[name][at] += sign * STEP
                ends.append(evaluate(config, moved, x, labels,
                                     outputs.indices).loss)
            expected[at] = (ends[0] - ends[1]) / (2 * STEP)
        scale = max(np.abs(expected).max(), 1e-3)
        np.testing.assert_allclose(slope, expected, rtol=0, atol=1e-7 * scale
                                   + 1e-9, err_msg=name)


def test_results_of_a_step():
    config = CONFIGS[0]
    parameters, x, labels = random_problem(config, tokens=40)
    outputs = evaluate(config, parameters, x, labels)
    offsets = plan(outputs.indices, config.layer.experts).offsets
    assert (outputs.counts == np.diff(offsets)).all()
    assert outputs.counts.sum() == 80
    assert 0 <= outputs.right <= 40
    # The losses of the router are added to the cross entropy.
    plain = TrainingConfig(config.layer, config.features, config.classes,
                           balance=0.0, z=0.0)
    assert evaluate(plain, parameters, x, labels).loss < outputs.loss


def test_first_step_of_adamw():
    """The first step is rate · sign(g), but for ε and the decay."""
    config = CONFIGS[0]
    parameters, x, labels = random_problem(config)
    start = initial_state(parameters)
    state, outputs = train_step(config, start, x, labels, 0.01)
    _, slopes = gradients(config, parameters, x, labels)
    assert state.n == 1 and start.n == 0
    for name, old in parameters.items():
        slope = slopes[name]
        expected = old - 0.01 * (slope / (np.abs(slope) + config.epsilon)
                                 + config.decay * old)
        np.testing.assert_allclose(state.parameters[name], expected,
                                   rtol=1e-12, atol=1e-15)
    for _ in range(30):
        state, later = train_step(config, state, x, labels, 0.01)
    assert later.loss < 0.7 * outputs.loss and state.n == 31


def test_what_a_training_layer_may_have():
    with pytest.raises(ValueError, match="expected a layer without bias"):
        TrainingConfig(LayerConfig(4, 2, 1, 4, bias=True), 4, 2)
    with pytest.raises(ValueError,
                       match="expected classes to be at least 1, but got 0"):
        TrainingConfig(LayerConfig(4, 2, 1, 4), 4, 0)
