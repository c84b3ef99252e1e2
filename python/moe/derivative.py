"""Differentiates a printed layer with `moe-opt`."""

import subprocess

from .find import find_tool
from .layer import layer_module

__all__ = ["vjp_module"]

_PASSES = ["--moe-differentiate=function=layer",
           "--symbol-privatize=exclude=layer_vjp", "--symbol-dce"]


def vjp_module(config, moe_opt=None, *, save="all"):
    """Print the reverse-mode derivative of a layer.

    Parameters
    ----------
    config : LayerConfig
    moe_opt : str or Path, optional
        The tool; by default the one of `find_tool`.
    save : {"all", "minimal"}
        See the pass --moe-differentiate.

    Returns
    -------
    str
        A module with the function `@layer_vjp`. Its arguments are those of the
        layer, then the gradient of each float result; its results are those of
        the layer, then the gradient of each argument.

    Raises
    ------
    RuntimeError
        Where the tool fails; holds what it said.
    """
    tool = find_tool("moe-opt") if moe_opt is None else moe_opt
    passes = [f"{_PASSES[0]} save={save}", *_PASSES[1:]]
    done = subprocess.run([str(tool), *passes], input=layer_module(config),
                          capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{tool} ended with exit status {done.returncode}\n"
                           f"{done.stderr}")
    return done.stdout
