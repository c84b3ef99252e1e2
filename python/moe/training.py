"""Prints a whole training step of a classifier with a mixture of experts.

    /usr/bin/python3 -m moe.training --features=64 --classes=10 --hidden=64 \
        --experts=8 --top-k=2 --intermediate=64

The model projects the features to tokens, adds the layer of `moe.layer` to them
and projects the sum to classes:

    h = x · w_in + b_in,   out = (h + layer(h)) · w_out + b_out

Its loss is the mean cross entropy, plus `balance` times the load-balancing loss
E · Σ_e f_e · P_e (f_e: the share of the slots that expert e takes, from the
plan's counts; P_e: its mean softmax score), plus `z` times the mean square of the
logarithm of the router's Σ exp. The step differentiates it with
`--moe-differentiate` and updates the parameters by AdamW, all on the device:

    m ← m + (1−β1)·(g − m)     v ← v + (1−β2)·(g² − v)
    p ← p − rate · (m/(1−β1ⁿ) / (√(v/(1−β2ⁿ)) + ε) + decay·p)
"""

import argparse
import math
import subprocess
import sys
from dataclasses import dataclass
from string import Template

from .config import LayerConfig
from .find import find_tool
from .layer import add_options, layer_blocks, parse_integer, parse_number
from .printer import Value, f64, names, types
from .training_text import (ADAM, EVALUATE, LOSS, MAPS, PROJECT_IN,
                            PROJECT_OUT, STEP)

__all__ = ["TrainingConfig", "main", "primal_module", "training_module"]


@dataclass(frozen=True)
class TrainingConfig:
    """A model and how it is trained; the number of tokens stays open.

    Attributes
    ----------
    layer : LayerConfig
        Without a bias, shared experts, a correction bias or returned routing.
    features, classes : int
        What a token has, and what it may be.
    balance, z : float
        Factors of the router's two losses.
    beta1, beta2, epsilon, decay : float
        Of AdamW: 0 ≤ β < 1, ε ≥ 0, finite.

    Raises
    ------
    ValueError
        Where a number is outside these; it is named with its value.
    """

    layer: LayerConfig
    features: int
    classes: int
    balance: float = 0.05
    z: float = 0.001
    beta1: float = 0.9
    beta2: float = 0.999
    epsilon: float = 1e-6
    decay: float = 0.01

    def __post_init__(self):
        layer = self.layer
        if (layer.bias or layer.shared_experts or layer.correction_bias
                or layer.return_routing):
            raise ValueError("expected a layer without bias, shared experts, "
                             "correction bias and returned routing, but got "
                             f"{layer}")
        for name in ("features", "classes"):
            if getattr(self, name) < 1:
                raise ValueError(f"expected {name} to be at least 1, but got "
                                 f"{getattr(self, name)}")

        for name in ("beta1", "beta2"):
            if not 0 <= getattr(self, name) < 1:
                raise ValueError(f"expected {name} to be at least 0 and below "
                                 f"1, but got {getattr(self, name)}")
        for name in ("epsilon", "decay", "balance", "z"):
            value = getattr(self, name)
            if not (math.isfinite(value) and value >= 0):
                raise ValueError(f"expected {name} to be finite and at least "
                                 f"0, but got {value}")

    def parameters(self):
        """Give the names and shapes of the parameters, in order.

        Returns
        -------
        list of (str, tuple of int)
        """
        hidden = self.layer.hidden
        layer = [(name, shape) for name, shape in self.layer.arguments()
                 if name != "x"]
        return [("w_in", (self.features, hidden)), ("b_in", (hidden,)), *layer,
                ("w_out", (hidden, self.classes)), ("b_out", (self.classes,))]


def primal_module(config):
    """Print the module before it is differentiated.

    Parameters
    ----------
    config : TrainingConfig

    Returns
    -------
    str
        `@loss`, `@train_step`, which calls the derivative of `@loss`, and
        `@evaluate`.
    """
    parameters = [Value(*item) for item in config.parameters()]
    values = _template_values(config, parameters)
    return "\n".join([MAPS, _loss(config, parameters, values),
                      _adam(config, parameters),
                      _step(config, parameters, values),
                      Template(EVALUATE).substitute(values)])


def training_module(config, moe_opt=None):
    """Print the module of a training step.

    Parameters
    ----------
    config : TrainingConfig
    moe_opt : str or Path, optional
        The tool; by default the one of `moe.find.find_tool`.

    Returns
    -------
    str
        A module with two functions. P are the parameters in the order of
        `config.parameters()`, M and V their means of gradients and squares.

        * `@train_step(x[T, features], labels[T], rate, n, P…, M…, V…)` gives
          the loss, the number of tokens classified right, the number of slots
          of each expert, the indices[T, K], then n + 1 and the new P…, M…, V….
          n (i32, 0 at first) and all that follows are state: they stay on the
          device and are updated in place.
        * `@evaluate(x, labels, P…)` gives the loss, the number of tokens
          classified right and the slots of each expert.

    Raises
    ------
    RuntimeError
        Where the tool fails; holds what it said.
    """
    tool = find_tool("moe-opt") if moe_opt is None else moe_opt
    wrt = ",".join(str(i) for i in range(len(config.parameters())))
    passes = [f"--moe-differentiate=function=loss wrt={wrt}", "--inline",
              "--symbol-dce"]
    done = subprocess.run([str(tool), *passes], input=primal_module(config),
                          capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{tool} ended with exit status {done.returncode}\n"
                           f"{done.stderr}")
    return done.stdout


def _template_values(config, parameters):
    layer = config.layer
    return {
        "H": layer.hidden, "E": layer.experts, "K": layer.top_k,
        "E1": layer.experts + 1, "F": config.features, "C": config.classes,
        "balance": _f32(config.balance * layer.experts), "z": _f32(config.z),
        "signature": ", ".join(f"{p}: {p.type}" for p in parameters),
        "parameters": names(parameters), "types": types(parameters)}


def _f32(value):
    return f64(value).removesuffix(" : f64")


def _log(beta):
    # No number is printed for -inf; its bits are.
    return _f32(math.log(beta)) if beta else "0xFF800000"


def _loss(config, parameters, values):
    arguments = {parameter.name: parameter for parameter in parameters}
    arguments["x"] = Value("h", (None, config.layer.hidden))
    blocks = "\n\n".join("\n".join(f"  {line}" for line in block)
                         for block in layer_blocks(config.layer, arguments))
    # The layer asks h for its number of tokens, and so does what makes h.
    blocks = blocks.replace("  %c0 = arith.constant 0 : index\n"
                            "  %zero = arith.constant 0.0 : f32\n", "", 1)
    return Template(PROJECT_IN + blocks + PROJECT_OUT + LOSS).substitute(values)


def _adam(config, parameters):
    """One function for each shape of a parameter."""
    shapes = sorted({parameter.shape for parameter in parameters})
    return "\n".join(Template(ADAM).substitute(
        name=_adam_name(shape), type=Value("", shape).type,
        map=f"#map{len(shape)}", scalar=f"#scalar{len(shape)}",
        loops=", ".join(['"parallel"'] * len(shape)),
        rest1=_f32(1 - config.beta1), rest2=_f32(1 - config.beta2),
        epsilon=_f32(config.epsilon), decay=_f32(config.decay))
        for shape in shapes)


def _adam_name(shape):
    return "adamw_" + "x".join(str(size) for size in shape)


def _step(config, parameters, values):
    # loss, right, counts, indices, and the next number of the step
    state = 5
    count = len(parameters)
    arguments, calls, results = [], [], []
    for part, prefix in enumerate(("", "m_", "v_")):
        for i, parameter in enumerate(parameters):
            arguments.append(
                f"%{prefix}{parameter.name}: {parameter.type} "
                f"{{moe.name = \"{prefix}{parameter.name}\", "
                f"moe.aliases_result = {state + part * count + i} : i64}}")
            results.append(f"%next_{parameter.name}#{part}")
    for i, parameter in enumerate(parameters):
        kind, name = parameter.type, parameter.name
        calls.append(
            f"  %next_{name}:3 = func.call @{_adam_name(parameter.shape)}("
            f"%{name}, %m_{name}, %v_{name}, %all#{4 + i}, %rate, %scale1, "
            f"%scale2, %tokens)\n      : ({kind}, {kind}, {kind}, {kind}, "
            f"tensor<f32>, tensor<f32>, tensor<f32>, index) "
            f"-> ({kind}, {kind}, {kind})")
    return Template(STEP).substitute(
        values, arguments=", ".join(arguments), calls="\n".join(calls),
        results=", ".join(results), count=4 + count,
        log_beta1=_log(config.beta1), log_beta2=_log(config.beta2),
        all_types=", ".join([values["types"]] * 3))


def main(arguments=None):
    """Print the module that the command line describes."""
    parser = argparse.ArgumentParser(
        prog="moe.training", allow_abbrev=False,
        description="Prints a training step of a classifier with a mixture of "
        "experts as an MLIR module, differentiated by moe-opt.")
    own = {"features": "what a token has", "classes": "what it may be"}
    for name, meaning in own.items():
        parser.add_argument(f"--{name}", type=parse_integer, required=True,
                            metavar="N", help=meaning)
    add_options(parser)
    factors = {"balance": "factor of the load-balancing loss",
               "z": "factor of the loss of large router logits",
               "beta1": "AdamW's β1", "beta2": "AdamW's β2",
               "epsilon": "AdamW's ε", "decay": "AdamW's weight decay"}
    for name, meaning in factors.items():
        default = getattr(TrainingConfig, name)
        parser.add_argument(f"--{name}", type=parse_number, default=default,
                            metavar="X", help=f"{meaning} (default: {default})")
    options = vars(parser.parse_args(arguments))
    mine = {name: options.pop(name) for name in (*own, *factors)}
    try:
        text = training_module(TrainingConfig(LayerConfig(**options), **mine))
    except ValueError as error:
        parser.error(str(error))
    except (OSError, RuntimeError) as error:
        sys.exit(f"moe.training: {error}")
    sys.stdout.write(text)


if __name__ == "__main__":
    main()
