"""A layer's derivative in two functions: forward, then backward."""

import re

from harness import run_tool
from moe.layer import layer_module


def split_modules(tools, config, save):
    """Print `@layer_fwd` and `@layer_bwd`, each in a module of its own.

    Parameters
    ----------
    tools : harness.Tools
    config : LayerConfig
    save : {"all", "minimal"}

    Returns
    -------
    (str, str)
    """
    return tuple(run_tool(
        [tools.moe_opt, "-",
         f"--moe-differentiate=function=layer mode=split save={save}",
         f"--symbol-privatize=exclude=layer_{half}", "--symbol-dce"],
        stdin=layer_module(config)) for half in ("fwd", "bwd"))


def residual_types(forward, results):
    """List the element types and widths of what `@layer_fwd` saves.

    Returns
    -------
    list of str
        As MLIR spells types, behind the given number of results.
    """
    signature = re.search(r"@layer_fwd\(.*?\) -> \((.*)\) \{", forward)[1]
    return signature.split(", ")[results:]
