"""Random inputs of a layer, the same for every run with the same seed."""

from functools import lru_cache

import numpy as np

# Contraction lengths that keep every intermediate value near unit variance.
_FAN_IN = {
    "router": lambda config: config.hidden,
    "w_gate_up": lambda config: config.hidden,
    "w_down": lambda config: config.intermediate,
    "w_shared_gate_up": lambda config: config.hidden,
    "w_shared_down": lambda config: config.shared_width,
}
_BIAS_SCALE = 0.1
# Seeds of one layer's inputs, so that neighbouring seeds share none.
_SEEDS_APART = 16


def layer_inputs(config, tokens, seed):
    """Make the inputs of a layer.

    Parameters
    ----------
    config : LayerConfig
    tokens : int
        T.
    seed : int

    Returns
    -------
    dict of str to numpy.ndarray
        float32, in argument order. `x` is standard normal, weights are scaled
        by 1 / sqrt(fan in) and biases by 0.1. The weights don't depend on
        `tokens`, and are shared with later calls: don't write to them.
    """
    from .random import normal

    x = normal((tokens, config.hidden), seed * _SEEDS_APART)
    return {"x": x, **_weights(config, seed)}


@lru_cache(maxsize=1)  # one layer's weights can be half a gigabyte
def _weights(config, seed):
    from .random import normal

    weights = {}
    for position, (name, shape) in enumerate(config.arguments()):
        if name == "x":
            continue
        scale = _BIAS_SCALE
        if name in _FAN_IN:
            scale = 1.0 / np.sqrt(_FAN_IN[name](config))
        values = normal(shape, seed * _SEEDS_APART + position)
        weights[name] = values * np.float32(scale)
    return weights
