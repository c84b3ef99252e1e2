"""Helpers for tests that run a layer through `moe-run`."""

import subprocess
import zlib
from dataclasses import replace
from pathlib import Path

import numpy as np

from .compare import ROW_TOLERANCE, TOLERANCE, compare_layer
from .inputs import layer_inputs
from .layer import layer_module

__all__ = ["check_layer", "check_values", "layer_command", "layer_inputs",
           "load_outputs", "run_layer"]

_TIMEOUT_SECONDS = 600


def run_layer(moe_run, config, tokens, seed, directory, validate="sync",
              bundle=None, *, inputs=None, options=()):
    """Run a layer on random inputs and give its results.

    Parameters
    ----------
    moe_run : str or Path
        The tool.
    config : LayerConfig
        Routing is returned whatever it says.
    tokens : int
        T.
    seed : int
        Of the inputs, see `layer_inputs`.
    directory : Path
        Where the files go; inputs already there are not written again.
    validate : {"sync", "on", "gpu"} or None
        Validation mode; None for none.
    bundle : str or Path, optional
        A bundle of this layer, run in place of the printed module.
    inputs : mapping of str to numpy.ndarray, optional
        Used in place of random ones.
    options : sequence of str
        Further options of the tool.

    Returns
    -------
    dict of str to numpy.ndarray
        "out" [T, H], "weights" [T, K] and "indices" [T, K].

    Raises
    ------
    RuntimeError
        Where the tool fails; holds its command and what it said.
    """
    if inputs is None:
        inputs = layer_inputs(config, tokens, seed)
        prefix = f"{zlib.crc32(repr(config).encode()):08x}-seed{seed}"
    else:
        prefix = None
    command = layer_command(moe_run, config, inputs, directory,
                            validate=validate, bundle=bundle, prefix=prefix)
    done = subprocess.run([*command, *options], capture_output=True, text=True,
                          timeout=_TIMEOUT_SECONDS, check=False)
    if done.returncode:
        raise RuntimeError(f"{' '.join([*command, *options])}\nexit status "
                           f"{done.returncode}\n{done.stdout}{done.stderr}")
    return load_outputs(config, directory)


def check_layer(outputs, inputs, config):
    """Assert that a layer's results are within the tolerances.

    Parameters
    ----------
    outputs : mapping of str to numpy.ndarray
        What `run_layer` gives.
    inputs : mapping of str to numpy.ndarray
        What the layer was given.
    config : LayerConfig

    Returns
    -------
    moe.compare.LayerReport

    Raises
    ------
    AssertionError
        One line for each tolerance that is exceeded.
    """
    report = compare_layer(outputs, inputs, _with_routing(config))
    if report.failures:
        raise AssertionError("\n".join(report.failures))
    return report


def check_values(got, expected, *, tolerance=TOLERANCE,
                 row_tolerance=ROW_TOLERANCE):
    """Assert that float32 values are near float64 ones.

    Parameters
    ----------
    got : numpy.ndarray, float32
    expected : array_like, float64
        Zeros must be met exactly where a whole row is zero, and a NaN by a NaN.
    tolerance, row_tolerance : float
        Of max |error| over max |expected|, and of the same in each row (the
        last axis).

    Raises
    ------
    AssertionError
        Says which row is worst.
    """
    expected = np.asarray(expected, np.float64)
    assert got.shape == expected.shape and got.dtype == np.float32, (
        f"expected float32 {expected.shape}, but got {got.dtype} {got.shape}")
    if not got.size:
        return
    same = (got == expected) | (np.isnan(got) & np.isnan(expected))
    with np.errstate(invalid="ignore"):
        error = np.where(same, 0, np.abs(got - expected))
    error = error.reshape(-1, expected.shape[-1] if expected.ndim else 1)
    size = np.where(np.isfinite(expected), np.abs(expected), 0)
    size = size.reshape(error.shape)
    with np.errstate(divide="ignore", invalid="ignore"):
        rows = np.where(error == 0, 0, error / size.max(axis=1, keepdims=True))
    worst = int(np.argmax(rows.max(axis=1)))  # a NaN counts as the largest
    # Negated comparisons, so that a NaN fails.
    if not (error <= tolerance * size.max()).all():
        place = np.unravel_index(int(np.argmax(error)), expected.shape)
        raise AssertionError(
            f"expected a relative error of at most {tolerance:g}, but got "
            f"{error.max() / size.max():.3g}; worst at {list(map(int, place))}: "
            f"{got[place]:.9g}, reference {expected[place]:.9g}")
    if not (rows <= row_tolerance).all():
        raise AssertionError(
            f"expected each row's relative error to be at most "
            f"{row_tolerance:g}, but got {rows.max():.3g} in row {worst}")


def layer_command(moe_run, config, inputs, directory, *, validate=None,
                  bundle=None, prefix=None):
    """Write a layer's files and give the command that runs it.

    Parameters
    ----------
    moe_run, config, directory, validate, bundle
        As in `run_layer`.
    inputs : mapping of str to numpy.ndarray
    prefix : str, optional
        Names the values of all inputs but `x`: files with this prefix are
        reused.

    Returns
    -------
    list of str
        Its results can be read by `load_outputs` afterwards.
    """
    directory = Path(directory)
    config = _with_routing(config)
    program = bundle
    if program is None:
        program = directory / "layer.mlir"
        program.write_text(layer_module(config), encoding="utf-8")
    command = [str(moe_run), str(program)]
    for name, _ in config.arguments():
        reused = prefix is not None and name != "x"
        path = directory / (f"{prefix}-{name}.npy" if reused else f"{name}.npy")
        if not (reused and path.exists()):
            np.save(path, inputs[name])
        command.append(f"--input={path}")
    for name, _, _ in config.results():
        path = directory / f"{name}.npy"
        # An old result must not pass for a new one.
        path.unlink(missing_ok=True)
        command.append(f"--output={path}")
    if validate is not None:
        command.append(f"--validate={validate}")
    return command


def load_outputs(config, directory):
    """Read the results that the command of `layer_command` has written.

    Parameters
    ----------
    config : LayerConfig
    directory : Path

    Returns
    -------
    dict of str to numpy.ndarray
    """
    return {name: np.load(Path(directory) / f"{name}.npy")
            for name, _, _ in _with_routing(config).results()}


def _with_routing(config):
    return replace(config, return_routing=True)
