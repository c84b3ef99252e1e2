"""State by other ways than the default one."""

import shutil
import subprocess

import numpy as np
import pytest
from harness import run_tool
from stateful import check_steps, state
from test_other_ways import TO_LLVM

TEXT = f"""
func.func @f(%w: tensor<4xf32> {state(0)}, %x: tensor<3x4xf32>,
             %offsets: tensor<3xi32>) -> (tensor<4xf32>, tensor<2x4xf32>) {{
  %s = moe.grouped_reduce %x, %offsets
    : tensor<3x4xf32>, tensor<3xi32> -> tensor<2x4xf32>
  %row = tensor.extract_slice %s[1, 0] [1, 4] [1, 1]
    : tensor<2x4xf32> to tensor<4xf32>
  %y = arith.addf %w, %row : tensor<4xf32>
  return %y, %s : tensor<4xf32>, tensor<2x4xf32>
}}
"""
W = np.arange(1, 5, dtype=np.float32)
X = np.arange(12, dtype=np.float32).reshape(3, 4)
OFFSETS = np.array([0, 1, 3], np.int32)


def step(w, x, offsets):
    sums = np.stack([x[:offsets[1]].sum(0), x[offsets[1]:].sum(0)])
    return [w + sums[1], sums]


@pytest.mark.parametrize("pipeline", [
    ("reference",), ("target=minimal",)], ids=str)
def test_pipelines(tools, pipeline):
    check_steps(tools, tools.compile(TEXT, *pipeline), [W, X, OFFSETS], step)


def test_functions_on_the_cpu_return_the_next_value(tools, tmp_path):
    config = shutil.which("llvm-config-22")
    if config is None:
        pytest.skip("there is no llvm-config-22")
    programs, libraries = (
        subprocess.run([config, option], capture_output=True, text=True,
                       check=True).stdout.strip()
        for option in ("--bindir", "--libdir"))
    lowered = tools.lower(TEXT, "stop-after=linalg").rstrip()
    results = "(tensor<4xf32>, tensor<3x4xf32>, tensor<3xi32>) -> " \
        "(tensor<4xf32>, tensor<2x4xf32>)"
    source, llvm = tmp_path / "main.mlir", tmp_path / "llvm.mlir"
    source.write_text(lowered.removesuffix("}") + f"""
func.func private @printMemrefF32(tensor<*xf32>)
  attributes {{llvm.emit_c_interface}}
func.func @main() {{
  %w = arith.constant dense<{W.tolist()}> : tensor<4xf32>
  %x = arith.constant dense<{X.tolist()}> : tensor<3x4xf32>
  %o = arith.constant dense<{OFFSETS.tolist()}> : tensor<3xi32>
  %y:2 = call @f(%w, %x, %o) : {results}
  %z:2 = call @f(%y#0, %x, %o) : {results}
  %u = tensor.cast %z#0 : tensor<4xf32> to tensor<*xf32>
  call @printMemrefF32(%u) : (tensor<*xf32>) -> ()
  return
}}
}}
""", encoding="utf-8")
    run_tool([f"{programs}/mlir-opt", *TO_LLVM, source, "-o", llvm])
    printed = run_tool([
        f"{programs}/mlir-runner", llvm, "--entry-point-result=void",
        f"--shared-libs={libraries}/libmlir_runner_utils.so",
        f"--shared-libs={libraries}/libmlir_c_runner_utils.so"])
    wanted = step(step(W, X, OFFSETS)[0], X, OFFSETS)[0]
    numbers = ",  ".join(f"{value:g}" for value in wanted)
    assert printed.rstrip().endswith(f"[{numbers}]"), printed
