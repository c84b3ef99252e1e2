"""Differentiates a printed layer with `moe-opt`."""

import os
import shutil
import subprocess
from pathlib import Path

from .layer import layer_module

__all__ = ["find_moe_opt", "vjp_module"]

_PASSES = ["--moe-differentiate=function=layer",
           "--symbol-privatize=exclude=layer_vjp", "--symbol-dce"]


def vjp_module(config, moe_opt=None, *, save="all"):
    """Print the reverse-mode derivative of a layer.

    Parameters
    ----------
    config : LayerConfig
    moe_opt : str or Path, optional
        The tool; by default the one of `find_moe_opt`.
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
    tool = find_moe_opt() if moe_opt is None else moe_opt
    passes = [f"{_PASSES[0]} save={save}", *_PASSES[1:]]
    done = subprocess.run([str(tool), *passes], input=layer_module(config),
                          capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{tool} ended with exit status {done.returncode}\n"
                           f"{done.stderr}")
    return done.stdout


def find_moe_opt():
    """Find `moe-opt`.

    Returns
    -------
    Path
        That of the build folder in MOE_BUILD; else of the folder `build` of the
        source tree that holds this package; else of the search path.

    Raises
    ------
    FileNotFoundError
        Where there is none; says where it was looked for.
    """
    tree = Path(__file__).resolve().parents[2] / "build"
    folder = Path(os.environ.get("MOE_BUILD", tree)) / "bin"
    tool = shutil.which("moe-opt", path=str(folder)) or shutil.which("moe-opt")
    if tool is None:
        raise FileNotFoundError("expected the tool moe-opt in "
                                f"{folder} or in PATH, but got none")
    return Path(tool)
