"""The adjoint identity of derivatives: ⟨J v, w⟩ = ⟨v, Jᵀ w⟩.

Jᵀ w comes from a device, J v from differences of a float64 reference.
"""

import re

import numpy as np
from harness import run_tool
from moe.layer import layer_module

_STEP = 1e-5  # an error of some 1e-10, far below that of f32
_DIRECTIONS = 8
# Of |Jᵀ w|. An element of Jᵀ w is a sum of products with some roundings of
# 2**-24 each, and v, whose elements are normal numbers, adds errors up as it
# does values: independently.
TOLERANCE = 16 * 2.0**-24


def differentiate(tools, text):
    """Give the derivatives of all functions of a module, as `@<name>_vjp`."""
    functions = re.findall(r"func\.func @(\w+)", text)
    kept = ",".join(f"{name}_vjp" for name in functions)
    return run_tool(
        [tools.moe_opt, "-",
         *(f"--moe-differentiate=function={name}" for name in functions),
         f"--symbol-privatize=exclude={kept}", "--symbol-dce"], stdin=text)


def derivatives(tools, config, save):
    """Give `@layer_fwd`, `@layer_bwd` and `@layer_vjp` of a layer.

    Parameters
    ----------
    tools : harness.Tools
    config : LayerConfig
    save : {"all", "minimal"}
    """
    return run_tool(
        [tools.moe_opt, "-",
         f"--moe-differentiate=function=layer mode=split save={save}",
         f"--moe-differentiate=function=layer save={save}",
         "--symbol-privatize=exclude=layer_fwd,layer_bwd,layer_vjp",
         "--symbol-dce"], stdin=layer_module(config))


def check_adjoint(function, arguments, cotangents, gradients, *,
                  tolerance=TOLERANCE, floor=0.0):
    """Assert the identity for each argument alone, in random directions.

    Parameters
    ----------
    function : callable
        float64 values of all arguments to a list of results.
    arguments : list of numpy.ndarray
    cotangents : list of numpy.ndarray
        w, one for each result.
    gradients : dict of int to numpy.ndarray
        What the device gave for the argument at that position.
    tolerance : float
        Of |Jᵀ w|.
    floor : float
        Of |w|: what |Jᵀ w| counts for at least, where its terms may cancel.
    """
    random = np.random.default_rng(len(gradients))
    arguments = [np.asarray(a, np.float64 if a.dtype.kind == "f" else a.dtype)
                 for a in arguments]
    least = floor * np.sqrt(sum(float((w.astype(np.float64)**2).sum())
                                for w in cotangents))
    for position, gradient in gradients.items():
        value = arguments[position]
        assert gradient.shape == value.shape, position
        gradient = gradient.astype(np.float64)
        assert np.isfinite(gradient).all(), position
        for _ in range(_DIRECTIONS):
            v = random.normal(size=value.shape)
            ends = []
            for step in (_STEP, -_STEP):
                moved = list(arguments)
                moved[position] = value + step * v
                ends.append(sum((result * w).sum() for result, w in zip(
                    function(*moved), cotangents)))
            forward = (ends[0] - ends[1]) / (2 * _STEP)
            backward = (v * gradient).sum()
            size = max(np.linalg.norm(gradient), least)
            assert abs(forward - backward) <= tolerance * size, (
                f"argument {position}: expected {forward:.9g} along a "
                f"direction, but got {backward:.9g}")
