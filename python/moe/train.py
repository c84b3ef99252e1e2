"""Trains a mixture-of-experts classifier of handwritten digits on Vulkan.

    /usr/bin/python3 -m moe.train --plot=training.png

Each step - forward, loss, backward, AdamW - is one submit to the device, where
the parameters and the optimizer's state stay.
"""

import argparse
import sys
import time
from pathlib import Path
from typing import List, NamedTuple

import numpy as np

from .config import LayerConfig
from .digits import load_digits, read_digits
from .layer import parse_integer, parse_number
from .plot_training import plot_training
from .trainer import Trainer, compile_training, random_parameters
from .training import TrainingConfig

__all__ = ["History", "learning_rate", "main", "train"]

_WARMUP_STEPS = 20
_BAR = 24


class History(NamedTuple):
    """The course of a run: lists by steps, then by epochs.

    Attributes
    ----------
    losses : list of float
    counts : list of numpy.ndarray, int32 [E]
        The slots of each expert.
    epoch_ends : list of int
        The number of steps so far.
    train_accuracies, held_out_accuracies, held_out_losses : list of float
    """

    losses: List[float]
    counts: List[np.ndarray]
    epoch_ends: List[int]
    train_accuracies: List[float]
    held_out_accuracies: List[float]
    held_out_losses: List[float]


def learning_rate(step, steps, largest):
    """Rise over the first steps, then fall to 0 along a cosine."""
    if step < _WARMUP_STEPS:
        return largest * (step + 1) / _WARMUP_STEPS
    done = (step - _WARMUP_STEPS) / max(1, steps - _WARMUP_STEPS)
    return largest * 0.5 * (1 + np.cos(np.pi * done))


def train(trainer, digits, *, epochs, batch, rate, seed, report):
    """Train for some epochs.

    Parameters
    ----------
    trainer : Trainer
    digits : Digits
    epochs, batch : int
        The last batch of an epoch may be smaller.
    rate : float
        The largest learning rate.
    seed : int
        Of the order of the images.
    report : callable
        Called after each step with the history, the epoch and the number of
        steps of the run, and after each epoch.

    Returns
    -------
    History
    """
    history = History([], [], [], [], [], [])
    random = np.random.default_rng(seed)
    tokens = len(digits.train_labels)
    steps = epochs * -(-tokens // batch)
    for epoch in range(epochs):
        order, right = random.permutation(tokens), 0
        for first in range(0, tokens, batch):
            chosen = order[first:first + batch]
            step = trainer.step(
                digits.train_x[chosen], digits.train_labels[chosen],
                learning_rate(len(history.losses), steps, rate),
                parameters=first + batch >= tokens)
            right += step.right
            history.losses.append(step.loss)
            history.counts.append(step.counts)
            report(history, epoch, steps)
        held_out = trainer.evaluate(digits.held_out_x, digits.held_out_labels)
        history.epoch_ends.append(len(history.losses))
        history.train_accuracies.append(right / tokens)
        history.held_out_accuracies.append(
            held_out.right / len(digits.held_out_labels))
        history.held_out_losses.append(held_out.loss)
        report(history, epoch, steps)
    return history


def _silent(*_):
    """Reports nothing."""


class _Progress:
    """A bar on a terminal; elsewhere a line after each epoch."""

    def __init__(self, stream, epochs):
        self._stream, self._epochs = stream, epochs
        self._live = stream.isatty()
        self._told = 0

    def __call__(self, history, epoch, steps):
        done = len(history.losses)
        ended = len(history.epoch_ends)
        full = _BAR * done // steps
        line = (f"epoch {epoch + 1:>3}/{self._epochs} "
                f"[{'#' * full}{'.' * (_BAR - full)}] "
                f"step {done:>5}/{steps}  loss {history.losses[-1]:.4f}")
        if ended:
            line += f"  held out {history.held_out_accuracies[-1]:.1%}"
        if self._live:
            self._stream.write(f"\r{line}" + ("\n" if done == steps
                                              and ended == self._epochs else ""))
        elif ended > self._told:
            self._stream.write(line + "\n")
        self._told = ended
        self._stream.flush()


def main(arguments=None):
    """Train, print the held-out accuracy and draw the plot."""
    parser = _parser()
    options = parser.parse_args(arguments)
    try:
        config = TrainingConfig(
            LayerConfig(options.hidden, options.experts, options.top_k,
                        options.intermediate, renormalize=True), 64, 10)
        if options.bundle and options.target:
            raise ValueError("expected a bundle or a target to compile for, "
                             "but got both")
        for name in ("epochs", "batch"):
            if getattr(options, name) < 1:
                raise ValueError(f"expected {name} to be at least 1, but got "
                                 f"{getattr(options, name)}")
    except ValueError as error:
        parser.error(str(error))
    try:
        return _run(options, config)
    except (OSError, ImportError, RuntimeError, ValueError) as error:
        print(f"moe.train: error: {error}", file=sys.stderr)
        return 2


def _run(options, config):
    digits = read_digits(options.data) if options.data else load_digits()
    if options.bundle:
        bundle = Path(options.bundle).read_bytes()
    else:
        bundle = compile_training(config, device=options.device,
                                  target=options.target)
    if options.emit_bundle:
        Path(options.emit_bundle).write_bytes(bundle)
    parameters = random_parameters(config, options.seed)
    size = sum(value.size for value in parameters.values())
    layer = config.layer
    print(f"model: {config.features} features -> {layer.hidden}, "
          f"{layer.experts} experts of {layer.intermediate} hidden units, "
          f"{layer.top_k} for each image, -> {config.classes} classes; "
          f"{size} parameters, f32")
    with Trainer(config, bundle, parameters, device=options.device,
                 validate=options.validate) as trainer:
        print(f"device: {trainer.session.device}", flush=True)
        start = time.monotonic()
        history = train(trainer, digits, epochs=options.epochs,
                        batch=options.batch, rate=options.rate,
                        seed=options.seed,
                        report=_silent if options.quiet else
                        _Progress(sys.stderr, options.epochs))
        took = time.monotonic() - start
        submits = trainer.session.statistics()["submits"]
    return _print_results(options, digits, history, took, submits)


def _print_results(options, digits, history, took, submits):
    steps, epochs = len(history.losses), len(history.epoch_ends)
    counts = np.sum(history.counts[-len(history.counts) // epochs:], axis=0)
    shares = counts / counts.sum()
    held_out = len(digits.held_out_labels)
    accuracy = history.held_out_accuracies[-1]
    print(f"{steps} steps and {epochs} evaluation{'s' * (epochs != 1)} took "
          f"{took:.1f} s, {submits} submits")
    print(f"experts' shares of the last epoch's slots: {shares.min():.1%} to "
          f"{shares.max():.1%} (even: {1 / len(shares):.1%})")
    print(f"held-out accuracy: {accuracy:.1%} "
          f"({round(accuracy * held_out)} of {held_out} images)")
    if options.losses:
        np.save(options.losses, np.asarray(history.losses, np.float64))
    if options.plot:
        plot_training(options.plot, history,
                      title="digits, mixture of experts on Vulkan: "
                      f"{accuracy:.1%} of the held-out images right")
        print(f"plot: {options.plot}")
    if accuracy < options.least_accuracy:
        print(f"moe.train: error: expected a held-out accuracy of at least "
              f"{options.least_accuracy:.1%}, but got {accuracy:.1%}",
              file=sys.stderr)
        return 1
    return 0


def _parser():
    parser = argparse.ArgumentParser(
        prog="moe.train", allow_abbrev=False,
        description="Trains a mixture-of-experts classifier of handwritten "
        "digits on a Vulkan device. Exit status: 0 good; 1 the accuracy is too "
        "low; 2 an error.")
    for name, default, meaning in (
            ("hidden", 64, "features of a token"),
            ("experts", 8, "number of experts"),
            ("top-k", 2, "experts for each image"),
            ("intermediate", 64, "hidden units of an expert"),
            ("epochs", 20, "passes over the training images"),
            ("batch", 64, "images of a step"),
            ("seed", 1, "of the parameters and of the images' order")):
        parser.add_argument(f"--{name}", type=parse_integer, default=default,
                            metavar="N", help=f"{meaning} (default: {default})")
    parser.add_argument("--rate", type=parse_number, default=3e-3, metavar="X",
                        help="the largest learning rate (default: 0.003)")
    parser.add_argument("--least-accuracy", type=parse_number, default=0.95,
                        metavar="X", help="held-out accuracy below which the "
                        "run has failed (default: 0.95)")
    for name, metavar, meaning in (
            ("plot", "FILE.png", "draw loss, accuracy and the experts' load"),
            ("losses", "FILE.npy", "write the loss of each step"),
            ("data", "FILE.npz", "the digits, as moe.digits reads them, in "
             "place of scikit-learn's"),
            ("bundle", "FILE", "a compiled training step of this model"),
            ("emit-bundle", "FILE", "write the compiled training step"),
            ("target", "NAME", "compile for a named target, not the device"),
            ("validate", "on|sync|gpu", "run under the validation layer")):
        parser.add_argument(f"--{name}", metavar=metavar, help=meaning)
    parser.add_argument("--quiet", action="store_true",
                        help="show no progress")
    parser.add_argument("--device", type=parse_integer, metavar="N",
                        help="device number, as moe-run --list-devices counts")
    return parser


if __name__ == "__main__":
    sys.exit(main())
