"""The same layer by other ways than the default one gives the same numbers."""

import json
import re
import shutil
import subprocess

import numpy as np
import pytest
from harness import run_tool
from moe.config import LayerConfig
from moe.layer import layer_module
from moe.testing import check_layer, check_values, layer_inputs

PLAIN = LayerConfig(64, 4, 2, 128, return_routing=True)
RICH = LayerConfig(24, 8, 3, 20, scoring="sigmoid", renormalize=True,
                   scale=2.5, bias=True, correction_bias=True, groups=4,
                   selected_groups=2, shared_experts=1,
                   interleaved_gate_up=True, return_routing=True)
TOKENS = 33

# Upstream passes alone.
TO_LLVM = [
    "--convert-elementwise-to-linalg",
    "--one-shot-bufferize=bufferize-function-boundaries "
    "function-boundary-type-conversion=identity-layout-map",
    "--convert-linalg-to-loops", "--scf-forall-to-for",
    "--expand-strided-metadata", "--lower-affine", "--convert-scf-to-cf",
    "--convert-math-to-libm", "--finalize-memref-to-llvm",
    "--convert-arith-to-llvm", "--convert-index-to-llvm",
    "--convert-cf-to-llvm", "--convert-func-to-llvm",
    "--reconcile-unrealized-casts"]


@pytest.fixture(scope="module")
def llvm():
    """Finds the folders of upstream's tools and libraries."""
    config = shutil.which("llvm-config-22")
    if config is None:
        pytest.skip("there is no llvm-config-22")

    def ask(what):
        return subprocess.run([config, what], capture_output=True, text=True,
                              check=True).stdout.strip()
    return ask("--bindir"), ask("--libdir")


def with_main(text, config, inputs):
    """Add a function that calls @layer on constants and prints its results.

    Floats are printed as the integers that have their bits.
    """
    lines, operands, operand_types = [], [], []
    for name, shape in config.arguments():
        sizes = "x".join(str(size) for size in inputs[name].shape)
        asked = "x".join("?" if size is None else str(size) for size in shape)
        bits = inputs[name].tobytes().hex()
        lines += [f'%{name}_all = arith.constant dense<"0x{bits}"> : '
                  f"tensor<{sizes}xf32>",
                  f"%{name} = tensor.cast %{name}_all : tensor<{sizes}xf32> "
                  f"to tensor<{asked}xf32>"]
        operands.append(f"%{name}")
        operand_types.append(f"tensor<{asked}xf32>")
    shapes = ["x".join("?" if size is None else str(size) for size in shape)
              for _, shape, _ in config.results()]
    types = [f"tensor<{shape}x{element}>"
             for shape, (_, _, element) in zip(shapes, config.results())]
    lines += [f"%r:{len(types)} = call @layer({', '.join(operands)}) : "
              f"({', '.join(operand_types)}) -> ({', '.join(types)})"]
    for i, (shape, kind) in enumerate(zip(shapes, types)):
        bits = f"%r#{i}"
        if kind.endswith("f32>"):
            bits = f"%bits{i}"
            lines += [f"{bits} = arith.bitcast %r#{i} : {kind} to "
                      f"tensor<{shape}xi32>"]
        lines += [f"%u{i} = tensor.cast {bits} : tensor<{shape}xi32> to "
                  "tensor<*xi32>",
                  f"call @printMemrefI32(%u{i}) : (tensor<*xi32>) -> ()"]
    body = "\n".join(f"    {line}" for line in lines)
    main = ("  func.func private @printMemrefI32(tensor<*xi32>) attributes "
            "{llvm.emit_c_interface}\n"
            f"  func.func @main() {{\n{body}\n    return\n  }}\n}}\n")
    return text.rstrip().removesuffix("}") + main


def run_on_cpu(llvm, text, config, inputs, directory):
    """Compile what a pipeline left by upstream passes, and run it."""
    programs, libraries = llvm
    source, lowered = directory / "main.mlir", directory / "llvm.mlir"
    source.write_text(with_main(text, config, inputs), encoding="utf-8")
    run_tool([f"{programs}/mlir-opt", source, *TO_LLVM, "-o", lowered])
    shared = ",".join(f"{libraries}/lib{name}.so"
                      for name in ("mlir_runner_utils", "mlir_c_runner_utils"))
    printed = run_tool([f"{programs}/mlir-runner", lowered, "-e", "main",
                        "--entry-point-result=void", f"--shared-libs={shared}"])
    outputs = {}
    arrays = re.split(r"^Unranked Memref.*data =\s*$", printed,
                      flags=re.MULTILINE)[1:]
    for (name, _, element), data in zip(config.results(), arrays):
        outputs[name] = np.array(json.loads(data), np.int32)
        if element == "f32":
            outputs[name] = outputs[name].view(np.float32)
    return outputs


def run_on_device(tools, config, inputs, *pipeline):
    program = tools.compile(layer_module(config), *pipeline)
    names = [name for name, _, _ in config.results()]
    return dict(zip(names, tools.run(program, *inputs.values(), results=3)))


@pytest.mark.parametrize("config", [PLAIN, RICH], ids=["plain", "rich"])
@pytest.mark.parametrize("form", ["reference=false", "reference=true"])
def test_linalg_on_the_cpu(tools, llvm, tmp_path, config, form):
    inputs = layer_inputs(config, TOKENS, 5)
    text = tools.lower(layer_module(config), "stop-after=linalg", form)
    got = run_on_cpu(llvm, text, config, inputs, tmp_path)
    check_layer(got, inputs, config)
    device = run_on_device(tools, config, inputs)
    np.testing.assert_array_equal(got["indices"], device["indices"])
    check_values(got["out"], device["out"])
    check_values(got["weights"], device["weights"])


@pytest.mark.parametrize("config", [PLAIN, RICH], ids=["plain", "rich"])
@pytest.mark.parametrize("tokens", [0, 1, TOKENS])
def test_the_row_wise_form_on_the_device(tools, config, tokens):
    inputs = layer_inputs(config, tokens, 5)
    slow = run_on_device(tools, config, inputs, "reference=true")
    check_layer(slow, inputs, config)
    fast = run_on_device(tools, config, inputs)
    check_values(slow["out"], fast["out"])


@pytest.mark.parametrize("target", ["minimal", "lavapipe"])
def test_other_targets_run_here_too(tools, target):
    # A minimal device has no shuffles, and four buffers for a kernel.
    inputs = layer_inputs(PLAIN, TOKENS, 5)
    check_layer(run_on_device(tools, PLAIN, inputs, f"target={target}"),
                inputs, PLAIN)
