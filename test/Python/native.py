"""Compiles functions on static tensors of f64 for the CPU, to call them."""

import ctypes
import subprocess
from pathlib import Path

import numpy as np

_LLVM = Path(subprocess.run(["llvm-config-22", "--bindir"], text=True,
                            capture_output=True, check=True).stdout.strip())
_LIBRARIES = _LLVM.parent / "lib"
_LOWER = ["--one-shot-bufferize=bufferize-function-boundaries "
          "function-boundary-type-conversion=identity-layout-map",
          "--buffer-results-to-out-params=modify-public-functions=true", "--convert-linalg-to-loops",
          "--math-expand-ops=ops=fpowi", "--convert-math-to-libm", "--test-lower-to-llvm"]


def run(*command, data=None):
    """Run a tool that must succeed, and give what it prints."""
    done = subprocess.run([str(part) for part in command], input=data,
                          text=True, capture_output=True, check=False)
    assert done.returncode == 0, f"{command}\n{done.stderr[:4000]}"
    return done.stdout


def compile_module(moe_opt, text, passes, directory):
    """Run passes of moe-opt, lower for the CPU and load the library."""
    directory = Path(directory)
    text = run(moe_opt, *passes, data=text)
    (directory / "module.mlir").write_text(text, encoding="utf-8")
    text = run(_LLVM / "mlir-opt", *_LOWER, data=text)
    text = run(_LLVM / "mlir-translate", "--mlir-to-llvmir", data=text)
    (directory / "module.ll").write_text(text, encoding="utf-8")
    # The one function that MLIR takes from libm and libm does not have.
    (directory / "rsqrt.c").write_text(
        "#include <math.h>\ndouble rsqrt(double x) { return 1 / sqrt(x); }\n",
        encoding="utf-8")
    run("clang-22", "-O1", "-shared", "-fPIC", "-Wno-override-module",
        directory / "module.ll", directory / "rsqrt.c", "-o",
        directory / "module.so", "-lm", f"-L{_LIBRARIES}",
        f"-Wl,-rpath,{_LIBRARIES}", "-lmlir_c_runner_utils")
    return ctypes.CDLL(str(directory / "module.so"))


def call(library, name, arguments, results):
    """Call @name on arrays; `results` are the shapes of what it gives."""
    outputs = [np.full(shape, np.nan) for shape in results]
    # Copies: bufferized functions may write to what they are given.
    arrays = [np.array(a, np.float64, order="C") for a in arguments]
    descriptors = [_descriptor(a) for a in [*arrays, *outputs]]
    getattr(library, f"_mlir_ciface_{name}")(
        *(ctypes.byref(d) for d in descriptors))
    return outputs


def _descriptor(array):
    rank = array.ndim

    class MemRef(ctypes.Structure):
        _fields_ = [("allocated", ctypes.c_void_p),
                    ("aligned", ctypes.c_void_p), ("offset", ctypes.c_int64),
                    ("sizes", ctypes.c_int64 * rank),
                    ("strides", ctypes.c_int64 * rank)]

    strides = [s // array.itemsize for s in array.strides]
    return MemRef(array.ctypes.data, array.ctypes.data, 0,
                  (ctypes.c_int64 * rank)(*array.shape),
                  (ctypes.c_int64 * rank)(*strides))
