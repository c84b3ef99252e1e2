"""A whole mixture-of-experts layer in float64."""

from typing import NamedTuple

import numpy as np

from .elementwise import activate
from .grouped import grouped_matmul
from .plan import plan
from .route import route, route_weights
from .rows import combine, dispatch


class LayerOutputs(NamedTuple):
    """The result of `layer`.

    Attributes
    ----------
    out : numpy.ndarray, float64 [T, H]
    weights : numpy.ndarray, float64 [T, K]
    indices : numpy.ndarray, int32 [T, K]
        The routing that was used: the given one, or the layer's own.
    logits : numpy.ndarray, float64 [T, E]
    """

    out: np.ndarray
    weights: np.ndarray
    indices: np.ndarray
    logits: np.ndarray


def layer(config, inputs, indices=None):
    """Evaluate the layer that `moe.layer` prints for the same configuration.

    Parameters
    ----------
    config : moe.config.LayerConfig
    inputs : mapping of str to array_like
        By the names and shapes of `config.arguments()`.
    indices : array_like of int, [T, K], optional
        The experts to use, for instance those a device chose: a tie that f32
        decides differently then doesn't hide the errors worth measuring. Their
        weights are computed here all the same.

    Returns
    -------
    LayerOutputs
    """
    x = np.asarray(inputs["x"], np.float64)
    logits = x @ np.asarray(inputs["router"], np.float64)
    if indices is None:
        indices = route(logits, config.top_k, **routing_of(config),
                        bias=inputs.get("correction_bias")).indices
    indices = np.asarray(indices, np.int32)
    planned = plan(indices, config.experts)
    if planned.fault is not None:
        raise ValueError(
            f"expected indices between 0 and {config.experts - 1}, but got "
            f"{planned.fault.value} for token {planned.fault.token} in slot "
            f"{planned.fault.slot}")
    weights = route_weights(logits, indices, **weighting_of(config))

    rows = dispatch(x, planned)
    hidden = grouped_matmul(rows, inputs["w_gate_up"], planned.offsets,
                            inputs.get("b_gate_up"), transpose_rhs=True)
    hidden = activate(config.activation, hidden,
                      interleaved=config.interleaved_gate_up)
    rows = grouped_matmul(hidden, inputs["w_down"], planned.offsets,
                          inputs.get("b_down"), transpose_rhs=True)
    out = combine(rows, planned, weights)

    if config.shared_experts:
        # The interleaved order is one of the experts' weights alone.
        hidden = x @ np.asarray(inputs["w_shared_gate_up"], np.float64).T
        hidden = activate(config.activation, hidden)
        out = out + hidden @ np.asarray(inputs["w_shared_down"], np.float64).T
    return LayerOutputs(out, weights, indices, logits)


def weighting_of(config):
    """Give the keyword arguments of `route_weights` and `route_grad`."""
    return {
        "scoring": config.scoring,
        "renormalize": config.renormalize,
        "scale": config.scale,
        "epsilon": config.renormalize_epsilon,
        "floor": config.renormalize_floor,
    }


def routing_of(config):
    """Give the keyword arguments of `route` that decide the selection."""
    return {
        "scoring": config.scoring,
        "groups": config.groups,
        "selected_groups": config.selected_groups,
        "group_score": config.group_score,
    }
