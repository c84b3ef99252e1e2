"""Trains the classifier of `moe.training` on a Vulkan device."""

from typing import NamedTuple

import numpy as np

from .compiler import compile_module
from .runtime import Session, devices
from .training import training_module

__all__ = ["Step", "Trainer", "compile_training", "random_parameters"]

# Results of @train_step before the parameters, see `training_module`.
_FIRST_STATE = 5


class Step(NamedTuple):
    """What a step tells; the state stays on the device.

    Attributes
    ----------
    loss : float
    right : int
        Tokens that were classified right before the step.
    counts : numpy.ndarray, int32 [E]
        The slots of each expert.
    indices : numpy.ndarray, int32 [T, K], or None
        The experts of each token, where they were asked for.
    """

    loss: float
    right: int
    counts: np.ndarray
    indices: np.ndarray


def compile_training(config, *, device=None, target=None):
    """Compile the training step.

    Parameters
    ----------
    config : TrainingConfig
    device : int, optional
        The device to compile for, as `moe.runtime.devices` numbers them; the
        best one by default.
    target : str, optional
        A named target in place of a device.

    Returns
    -------
    bytes
        A bundle for `Trainer`.
    """
    facts = None
    if target is None:
        found, best = devices()
        number = best if device is None else device
        if number is None or not 0 <= number < len(found):
            raise ValueError(f"expected one of {len(found)} devices, but got "
                             f"{device}")
        facts = found[number].facts
    return compile_module(training_module(config), facts=facts, target=target,
                          filename="training.mlir")


def random_parameters(config, seed):
    """Draw parameters whose products keep the size of what goes in.

    Returns
    -------
    dict of str to numpy.ndarray, float32
        By the names of `config.parameters()`; biases are zeros.
    """
    random = np.random.default_rng(seed)
    result = {}
    for name, shape in config.parameters():
        # Experts' matrices are [experts, outputs, inputs], others [in, out].
        inputs = shape[-1] if len(shape) == 3 else shape[0]
        values = random.standard_normal(shape) / np.sqrt(inputs)
        if name.startswith("b_"):
            values = np.zeros(shape)
        result[name] = values.astype(np.float32)
    return result


class Trainer:
    """A model on a device.

    Parameters
    ----------
    config : TrainingConfig
    bundle : bytes
        Of `compile_training`.
    parameters : mapping of str to numpy.ndarray
        The model to start from.
    options
        Those of `moe.runtime.Session`.
    """

    def __init__(self, config, bundle, parameters, **options):
        self.config = config
        self._names = [name for name, _ in config.parameters()]
        self.session = Session(bundle, **options)
        self.restart(parameters)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.session.close()

    def restart(self, parameters):
        """Start anew from these parameters, without any step taken."""
        self._start = {name: np.ascontiguousarray(parameters[name], np.float32)
                       for name in self._names}
        self._parameters = self._start

    def step(self, x, labels, rate, *, indices=False, parameters=True):
        """Take one step of AdamW: one submit, all of it on the device.

        Parameters
        ----------
        x : array_like, [T, features]
        labels : array_like of int, [T]
        rate : float
            The learning rate.
        indices : bool
            Whether to bring back the experts of each token.
        parameters : bool
            Whether to bring back the new parameters, for `parameters`.

        Returns
        -------
        Step
        """
        count = len(self._names)
        state = [None] * (1 + 3 * count)
        if self._start is not None:
            start = list(self._start.values())
            zeros = [np.zeros_like(value) for value in start]
            state = [np.int32(0), *start, *zeros, *zeros]
        wanted = {0, 1, 2} | ({3} if indices else set())
        if parameters:
            wanted |= set(range(_FIRST_STATE, _FIRST_STATE + count))
        results = self.session.run(
            "train_step", [np.asarray(x, np.float32),
                           np.asarray(labels, np.int32), np.float32(rate),
                           *state], wanted=wanted)
        self._start = None
        self._parameters = None
        if parameters:
            self._parameters = dict(zip(
                self._names, results[_FIRST_STATE:_FIRST_STATE + count]))
        loss, right, counts, chosen = results[:4]
        return Step(float(loss), int(right), counts, chosen)

    @property
    def parameters(self):
        """The parameters after the last step, by name.

        Raises
        ------
        ValueError
            Where that step has left them on the device.
        """
        if self._parameters is None:
            raise ValueError("expected the last step to bring back its "
                             "parameters, but it was told not to")
        return self._parameters

    def evaluate(self, x, labels):
        """Classify tokens with `parameters`.

        Returns
        -------
        Step
            Without indices.
        """
        loss, right, counts = self.session.run(
            "evaluate", [np.asarray(x, np.float32),
                         np.asarray(labels, np.int32),
                         *self.parameters.values()])
        return Step(float(loss), int(right), counts, None)
