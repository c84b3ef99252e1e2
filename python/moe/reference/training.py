"""The training step of `moe.training` in float64."""

from typing import Dict, NamedTuple

import numpy as np

from .elementwise import softmax
from .layer import layer
from .layer_vjp import layer_vjp

__all__ = ["StepOutputs", "TrainingState", "evaluate", "gradients",
           "initial_state", "train_step"]


class TrainingState(NamedTuple):
    """What a step takes over from the one before.

    Attributes
    ----------
    n : int
        The number of steps so far.
    parameters, means, squares : dict of str to numpy.ndarray, float64
        By the names of `TrainingConfig.parameters()`: the parameters, and the
        running means of their gradients and of the gradients' squares.
    """

    n: int
    parameters: Dict[str, np.ndarray]
    means: Dict[str, np.ndarray]
    squares: Dict[str, np.ndarray]


class StepOutputs(NamedTuple):
    """The results of `evaluate`.

    Attributes
    ----------
    loss : float
    right : int
        Tokens whose label's class has the largest score.
    counts : numpy.ndarray, int64 [E]
        The slots of each expert.
    indices : numpy.ndarray, int32 [T, K]
    """

    loss: float
    right: int
    counts: np.ndarray
    indices: np.ndarray


def initial_state(parameters):
    """Start from these parameters: a mapping of names to arrays."""
    start = {name: np.asarray(value, np.float64)
             for name, value in parameters.items()}
    zeros = {name: np.zeros_like(value) for name, value in start.items()}
    return TrainingState(0, start, zeros, zeros)


def evaluate(config, parameters, x, labels, indices=None):
    """Evaluate the loss.

    Parameters
    ----------
    config : moe.training.TrainingConfig
    parameters : mapping of str to array_like
    x : array_like, [T, features]
    labels : array_like of int, [T]
    indices : array_like of int, [T, K], optional
        The experts to use, as for `layer`.

    Returns
    -------
    StepOutputs
    """
    return _forward(config, parameters, x, labels, indices)[0]


def gradients(config, parameters, x, labels, indices=None):
    """Evaluate the loss and its gradient.

    Returns
    -------
    (StepOutputs, dict of str to numpy.ndarray)
        The gradients by the names of the parameters. f_e, the experts' share of
        the slots, counts as a constant.
    """
    outputs, values = _forward(config, parameters, x, labels, indices)
    tokens, router = len(values["x"]), values["router"]

    # Mean cross entropy.
    dclasses = softmax(values["classes"])
    dclasses[np.arange(tokens), np.asarray(labels)] -= 1
    dclasses /= tokens
    dsum = dclasses @ values["w_out"].T
    result = {"w_out": values["sum"].T @ dclasses, "b_out": dclasses.sum(0)}

    _, inner = layer_vjp(config.layer, values["layer_inputs"], dsum,
                         outputs.indices)

    # The router's own losses, by its logits.
    scores, lse = softmax(values["logits"]), _log_sum_exp(values["logits"])
    factor = config.balance * config.layer.experts / tokens
    dscores = np.tile(factor * values["shares"], (tokens, 1))
    dlogits = scores * (dscores - (dscores * scores).sum(1, keepdims=True))
    dlogits += scores * (config.z * 2 / tokens * lse)[:, None]

    dh = dsum + inner["x"] + dlogits @ router.T
    result["router"] = inner["router"] + values["h"].T @ dlogits
    result |= {name: inner[name] for name in inner
               if name not in ("x", "router")}
    result |= {"w_in": values["x"].T @ dh, "b_in": dh.sum(0)}
    return outputs, {name: result[name] for name, _ in config.parameters()}


def train_step(config, state, x, labels, rate, indices=None):
    """Take one step of AdamW; see `moe.training` for the formulas.

    Returns
    -------
    (TrainingState, StepOutputs)
        The next state, and the results before the step. Without tokens the loss
        is 0 and the state stays as it is.
    """
    if len(labels) == 0:
        none = np.zeros(config.layer.experts, np.int64)
        indices = np.zeros((0, config.layer.top_k), np.int32)
        return state, StepOutputs(0.0, 0, none, indices)
    outputs, slopes = gradients(config, state.parameters, x, labels, indices)
    n = state.n + 1
    parameters, means, squares = {}, {}, {}
    for name, slope in slopes.items():
        old = state.parameters[name]
        mean = config.beta1 * state.means[name] + (1 - config.beta1) * slope
        square = (config.beta2 * state.squares[name]
                  + (1 - config.beta2) * slope ** 2)
        step = (mean / (1 - config.beta1 ** n)
                / (np.sqrt(square / (1 - config.beta2 ** n)) + config.epsilon))
        parameters[name] = old - rate * (step + config.decay * old)
        means[name], squares[name] = mean, square
    return TrainingState(n, parameters, means, squares), outputs


def _log_sum_exp(scores):
    largest = scores.max(1)
    return largest + np.log(np.exp(scores - largest[:, None]).sum(1))


def _forward(config, parameters, x, labels, indices):
    values = {name: np.asarray(parameters[name], np.float64)
              for name, _ in config.parameters()}
    values["x"], labels = np.asarray(x, np.float64), np.asarray(labels)
    values["h"] = values["x"] @ values["w_in"] + values["b_in"]
    values["layer_inputs"] = {
        "x": values["h"], **{name: values[name] for name, _ in
                             config.layer.arguments() if name != "x"}}
    routed = layer(config.layer, values["layer_inputs"], indices)
    values["logits"], values["sum"] = routed.logits, values["h"] + routed.out
    values["classes"] = values["sum"] @ values["w_out"] + values["b_out"]

    tokens, experts = len(labels), config.layer.experts
    picked = values["classes"][np.arange(tokens), labels]
    counts = np.bincount(routed.indices.ravel(), minlength=experts)
    values["shares"] = counts / (tokens * config.layer.top_k)
    scores = softmax(routed.logits).mean(0)
    loss = ((_log_sum_exp(values["classes"]) - picked).mean()
            + config.balance * experts * (values["shares"] * scores).sum()
            + config.z * (_log_sum_exp(routed.logits) ** 2).mean())
    right = int((picked >= values["classes"].max(1)).sum())
    return StepOutputs(float(loss), right, counts, routed.indices), values
