"""The gradients of a whole layer in float64."""

import numpy as np

from .elementwise import activate, sigmoid, silu
from .gradients import (combine_weight_grad, grouped_outer, grouped_reduce,
                        route_grad)
from .grouped import grouped_matmul
from .layer import layer, weighting_of
from .plan import plan
from .rows import combine, dispatch


def layer_vjp(config, inputs, dout, indices=None, dweights=None):
    """Evaluate the derivative of the layer that `moe.layer` prints.

    Parameters
    ----------
    config : moe.config.LayerConfig
    inputs : mapping of str to array_like
        By the names and shapes of `config.arguments()`.
    dout : array_like, [T, H]
        The gradient of the layer's result.
    indices : array_like of int, [T, K], optional
        The experts to use, as for `layer`.
    dweights : array_like, [T, K], optional
        The gradient of the routing weights, where they are a result.

    Returns
    -------
    (LayerOutputs, dict of str to numpy.ndarray)
        The layer's results and, by the name of each argument, its gradient.
    """
    outputs = layer(config, inputs, indices)
    arguments = {name: np.asarray(inputs[name], np.float64)
                 for name, _ in config.arguments()}
    x, dout = arguments["x"], np.asarray(dout, np.float64)
    planned = plan(outputs.indices, config.experts)
    gradients = {}

    # The forward values again.
    rows = dispatch(x, planned)
    hidden = grouped_matmul(rows, arguments["w_gate_up"], planned.offsets,
                            arguments.get("b_gate_up"), transpose_rhs=True)
    interleaved = config.interleaved_gate_up
    active = activate(config.activation, hidden, interleaved=interleaved)
    expert_out = grouped_matmul(active, arguments["w_down"], planned.offsets,
                                arguments.get("b_down"), transpose_rhs=True)

    # Backward through the experts.
    dexpert_out = dispatch(dout, planned, outputs.weights)
    dactive = grouped_matmul(dexpert_out, arguments["w_down"], planned.offsets)
    gradients["w_down"] = grouped_outer(dexpert_out, active, planned.offsets)
    dhidden = activate_vjp(config.activation, hidden, dactive,
                           interleaved=interleaved)
    gradients["w_gate_up"] = grouped_outer(dhidden, rows, planned.offsets)
    drows = grouped_matmul(dhidden, arguments["w_gate_up"], planned.offsets)
    if config.bias:
        gradients["b_down"] = grouped_reduce(dexpert_out, planned.offsets)
        gradients["b_gate_up"] = grouped_reduce(dhidden, planned.offsets)

    # Through the router.
    from_rows = combine_weight_grad(dout, expert_out, planned)
    if dweights is not None:
        from_rows = from_rows + np.asarray(dweights, np.float64)
    dlogits = route_grad(outputs.logits, outputs.indices, from_rows,
                         **weighting_of(config))
    gradients["router"] = x.T @ dlogits
    gradients["x"] = combine(drows, planned) + dlogits @ arguments["router"].T
    if config.correction_bias:
        gradients["correction_bias"] = np.zeros(config.experts)

    if config.shared_experts:
        up, down = arguments["w_shared_gate_up"], arguments["w_shared_down"]
        hidden = x @ up.T
        active = activate(config.activation, hidden)
        dhidden = activate_vjp(config.activation, hidden, dout @ down)
        gradients["w_shared_down"] = dout.T @ active
        gradients["w_shared_gate_up"] = dhidden.T @ x
        gradients["x"] = gradients["x"] + dhidden @ up
    return outputs, {name: gradients[name] for name in arguments}


def activate_vjp(name, hidden, dactive, *, interleaved=False):
    """Give the gradient of `activate`'s operand.

    Parameters
    ----------
    name, hidden, interleaved
        As in `activate`.
    dactive : array_like, [..., I]

    Returns
    -------
    numpy.ndarray, float64, the shape of `hidden`
    """
    hidden = np.asarray(hidden, np.float64)
    dactive = np.asarray(dactive, np.float64)
    if name == "relu2":
        return dactive * 2.0 * np.maximum(hidden, 0.0)
    if name == "gelu":
        factor = np.sqrt(2.0 / np.pi)
        tanh = np.tanh(factor * (hidden + 0.044715 * hidden**3))
        slope = factor * (1.0 + 3 * 0.044715 * hidden**2)
        return dactive * (0.5 * (1.0 + tanh)
                          + 0.5 * hidden * (1.0 - tanh**2) * slope)
    if name != "swiglu":
        raise ValueError("expected an activation among swiglu, gelu, relu2, "
                         f"but got {name}")
    width = hidden.shape[-1] // 2
    gates = slice(0, None, 2) if interleaved else slice(0, width)
    ups = slice(1, None, 2) if interleaved else slice(width, None)
    gate, up = hidden[..., gates], hidden[..., ups]
    share = sigmoid(gate)
    result = np.empty(hidden.shape)
    result[..., gates] = dactive * up * share * (1.0 + gate * (1.0 - share))
    result[..., ups] = dactive * silu(gate)
    return result
