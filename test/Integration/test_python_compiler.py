"""The Python package compiles modules, and finds what it needs for that."""

import pytest
from moe.compiler import CompileError, compile_module
from moe.find import find_library, find_tool
from stateful import state

TEXT = f"""
func.func @f(%w: tensor<4xf32> {state(0)}, %x: tensor<?x4xf32>)
    -> (tensor<4xf32>, tensor<?x4xf32>) {{
  %y = arith.addf %w, %w : tensor<4xf32>
  return %y, %x : tensor<4xf32>, tensor<?x4xf32>
}}
"""


@pytest.mark.parametrize("text, options, message", [
    ("func.func @f() { oops }", {"filename": "step.mlir"},
     "step.mlir:1:18: error: "),
    (TEXT.replace("= 0 :", "= 1 :"), {},
     "module.mlir:2:1: error: 'func.func' op expected argument 0 to have the "
     "static tensor type of result 1, which it aliases, but got "
     "'tensor<4xf32>' and 'tensor<?x4xf32>'"),
    (TEXT, {"target": "abacus"}, "error: expected a target of "),
    (TEXT, {"entry": "h"},
     "module.mlir: error: expected a function 'h' with a body, but got "),
    (TEXT, {"facts": b"xx"}, "error: expected a table of device facts, but "),
], ids=["syntax", "verifier", "target", "entry", "facts"])
def test_what_does_not_compile(build, text, options, message):
    with pytest.raises(CompileError) as caught:
        compile_module(text, library=str(
            build / "lib/libmoe-compiler.so"), **options)
    assert str(caught.value).startswith(message)


def test_files_are_found_in_the_build_folder(build, monkeypatch):
    monkeypatch.setenv("MOE_BUILD", str(build))
    assert find_tool("moe-opt") == build / "bin/moe-opt"
    assert find_library("moe-runtime") == str(build / "lib/libmoe-runtime.so")
    assert find_library("moe-nothing") == "libmoe-nothing.so"
    with pytest.raises(FileNotFoundError, match="expected the tool moe-nothing "
                       f"in {build / 'bin'} or in PATH, but got none"):
        find_tool("moe-nothing")
