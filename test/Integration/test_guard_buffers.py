"""Guards around buffers: silent, but for kernels that are bent."""

import re

import numpy as np
import pytest
from harness import run_tool
from moe.runtime import Session, StatusError
from stateful import state

# An input of dynamic size, state, a constant, a transient of one element.
TEXT = f"""
func.func @f(%x: tensor<?xf32>, %w: tensor<5xf32> {state(1)})
    -> (tensor<?xf32>, tensor<5xf32>) {{
  %k = arith.constant dense<[1.0, 2.0, 3.0, 5.0, 7.0]> : tensor<5xf32>
  %zero = arith.constant dense<0.0> : tensor<f32>
  %s = linalg.reduce {{arith.addf}} ins(%x : tensor<?xf32>)
    outs(%zero : tensor<f32>) dimensions = [0]
  %y = linalg.generic {{indexing_maps = [affine_map<(d0) -> (d0)>,
      affine_map<(d0) -> ()>, affine_map<(d0) -> (d0)>],
      iterator_types = ["parallel"]}}
      ins(%x, %s : tensor<?xf32>, tensor<f32>) outs(%x : tensor<?xf32>) {{
  ^bb0(%a: f32, %b: f32, %o: f32):
    %r = arith.divf %a, %b : f32
    linalg.yield %r : f32
  }} -> tensor<?xf32>
  %v = arith.addf %w, %k : tensor<5xf32>
  return %y, %v : tensor<?xf32>, tensor<5xf32>
}}
"""
X, W = np.arange(1, 7, dtype=np.float32), np.ones(5, np.float32)
K = np.float32([1, 2, 3, 5, 7])


def bend(ir, kernel, by, into=None):
    """Move what a kernel writes by some elements, or into another argument."""
    begin = ir.index(f"gpu.func @{kernel}(")
    end = ir.index("gpu.return", begin)
    body, count = re.subn(
        r"memref\.store (\S+), (%arg\d)\[(\S+)\]",
        lambda store: (f"%by = arith.constant {by} : index\n"
                       f"%moved = arith.addi {store[3]}, %by : index\n"
                       f"memref.store {store[1]}, {into or store[2]}[%moved]"),
        ir[begin:end])
    assert count == 1
    host = ir[:begin]
    if into:  # what it reads may be written
        host = re.sub(fr"(@{kernel} grid.*) reads\((.*?)\) (\w+)\(",
                      r"\1 \3(\2, ", host)
    return host + body + ir[end:]


@pytest.fixture(scope="module")
def run_bent(tools, tmp_path_factory):
    """Gives the error of a run with a kernel that is bent."""
    ir = tools.lower(TEXT, "stop-after=gpu")
    folder = tmp_path_factory.mktemp("bent")

    def run(kernel, by, into=None, option="--guard-buffers"):
        source, bundle = folder / "f.mlir", folder / "f.moeb"
        source.write_text(bend(ir, kernel, by, into), encoding="utf-8")
        source.write_text(run_tool([
            tools.moe_opt, source, "--moe-spirv-pipeline",
            "--moe-program-pipeline"]), encoding="utf-8")
        run_tool([tools.moe_translate, "--moe-to-bundle", source, "-o", bundle])
        return tools.fault(bundle, X, W, status=3, options=[option])

    return run


@pytest.mark.parametrize("kernel, by, into, buffer, byte", [
    ("reduce", 1, None, "'reduce.0' of 4 bytes", 4),
    ("reduce", 6, "%arg0", "'input 0' of 24 bytes", 24),
    ("elementwise", 5, None, "'result 0' of 24 bytes", 24),
    ("elementwise", 800, None, "'result 0' of 24 bytes", 3200),
    ("elementwise_1", 4, None, "'input 1' of 20 bytes", 20)])
def test_of_bent_kernels(run_bent, kernel, by, into, buffer, byte):
    label = "" if kernel != "elementwise_1" else " (elementwise)"
    assert run_bent(kernel, by, into) == (
        f"kernel '{kernel}'{label} of program 'f': expected to write inside of "
        f"buffer {buffer}, but got a write to byte {byte}")


@pytest.mark.parametrize("kernel, by", [
    ("reduce", -1), ("elementwise", -2), ("elementwise_1", -900)])
def test_what_lies_before_a_buffer_is_far_behind_it(run_bent, kernel, by):
    # Positions are unsigned in SPIR-V: no guard is near.
    assert "access out of bounds" in run_bent(kernel, by,
                                              option="--validate=gpu")


def test_of_right_kernels(tools):
    for options in ([], ["--repeat=3"]):
        y, v = tools.run(TEXT, X, W, results=2,
                         options=["--guard-buffers", *options])
        np.testing.assert_allclose(y, X / X.sum(), rtol=1e-6)
        np.testing.assert_array_equal(v, W + K * (3 if options else 1))


def test_a_session_from_python(tools):
    library = tools.moe_run.parents[1] / "lib/libmoe-runtime.so"
    bundle = tools.compile(TEXT).read_bytes()
    with Session(bundle, guard_bytes=100, validate="sync",
                 library=library) as session:
        for n in (6, 0, 1000, 6):
            x = np.ones(n, np.float32)
            y, _ = session.run("f", [x, W])
            np.testing.assert_array_equal(y, x / max(n, 1))
    with pytest.raises(StatusError, match="^expected at most 16777216 bytes of "
                       "guards around a buffer, but got 16777217$"):
        Session(bundle, guard_bytes=2**24 + 1, library=library)
