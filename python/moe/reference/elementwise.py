"""Activations and softmax in float64."""

import numpy as np


def softmax(x):
    """Softmax over the last axis.

    Parameters
    ----------
    x : array_like, [..., N]

    Returns
    -------
    numpy.ndarray, float64 [..., N]
        A row with a NaN or +inf, or all -inf, is NaN throughout.
    """
    x = np.asarray(x, np.float64)
    if x.shape[-1] == 0:
        return x
    with np.errstate(invalid="ignore"):
        powers = np.exp(x - x.max(axis=-1, keepdims=True))
        return powers / powers.sum(axis=-1, keepdims=True)


def sigmoid(x):
    """1 / (1 + exp(-x)), elementwise; float64."""
    with np.errstate(over="ignore"):
        return 1.0 / (1.0 + np.exp(-np.asarray(x, np.float64)))


def silu(x):
    """x / (1 + exp(-x)), elementwise; float64."""
    x = np.asarray(x, np.float64)
    with np.errstate(over="ignore"):
        return x / (1.0 + np.exp(-x))


def swiglu(gate_up, *, interleaved=False):
    """silu(gate) * up over the two halves of the last axis.

    Parameters
    ----------
    gate_up : array_like, [..., 2 * I]
    interleaved : bool
        Whether columns 2i and 2i + 1 hold gate i and up i; otherwise the first
        I columns are the gate.

    Returns
    -------
    numpy.ndarray, float64 [..., I]
    """
    gate_up = np.asarray(gate_up, np.float64)
    if interleaved:
        gate, up = gate_up[..., 0::2], gate_up[..., 1::2]
    else:
        gate, up = np.split(gate_up, 2, axis=-1)
    return silu(gate) * up


def gelu_tanh(x):
    """The tanh form of GELU, elementwise; float64."""
    x = np.asarray(x, np.float64)
    inner = np.sqrt(2.0 / np.pi) * (x + 0.044715 * x**3)
    return 0.5 * x * (1.0 + np.tanh(inner))


def relu2(x):
    """max(x, 0) squared, elementwise; float64. A NaN stays a NaN."""
    return np.maximum(np.asarray(x, np.float64), 0.0)**2


def activate(name, hidden, *, interleaved=False):
    """Apply the activation of an expert by its name.

    Parameters
    ----------
    name : {"swiglu", "gelu", "relu2"}
    hidden : array_like, [..., 2 * I] for swiglu, else [..., I]
    interleaved : bool
        The column order of swiglu's operand.

    Returns
    -------
    numpy.ndarray, float64 [..., I]
    """
    if name == "swiglu":
        return swiglu(hidden, interleaved=interleaved)
    if name == "gelu":
        return gelu_tanh(hidden)
    if name == "relu2":
        return relu2(hidden)
    raise ValueError("expected an activation among swiglu, gelu, relu2, "
                     f"but got {name}")
