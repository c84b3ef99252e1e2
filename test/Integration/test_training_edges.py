"""A training step where numbers end: betas next to 1, no tokens, wrong labels."""

import numpy as np
import pytest
from moe.config import LayerConfig
from moe.reference import initial_state, train_step
from moe.runtime import StatusError
from moe.trainer import Trainer, check_labels, random_parameters
from moe.training import TrainingConfig, training_module

SMALL = dict(layer=LayerConfig(8, 4, 2, 5), features=6, classes=3)
CONFIG = TrainingConfig(**SMALL)


@pytest.fixture
def start(tools):
    """Starts a trainer of a config, closed after the test."""
    trainers = []

    def make(config, seed=1):
        bundle = tools.compile(training_module(config, tools.moe_opt))
        trainers.append(Trainer(config, bundle.read_bytes(),
                                random_parameters(config, seed),
                                validate="sync"))
        return trainers[-1]

    yield make
    for trainer in trainers:
        trainer.session.close()


def batch(seed, tokens=16):
    random = np.random.default_rng(seed)
    return (random.normal(size=(tokens, 6)).astype(np.float32),
            random.integers(0, 3, tokens))


def same(left, right):
    return all(left[name].tobytes() == right[name].tobytes() for name in left)


@pytest.mark.parametrize("beta2", [0.0, 0.999, 0.9999, 0.99999, 0.999999])
def test_bias_correction_next_to_1(start, beta2):
    """Updates of w_out, whose slopes are large, without weight decay."""
    config = TrainingConfig(**SMALL, beta1=0.0 if beta2 == 0 else 0.9,
                            beta2=beta2, decay=0.0)
    trainer, rate = start(config), 0.25
    state = trainer.state()
    for number in range(5):
        before = {name: value.astype(np.float64) for name, value in
                  state.items()}
        x, labels = batch(number)
        trainer.step(x, labels, rate)
        state = trainer.state()
        # The exact update from the means that the device has after the step.
        n = number + 1
        mean = state["m_w_out"] / (1 - config.beta1 ** n)
        square = state["v_w_out"].astype(np.float64) / (1 - beta2 ** n)
        update = mean / (np.sqrt(square) + config.epsilon)
        got = (before["w_out"] - state["w_out"]) / rate
        # The difference of two parameters is rounded too.
        rounding = 2.0 ** -23 / rate * np.maximum(np.abs(before["w_out"]),
                                           np.abs(state["w_out"]))
        assert (np.abs(got - update)
                <= 1e-6 * np.abs(update) + rounding).all()
    assert state["n"] == 5


@pytest.mark.parametrize("beta2", [0.999, 0.999999])
def test_means_keep_the_digits_of_beta(start, beta2):
    config = TrainingConfig(**SMALL, beta2=beta2, decay=0.0)
    trainer = start(config)
    x, labels = batch(3)
    twin = initial_state(trainer.parameters)
    for _ in range(3):
        # A rate of 0 keeps the slopes constant.
        got = trainer.step(x, labels, 0.0, indices=True)
        twin, _ = train_step(config, twin, x, labels, 0.0, got.indices)
    state = trainer.state()
    for name in ("w_out", "b_out"):
        expected = twin.squares[name]
        error = np.abs(state[f"v_{name}"] - expected)
        assert (error <= 2e-5 * np.abs(expected) + 1e-6 * expected.max()).all()


def test_n_stops_at_the_largest_integer(start, tmp_path):
    trainer = start(CONFIG)
    trainer.step(*batch(1), 0.01)
    path = tmp_path / "late.npz"
    np.savez(path, **{**trainer.state(), "n": np.int32(2**31 - 1)})
    trainer.restore(path)
    before = trainer.state()
    trainer.step(*batch(2), 0.01)
    after = trainer.state()
    assert after["n"] == 2**31 - 1
    assert np.abs(after["w_out"] - before["w_out"]).max() > 1e-4


def test_no_tokens_change_nothing(start):
    trainer = start(CONFIG)
    for seed in range(3):
        trainer.step(*batch(seed), 0.01)
    before = trainer.state()
    got = trainer.step(np.zeros((0, 6)), np.zeros(0, np.int32), 0.01)
    assert (got.loss, got.right, list(got.counts)) == (0.0, 0, [0] * 4)
    assert same(before, trainer.state()) and before["n"] == 3


@pytest.mark.parametrize("label", [3, -1, -100, 2**31 - 1, -2**31])
def test_labels_that_are_no_class(start, label):
    trainer = start(CONFIG)
    x, labels = batch(1)
    trainer.step(x, labels, 0.01)
    before = trainer.state()
    labels[5] = label
    message = f"expected label 5 to be an integer from 0 to 2, but got {label}"
    for call in (trainer.step, trainer.evaluate):
        with pytest.raises(ValueError, match=message):
            call(*((x, labels, 0.01) if call == trainer.step else (x, labels)))
    # The program itself ends with a fault and leaves its state alone.
    with pytest.raises(StatusError, match=str(label)):
        trainer._run_step(x, labels.astype(np.int32), 0.01, {0})
    assert same(before, trainer.state())


@pytest.mark.parametrize("labels, message", [
    ([0.5, 1], "expected label 0 to be an integer from 0 to 2, but got 0.5"),
    ([1, np.nan], "expected label 1 to be an integer from 0 to 2, but got nan"),
    (np.int64([0, 2**32 + 1]), "but got 4294967297"),
    ([[0, 1]], r"a vector of integers, but got int64 of shape \(1, 2\)"),
    (["a"], "a vector of integers, but got <U1"),
])
def test_labels_that_are_no_integers(labels, message):
    with pytest.raises(ValueError, match=message):
        check_labels(labels, 3)
    assert (check_labels([0.0, 2.0], 3) == [0, 2]).all()


def test_a_checkpoint_goes_on_with_the_same_bits(start, tmp_path):
    trainer = start(CONFIG)
    for seed in range(4):
        trainer.step(*batch(seed), 0.01)
    trainer.save(tmp_path / "state.npz")
    for seed in range(4, 8):
        trainer.step(*batch(seed), 0.01)
    expected = trainer.state()
    other = start(CONFIG, seed=9)
    other.restore(tmp_path / "state.npz")
    assert other.state()["n"] == 4
    for seed in range(4, 8):
        other.step(*batch(seed), 0.01)
    assert same(expected, other.state()) and expected["n"] == 8


@pytest.mark.parametrize("change, message", [
    ({"v_w_in": None}, "array 'v_w_in', but got none"),
    ({"more": np.zeros(1)}, "no array 'more', but got one"),
    ({"m_b_out": np.zeros(3)}, "'m_b_out' .* float32 .* but got float64"),
    ({"b_out": np.zeros(4, np.float32)}, r"shape \(3,\), but got .* \(4,\)"),
    ({"n": np.int32(-1)}, "'n' .* at least 0, but got -1"),
])
def test_files_that_are_no_checkpoint(start, tmp_path, change, message):
    trainer = start(CONFIG)
    state = {**trainer.state(), **change}
    np.savez(tmp_path / "bad.npz", **{name: value for name, value in
                                      state.items() if value is not None})
    with pytest.raises(ValueError, match=message):
        trainer.restore(tmp_path / "bad.npz")


@pytest.mark.parametrize("option, message", [
    ({"beta1": 1.0}, "expected beta1 to be at least 0 and below 1, but got 1"),
    ({"beta2": 1.0}, "expected beta2 to be at least 0 and below 1, but got 1"),
    ({"beta2": -0.1}, "expected beta2 .* but got -0.1"),
    ({"beta1": float("nan")}, "expected beta1 .* but got nan"),
    ({"epsilon": -1e-9}, "expected epsilon to be finite .* but got -1e-09"),
    ({"epsilon": float("nan")}, "expected epsilon .* but got nan"),
    ({"decay": float("inf")}, "expected decay .* but got inf"),
])
def test_numbers_that_are_refused(option, message):
    with pytest.raises(ValueError, match=message):
        TrainingConfig(**SMALL, **option)
