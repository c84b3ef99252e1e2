"""A whole training step on the device, against its twin in float64."""

import numpy as np
import pytest
from moe.config import LayerConfig
from moe.reference import evaluate, initial_state, train_step
from moe.trainer import Trainer, random_parameters
from moe.training import TrainingConfig, training_module

CONFIG = TrainingConfig(LayerConfig(48, 8, 2, 40, renormalize=True), 20, 10)
OTHER = TrainingConfig(LayerConfig(33, 5, 3, 7, activation="gelu",
                                   scoring="sigmoid"), 13, 3)
RATE = 3e-3


def batches(config, count, tokens=64, seed=3):
    """Noisy copies of one random token for each class."""
    random = np.random.default_rng(seed)
    means = random.normal(size=(config.classes, config.features))
    for _ in range(count):
        labels = random.integers(0, config.classes, tokens)
        noise = random.normal(size=(tokens, config.features))
        yield ((means[labels] + 0.7 * noise).astype(np.float32),
               labels.astype(np.int32))


@pytest.fixture(scope="module")
def start(tools):
    """Starts trainers; a bundle is compiled and loaded once."""
    trainers = {}

    def make(config, seed=1):
        parameters = random_parameters(config, seed)
        if config not in trainers:
            text = training_module(config, tools.moe_opt)
            bundle = tools.compile(text).read_bytes()
            trainers[config] = Trainer(config, bundle, parameters,
                                       validate="sync")
        trainers[config].restart(parameters)
        return trainers[config], parameters

    yield make
    for trainer in trainers.values():
        trainer.session.close()


@pytest.mark.parametrize("config", [CONFIG, OTHER], ids=["swiglu", "gelu"])
def test_losses_follow_the_twin(start, config):
    trainer, parameters = start(config)
    state, errors = initial_state(parameters), []
    for x, labels in batches(config, 50):
        got = trainer.step(x, labels, RATE, indices=True)
        state, expected = train_step(config, state, x, labels, RATE,
                                     got.indices)
        errors.append(abs(got.loss - expected.loss) / expected.loss)
        assert (got.counts == expected.counts).all()
        assert abs(got.right - expected.right) <= 1
    # 1 - β2ⁿ cancels in the first steps: 2**-24 of 1 is 6e-5 of 0.001, and its
    # root divides the step. Later errors are smaller.
    assert max(errors) <= 5e-5
    # Parameters move by about rate · 50.
    for name, value in trainer.parameters.items():
        difference = np.abs(value - state.parameters[name]).max()
        assert difference <= 1e-4 * RATE * 50, name
        assert np.abs(value - parameters[name]).max() > RATE, name


@pytest.mark.parametrize("tokens", [1, 2, 7, 130])
def test_first_step_at_any_number_of_tokens(start, tokens):
    trainer, parameters = start(CONFIG)
    x, labels = next(batches(CONFIG, 1, tokens))
    got = trainer.step(x, labels, RATE, indices=True)
    _, expected = train_step(CONFIG, initial_state(parameters), x, labels,
                             RATE, got.indices)
    assert got.loss == pytest.approx(expected.loss, rel=2e-6)
    assert got.right == expected.right
    assert (got.counts == expected.counts).all()


def test_40_identical_runs(start):
    """40 runs of 20 steps give 40 identical loss sequences."""
    data = list(batches(CONFIG, 20))
    sequences = set()
    for _ in range(40):
        trainer, _ = start(CONFIG)
        losses = [trainer.step(x, labels, RATE, parameters=i == 19).loss
                  for i, (x, labels) in enumerate(data)]
        sequences.add((tuple(losses), *(value.tobytes() for value in
                                        trainer.parameters.values())))
    assert len(sequences) == 1
    assert losses[-1] < 0.7 * losses[0]


def test_evaluation(start):
    trainer, _ = start(CONFIG)
    for x, labels in batches(CONFIG, 5):
        trainer.step(x, labels, RATE)
    x, labels = next(batches(CONFIG, 1, 200, seed=9))
    got = trainer.evaluate(x, labels)
    expected = evaluate(CONFIG, trainer.parameters, x, labels)
    assert got.loss == pytest.approx(expected.loss, rel=1e-5)
    assert got.right == pytest.approx(expected.right, abs=1)
    assert got.counts.sum() == 400
    with pytest.raises(ValueError, match="expected the last step to bring"):
        trainer.step(x, labels, RATE, parameters=False)
        trainer.evaluate(x, labels)


def test_no_second_plan(tools):
    """The backward uses the forward's routing and plan."""
    kernels = tools.lower(training_module(CONFIG, tools.moe_opt),
                          "stop-after=kernels")
    step, evaluation = kernels.split("func.func @evaluate")
    for text in (step, evaluation):
        assert text.count("= moe.plan") == 1 and text.count("= moe.route") == 1
    # All state is updated where it lies: n, and parameters with their means.
    assert step.count("moe.aliases_result") == 1 + 3 * 7
    assert step.count(" updates [") == 1 + 7
    # Their first input is the number of tokens: none leaves them alone.
    assert step.count(" updates [1, 2, 3] ") == 7
