"""Deleting any one barrier of a compiled program is found by the checker."""

import subprocess

import pytest
from moe.layer import LayerConfig, layer_module

CHECK = ("--pass-pipeline="
         "builtin.module(moe_rt.program(moe-rt-check-hazards))")
LAYERS = {
    "swiglu": LayerConfig(hidden=64, experts=4, top_k=2, intermediate=128),
    # More buffers at once, and a branch beside the experts.
    "every-option": LayerConfig(
        hidden=64, experts=8, top_k=2, intermediate=128, bias=True,
        correction_bias=True, shared_experts=2, groups=4, selected_groups=2,
        scoring="sigmoid", renormalize=True, scale=2.5,
        interleaved_gate_up=True, return_routing=True),
}


# All that makes a program: its kernels need not become SPIR-V.
COMPILE = ["--moe-compile-pipeline=stop-after=gpu", "--moe-program-pipeline"]


def run(moe_opt, text, *options):
    return subprocess.run([moe_opt, *options], input=text, text=True,
                          capture_output=True, check=False)


def program_of(module):
    """The text of the host program, without the kernels around it."""
    lines = module.splitlines()
    first = next(i for i, line in enumerate(lines) if "moe_rt.program" in line)
    indent = lines[first].index("moe_rt")
    last = lines.index(" " * indent + "}", first)
    maps = [line for line in lines if line.startswith("#map")]
    return maps + lines[first:last + 1]


@pytest.mark.parametrize("name", LAYERS)
def test_each_barrier_is_needed(moe_opt, name):
    compiled = run(moe_opt, layer_module(LAYERS[name]), *COMPILE)
    assert compiled.returncode == 0, compiled.stderr
    lines = program_of(compiled.stdout)
    whole = run(moe_opt, "\n".join(lines), CHECK)
    assert whole.returncode == 0, whole.stderr

    barriers = [i for i, line in enumerate(lines)
                if line.strip() == "moe_rt.barrier"]
    assert len(barriers) > 5
    for barrier in barriers:
        mutant = "\n".join(lines[:barrier] + lines[barrier + 1:])
        checked = run(moe_opt, mutant, CHECK)
        assert checked.returncode == 1, lines[barrier + 1]
        assert "expected a barrier between this access" in checked.stderr
