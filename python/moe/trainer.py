"""Trains the classifier of `moe.training` on a Vulkan device."""

from typing import NamedTuple

import numpy as np

from .compiler import compile_module
from .runtime import Session, devices
from .training import training_module

__all__ = ["Step", "Trainer", "check_labels", "compile_training",
           "random_parameters", "state_names"]

# Results of @train_step before n, and before the parameters, see
# `training_module`.
_NUMBER, _FIRST_STATE = 4, 5


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


def state_names(config):
    """Give the names of a step's state, in the order of its arguments."""
    names = [name for name, _ in config.parameters()]
    return ["n", *names, *(f"m_{name}" for name in names),
            *(f"v_{name}" for name in names)]


def check_labels(labels, classes):
    """Check that labels are classes.

    Parameters
    ----------
    labels : array_like of int, [T]
    classes : int

    Returns
    -------
    numpy.ndarray, int32 [T]

    Raises
    ------
    ValueError
        Where one is not an integer in 0 … classes − 1; names the first.
    """
    given = np.asarray(labels)
    if given.ndim != 1 or given.dtype.kind not in "iuf":
        raise ValueError("expected labels to be a vector of integers, but got "
                         f"{given.dtype} of shape {given.shape}")
    bad = ~((given >= 0) & (given < classes) & (np.floor(given) == given))
    if bad.any():
        first = int(np.argmax(bad))
        raise ValueError(f"expected label {first} to be an integer from 0 to "
                         f"{classes - 1}, but got {given[first]}")
    return given.astype(np.int32)


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
        start = {name: np.ascontiguousarray(parameters[name], np.float32)
                 for name in self._names}
        zeros = [np.zeros_like(value) for value in start.values()]
        self._start = [np.int32(0), *start.values(), *zeros, *zeros]
        self._parameters = start

    def state(self):
        """Bring back all that a step takes over from the one before.

        Returns
        -------
        dict of str to numpy.ndarray
            `n` (int32, the number of steps), and float32 by the names of the
            parameters, their means (`m_…`) and the means of squares (`v_…`).
        """
        if self._start is not None:
            values = self._start
        else:
            # A step without tokens leaves all state as it is.
            values = self._run_step(
                np.zeros((0, self.config.features), np.float32),
                np.zeros(0, np.int32), 0.0,
                set(range(_NUMBER, _NUMBER + 1 + 3 * len(self._names))))
            values = values[_NUMBER:]
        return dict(zip(state_names(self.config), map(np.asarray, values)))

    def save(self, path):
        """Write `state` to an .npz file, for `restore`."""
        with open(path, "wb") as file:
            np.savez(file, **self.state())

    def restore(self, path):
        """Go on from what `save` wrote: the next steps give the same bits.

        Raises
        ------
        ValueError
            Where the file is not the state of this model; names the array.
        """
        with np.load(path, allow_pickle=False) as file:
            found = dict(file)
        wanted = state_names(self.config)
        if set(found) != set(wanted):
            odd = sorted(set(found) ^ set(wanted))[0]
            raise ValueError(
                f"expected {path} to hold " + ("no " if odd in found else "")
                + f"array '{odd}', but got " + ("one" if odd in found
                                                else "none"))
        shapes = [(), *(shape for _, shape in self.config.parameters())]
        shapes += 2 * shapes[1:]
        for name, shape in zip(wanted, shapes):
            kind = np.dtype(np.int32 if name == "n" else np.float32)
            value = found[name]
            if value.shape != shape or value.dtype != kind:
                raise ValueError(
                    f"expected array '{name}' of {path} to be {kind} of shape "
                    f"{shape}, but got {value.dtype} of shape {value.shape}")
        if found["n"] < 0:
            raise ValueError(f"expected array 'n' of {path} to be at least 0, "
                             f"but got {found['n']}")
        self._start = [found[name] for name in wanted]
        self._parameters = {name: found[name] for name in self._names}

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

        Raises
        ------
        ValueError
            Where a label is no class; names its token and value.
        """
        count = len(self._names)
        wanted = {0, 1, 2} | ({3} if indices else set())
        if parameters:
            wanted |= set(range(_FIRST_STATE, _FIRST_STATE + count))
        results = self._run_step(
            np.asarray(x, np.float32),
            check_labels(labels, self.config.classes), rate, wanted)
        self._parameters = None
        if parameters:
            self._parameters = dict(zip(
                self._names, results[_FIRST_STATE:_FIRST_STATE + count]))
        loss, right, counts, chosen = results[:4]
        return Step(float(loss), int(right), counts, chosen)

    def _run_step(self, x, labels, rate, wanted):
        state = self._start
        if state is None:
            state = [None] * (1 + 3 * len(self._names))
        results = self.session.run(
            "train_step", [x, labels, np.float32(rate), *state], wanted=wanted)
        self._start = None  # it is on the device now
        return results

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
                         check_labels(labels, self.config.classes),
                         *self.parameters.values()])
        return Step(float(loss), int(right), counts, None)
