"""Every mistake ends with exit status 2 and one line that names it."""

import numpy as np
import pytest
from harness import run_to_fault, run_tool
from moe.config import LayerConfig
from moe.layer import layer_module

CONFIG = LayerConfig(64, 4, 2, 128)
WEIGHTS = ["64x4xf32=zeros", "4x256x64xf32=zeros", "4x64x128xf32=zeros"]


@pytest.fixture
def fault(tools, tmp_path, monkeypatch):
    """Runs a layer with options, and gives the line of its fault."""
    bundle = tools.compile(layer_module(CONFIG))
    monkeypatch.chdir(tmp_path)
    for dtype in ("float64", "int64", "uint32", "float16"):
        np.save(tmp_path / f"{dtype}.npy", np.zeros((33, 64), dtype))
    np.save(tmp_path / "columns.npy",
            np.zeros((33, 64), np.float32, order="F"))
    (tmp_path / "text.npy").write_text("no array\n", encoding="utf-8")
    whole = (tmp_path / "float64.npy").read_bytes()
    np.save(tmp_path / "cut.npy", np.zeros((33, 64), np.float32))
    (tmp_path / "cut.npy").write_bytes(
        (tmp_path / "cut.npy").read_bytes()[:1000])
    (tmp_path / "huge.npy").write_bytes(
        whole.replace(b"(33, 64)", b"(2**60,)"))

    def run(*inputs, options=(), status=2):
        return run_to_fault(
            [tools.moe_run, bundle, *(f"--input={value}" for value in inputs),
             *options], status)

    return run


@pytest.mark.parametrize("value, message", [
    ("float64.npy", "input 0: 'float64.npy': expected float32 or int32, but "
     "got float64; cast it with .astype(numpy.float32)"),
    ("int64.npy", "input 0: 'int64.npy': expected float32 or int32, but got "
     "int64; cast it with .astype(numpy.int32)"),
    ("uint32.npy", "input 0: 'uint32.npy': expected float32 or int32, but got "
     "uint32; cast it with .astype(numpy.int32)"),
    ("float16.npy", "input 0: 'float16.npy': expected float32 or int32, but "
     "got float16; cast it with .astype(numpy.float32)"),
    ("text.npy", "input 0: 'text.npy': expected a .npy file, but got another "
     "kind of file"),
    ("none.npy", "input 0: 'none.npy': expected a file that can be read, but "
     "got none"),
    ("33x64xi32=0", "expected input 0 to be f32, but got i32"),
    ("64xf32=0", "expected input 0 to have rank 2, but got 1"),
    ("1x33x64xf32=0", "expected input 0 to have rank 2, but got 3"),
    ("33x65xf32=0", "expected dim 1 of input 0 to equal 64, but got 65"),
    ("33x64xf32=foo", "input 0: expected random(SEED), zeros, ones, range or "
     "numbers, but got 'foo'"),
    ("33x64xf16=0", "input 0: expected a type like 4x8xf32 or 4xi32, but got "
     "'33x64xf16'"),
    ("2x64xf32=1,2,3", "input 0: expected 128 numbers for 2x64xf32, "
     "but got 3")])
def test_a_wrong_input_is_named(fault, value, message):
    assert fault(value, *WEIGHTS) == message


@pytest.mark.parametrize("name", ["columns.npy", "cut.npy", "huge.npy"])
def test_a_file_that_is_no_plain_array_is_named(fault, name):
    assert fault(name, *WEIGHTS).startswith(f"input 0: '{name}': expected ")


@pytest.mark.parametrize("inputs, options, message", [
    ([], [], "expected 4 inputs of 'layer', but got 0"),
    (["3x64xf32=0", *WEIGHTS[:2]], [],
     "expected 4 inputs of 'layer', but got 3"),
    (["3x64xf32=0", *WEIGHTS, "1xf32=0"], [],
     "expected 4 inputs of 'layer', but got 5"),
    (["3x64xf32=0", *WEIGHTS], ["--entry=other"],
     "expected an entry of the bundle ('layer'), but got 'other'"),
    (["3x64xf32=0", *WEIGHTS], ["--output=a.npy", "--output=b.npy"],
     "expected at most 1 --output, but got 2"),
    (["3x64xf32=0", *WEIGHTS], ["--output=none/a.npy"],
     "'none/a.npy': expected a file that can be written, but it cannot"),
    (["3x64xf32=0", *WEIGHTS], ["--frobnicate"],
     "unknown option '--frobnicate'; --help lists them")])
def test_a_wrong_command_is_named(fault, inputs, options, message):
    assert fault(*inputs, options=options) == message


def test_values_that_differ_have_their_own_status(fault, tools, tmp_path):
    inputs = ["2x64xf32=ones", *WEIGHTS]
    np.save(tmp_path / "zeros.npy", np.zeros((2, 64), np.float32))
    run_tool([tools.moe_run, tools.compile(layer_module(CONFIG)),
              "--expect=zeros.npy", *(f"--input={value}" for value in inputs)])
    wrong = np.zeros((2, 64), np.float32)
    wrong[1, 5] = 3
    np.save(tmp_path / "wrong.npy", wrong)
    message = fault(*inputs, options=["--expect=wrong.npy"], status=1)
    assert message == ("result 0 and 'wrong.npy': 1 of 128 elements differ, "
                       "the worst at [1, 5]: expected 3, but got 0")


@pytest.mark.parametrize("element", ["f16", "bf16", "f64"])
def test_element_types_without_a_lowering_are_refused(tools, element):
    text = f"""
func.func @f(%x: tensor<?x4x{element}>) -> tensor<?x4x{element}> {{
  %y = arith.addf %x, %x : tensor<?x4x{element}>
  return %y : tensor<?x4x{element}>
}}
"""
    assert (f"file.mlir:2:1: error: expected argument 0 to be a ranked tensor "
            f"of f32 or i32, but got 'tensor<?x4x{element}>' (others have no "
            "lowering to the device yet)"
            ) in tools.compile_fault(text)


def test_narrow_types_inside_a_function_are_refused(tools):
    text = """
func.func @f(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %n = arith.truncf %x : tensor<?x4xf32> to tensor<?x4xf16>
  %y = arith.extf %n : tensor<?x4xf16> to tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}
"""
    assert "file.mlir:3:8: error: expected result 0 to be" in \
        tools.compile_fault(text)


@pytest.mark.parametrize("text", [
    "\n", "not MLIR\n", "func.func @f(", "module {", "func.func private @f()\n",
    "func.func @f(%x: index) {\n  return\n}\n",
    "func.func @f(%x: tensor<*xf32>) {\n  return\n}\n"], ids=str)
def test_text_that_is_no_program_is_refused(tools, text):
    assert tools.compile_fault(text)
