"""Prints a mixture-of-experts layer as an MLIR module.

    /usr/bin/python3 -m moe.layer --hidden=64 --experts=8 --top-k=2 \
        --intermediate=128

The function takes the token rows, the router and the experts' weights in the
order [experts, outputs, inputs]; `--help` lists the options. The number of
tokens is dynamic. With `--vjp` it is the layer's reverse-mode derivative, made by
`moe-opt`: it also takes the gradient of the result and gives those of all inputs.
"""

import argparse
import sys

from .activations import ACTIVATION_CONSTANTS, activation
from .config import ACTIVATIONS, GROUP_SCORES, SCORINGS, LayerConfig
from .printer import (Value, attributes, elementwise, f64, matmul, names,
                      operation, types)

__all__ = ["LayerConfig", "layer_blocks", "layer_module", "main"]

_MAPS = """\
#elementwise = affine_map<(row, column) -> (row, column)>
"""
_TRANSPOSED_MAPS = """\
#lhs = affine_map<(m, n, k) -> (m, k)>
#rhs_transposed = affine_map<(m, n, k) -> (n, k)>
#out = affine_map<(m, n, k) -> (m, n)>
"""


def layer_module(config):
    """Print a layer.

    Parameters
    ----------
    config : LayerConfig

    Returns
    -------
    str
        A module with the function `@layer`, whose arguments and results are
        those of `config.arguments()` and `config.results()`.
    """
    arguments = {name: Value(name, shape)
                 for name, shape in config.arguments()}
    results = [Value(*result) for result in config.results()]
    blocks = layer_blocks(config, arguments)
    blocks.append([f"return {names(results)} : {types(results)}"])

    signature = ", ".join(f"{value}: {value.type}"
                          for value in arguments.values())
    result_types = types(results)
    if len(results) > 1:
        result_types = f"({result_types})"
    body = "\n\n".join("\n".join(f"  {line}" for line in block)
                       for block in blocks)
    maps = _MAPS + (_TRANSPOSED_MAPS if config.shared_experts else "")
    return (f"{maps}\nfunc.func @layer({signature}) -> {result_types} {{\n"
            f"{body}\n}}\n")


def layer_blocks(config, arguments):
    """Print what computes a layer, for the body of a function.

    Parameters
    ----------
    config : LayerConfig
    arguments : mapping of str to Value
        The values to use, by the names of `config.arguments()`.

    Returns
    -------
    list of list of str
        Blocks of lines. They define `%out`, the routing (`%logits`, `%weights`,
        `%indices`), the plan (`%offsets` and more), and `%c0`, `%zero` and
        `%tokens`.
    """
    blocks = [_constants(config, arguments["x"]),
              *_routing(config, arguments),
              _experts(config, arguments),
              _combine(config)]
    if config.shared_experts:
        blocks.append(_shared(config, arguments))
    return blocks


def _constants(config, x):
    lines = ["%c0 = arith.constant 0 : index",
             "%zero = arith.constant 0.0 : f32"]
    lines += [f"%{name} = arith.constant {value} : f32"
              for name, value in ACTIVATION_CONSTANTS[config.activation]]
    return lines + [f"%tokens = tensor.dim {x}, %c0 : {x.type}"]


def _routing(config, arguments):
    """The router's projection, the selection, and the plan: two blocks."""
    logits = Value("logits", (None, config.experts))
    project = ["// Each token scores every expert and takes its best."]
    project += matmul(logits, arguments["x"], arguments["router"], "%tokens")

    operands, bias = [logits], ""
    if config.correction_bias:
        operands.append(arguments["correction_bias"])
        bias = f" bias {arguments['correction_bias']}"
    chosen = [Value("weights", (None, config.top_k)), _indices(config)]
    select = operation(chosen, f"moe.route {logits}{bias}", operands,
                       middle=attributes(_route_attributes(config)))

    plan = ["// Slots sorted by expert: each expert's rows become neighbours."]
    row_expert = Value("row_expert", (None,), "i32")
    plan += operation([*_plan_maps(config), row_expert],
                      f"moe.plan {_indices(config)}", [_indices(config)],
                      middle=f" {{experts = {config.experts} : i64}}")
    return project + select, plan


def _route_attributes(config):
    entries = {"top_k": f"{config.top_k} : i64"}
    if config.scoring != "softmax":
        entries["scoring"] = f"#moe.scoring<{config.scoring}>"
    if config.renormalize:
        entries["renormalize"] = None
    if config.renormalize_epsilon:
        entries["epsilon"] = f64(config.renormalize_epsilon)
    if config.renormalize_floor:
        entries["floor"] = f64(config.renormalize_floor)
    if config.scale != 1.0:
        entries["scale"] = f64(config.scale)
    if config.groups is not None:
        entries["groups"] = f"{config.groups} : i64"
        entries["selected_groups"] = f"{config.selected_groups} : i64"
        if config.group_score != "max":
            entries["group_score"] = f"#moe.group_score<{config.group_score}>"
    return entries


def _experts(config, arguments):
    """The rows' way through their expert."""
    x, maps = arguments["x"], _plan_maps(config)
    rows = Value("rows", (None, config.hidden))
    lines = ["// Each row through its own expert."]
    lines += operation([rows], f"moe.dispatch {x}, {names(maps)}", [x, *maps])
    hidden = Value("hidden", (None, config.up_width))
    lines += _grouped(hidden, rows, arguments, "gate_up", maps[0])
    lines += [f"%slots = tensor.dim {hidden}, %c0 : {hidden.type}"]
    active = Value("active", (None, config.intermediate))
    lines += activation(config.activation, active, hidden, "%slots",
                        interleaved=config.interleaved_gate_up)
    expert_out = Value("expert_out", (None, config.hidden))
    return lines + _grouped(expert_out, active, arguments, "down", maps[0])


def _grouped(result, lhs, arguments, projection, offsets):
    weights = arguments[f"w_{projection}"]
    operands, bias = [lhs, weights, offsets], ""
    if f"b_{projection}" in arguments:
        operands.append(arguments[f"b_{projection}"])
        bias = f" bias {operands[-1]}"
    return operation(
        [result], f"moe.grouped_matmul {lhs}, {weights}, {offsets}{bias}",
        operands, middle=" {transpose_rhs}")


def _combine(config):
    rows = Value("expert_out", (None, config.hidden))
    weights = Value("weights", (None, config.top_k))
    maps = _plan_maps(config)
    out = Value("routed" if config.shared_experts else "out",
                (None, config.hidden))
    return ["// Back to tokens, weighted."] + operation(
        [out], f"moe.combine {rows}, {names(maps)} weights {weights}",
        [rows, *maps, weights])


def _shared(config, arguments):
    """The dense block that every token takes, added without a weight."""
    width = config.shared_width
    hidden = Value("shared_hidden", (None, config.projections * width))
    active = Value("shared_active", (None, width))
    shared = Value("shared", (None, config.hidden))
    routed = Value("routed", (None, config.hidden))
    lines = ["// The shared experts, which every token takes."]
    lines += matmul(hidden, arguments["x"], arguments["w_shared_gate_up"],
                    "%tokens", transpose_rhs=True)
    lines += activation(config.activation, active, hidden, "%tokens")
    lines += matmul(shared, active, arguments["w_shared_down"], "%tokens",
                    transpose_rhs=True)
    return lines + elementwise(
        Value("out", routed.shape), [routed, shared], "%tokens", ["a", "b"],
        ["%sum = arith.addf %a, %b : f32"], "sum")


def _indices(config):
    return Value("indices", (None, config.top_k), "i32")


def _plan_maps(config):
    return [Value("offsets", (config.experts + 1,), "i32"),
            Value("slot_to_row", (None, config.top_k), "i32"),
            Value("row_to_slot", (None,), "i32")]


def parse_integer(text):
    """Read an integer option, with an error in the voice of the others."""
    try:
        return int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"expected an integer, but got {text!r}") from None


def parse_number(text):
    """Read a number option, with an error in the voice of the others."""
    try:
        return float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"expected a number, but got {text!r}") from None


def add_options(parser):
    """Add the options of a layer, named after the fields of `LayerConfig`.

    Choices are left to `LayerConfig`, so that each fault has one message.
    """
    def choice(option, values, default, meaning):
        parser.add_argument(option, default=default, metavar="|".join(values),
                            help=f"{meaning} (default: {default})")

    def flag(option, meaning):
        parser.add_argument(option, action="store_true", help=meaning)

    def count(option, metavar, meaning, **settings):
        parser.add_argument(option, type=parse_integer, metavar=metavar,
                            help=meaning, **settings)

    count("--hidden", "H", "features of a token", required=True)
    count("--experts", "E", "number of experts", required=True)
    count("--top-k", "K", "experts for each token", required=True)
    count("--intermediate", "I", "hidden units of an expert", required=True)
    choice("--activation", ACTIVATIONS, "swiglu", "activation of the experts")
    choice("--scoring", SCORINGS, "softmax", "how logits become scores")
    flag("--renormalize", "divide a token's weights by their sum")
    for guard, what in (("epsilon", "is added to that sum"),
                        ("floor", "is the least that it counts as")):
        parser.add_argument(f"--renormalize-{guard}", type=parse_number,
                            default=0.0, metavar="X",
                            help=f"what {what} (default: 0)")
    parser.add_argument("--scale", type=parse_number, default=1.0, metavar="X",
                        help="factor of all routing weights (default: 1)")
    flag("--bias", "give the experts' projections a bias")
    count("--shared-experts", "S", "add a dense block of S * I hidden units",
          default=0)
    flag("--correction-bias", "add a bias to the scores, for selection only")
    count("--groups", "G", "split the experts into G equal groups")
    count("--selected-groups", "S", "select from the best S groups only")
    choice("--group-score", GROUP_SCORES, "top2_sum",
           "what a group is judged by")
    flag("--interleaved-gate-up",
         "rows 2i and 2i + 1 of w_gate_up are gate i and up i")
    flag("--return-routing", "also return the weights and indices")


def main(arguments=None):
    """Print the module that the command line describes."""
    parser = argparse.ArgumentParser(
        prog="moe.layer", allow_abbrev=False,
        description="Prints a mixture-of-experts layer as an MLIR module.")
    add_options(parser)
    parser.add_argument("--vjp", action="store_true",
                        help="print the layer's reverse-mode derivative")
    options = vars(parser.parse_args(arguments))
    vjp = options.pop("vjp")
    try:
        config = LayerConfig(**options)
        text = _vjp_module(config) if vjp else layer_module(config)
    except ValueError as error:
        parser.error(str(error))
    except (OSError, RuntimeError) as error:
        sys.exit(f"moe.layer: {error}")
    sys.stdout.write(text)


def _vjp_module(config):
    from .derivative import vjp_module  # which prints layers itself

    return vjp_module(config)


if __name__ == "__main__":
    main()
