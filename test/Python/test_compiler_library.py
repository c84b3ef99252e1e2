"""The compiler's C API, as a program in another language sees it."""

import ctypes
from concurrent.futures import ThreadPoolExecutor

import pytest

ADD = """
func.func @add(%x: tensor<?x8xf32>, %y: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %sum = arith.addf %x, %y : tensor<?x8xf32>
  return %sum : tensor<?x8xf32>
}
func.func @unsupported(%x: tensor<4xf16>) -> tensor<4xf16> {
  %sum = arith.addf %x, %x : tensor<4xf16>
  return %sum : tensor<4xf16>
}
"""


class Options(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("target", ctypes.c_char_p),
                ("facts", ctypes.c_char_p), ("facts_size", ctypes.c_size_t),
                ("entry", ctypes.c_char_p)]


class Compiler:
    """moe_compile and moe_compile_target_env: (status, bundle, diagnostics)."""

    def __init__(self, path):
        self.library = ctypes.CDLL(path)
        self.library.moe_compile_version.restype = ctypes.c_char_p
        self.library.moe_compile_result_bundle.restype = ctypes.c_void_p
        self.library.moe_compile_result_diagnostics.restype = ctypes.c_char_p

    def compile(self, text, **options):
        text = text.encode()
        return self._take(lambda result: self.library.moe_compile(
            text, ctypes.c_size_t(len(text)), b"layer.mlir",
            ctypes.byref(self._options(options)), result))

    def target_env(self, **options):
        return self._take(lambda result: self.library.moe_compile_target_env(
            ctypes.byref(self._options(options)), result))

    def _options(self, options):
        return Options(size=ctypes.sizeof(Options),
                       facts_size=len(options.get("facts", b"")), **options)

    def _take(self, call):
        result, size = ctypes.c_void_p(), ctypes.c_size_t()
        status = call(ctypes.byref(result))
        data = self.library.moe_compile_result_bundle(result,
                                                      ctypes.byref(size))
        bundle = ctypes.string_at(data, size.value) if data else b""
        text = self.library.moe_compile_result_diagnostics(result).decode()
        self.library.moe_compile_result_destroy(result)
        return status, bundle, text


@pytest.fixture(scope="module")
def compiler(moe_opt):
    path = moe_opt.parents[1] / "lib/libmoe-compiler.so"
    if not path.exists():
        pytest.skip(f"there is no {path}")
    return Compiler(path)


def test_version(compiler):
    version = compiler.library.moe_compile_version().decode()
    assert len(version.split(".")) == 3


def test_entry_becomes_a_bundle(compiler):
    status, bundle, diagnostics = compiler.compile(ADD, entry=b"add")
    assert (status, diagnostics) == (0, "")
    assert bundle[4:8] == b"MOEB"


def test_same_text_gives_the_same_bytes(compiler):
    first = compiler.compile(ADD, entry=b"add")
    with ThreadPoolExecutor(4) as threads:
        others = list(threads.map(
            lambda _: compiler.compile(ADD, entry=b"add"), range(8)))
    assert all(other == first for other in others)


@pytest.mark.parametrize("text, entry, expected", [
    ("func.func @f(", None, "layer.mlir:1:13: error: "),
    (ADD, b"sub", "layer.mlir: error: expected a function 'sub' with a body, "
                  "but got 'add', 'unsupported'\n"),
    ("", b"add", "layer.mlir: error: expected a function 'add' with a body, "
                 "but got none\n"),
    (ADD, b"unsupported", "layer.mlir:6:1: error: expected "),
], ids=["syntax", "entry", "nothing", "unsupported"])
def test_bad_text(compiler, text, entry, expected):
    options = {"entry": entry} if entry else {}
    status, bundle, diagnostics = compiler.compile(text, **options)
    assert status == 1
    assert bundle == b""
    assert diagnostics.startswith(expected)


def test_unknown_target(compiler):
    expected = ("expected a target of amd32, amd64, lavapipe, minimal, nvidia, "
                "but got 'toaster'")
    assert compiler.compile(ADD, target=b"toaster") == (
        1, b"", f"error: {expected}\n")
    assert compiler.target_env(target=b"toaster") == (1, b"", expected)


@pytest.mark.parametrize("facts", [b"", b"\0", b"\xff" * 64, bytes(range(256))],
                         ids=["empty", "short", "ones", "bytes"])
def test_facts_that_are_none(compiler, facts):
    status, _, diagnostics = compiler.target_env(facts=facts)
    assert status == 1
    assert diagnostics.startswith("expected ")


def test_options_of_an_older_caller(compiler):
    """Fields behind `size` are not read."""
    options = Options(size=2 * ctypes.sizeof(ctypes.c_size_t),
                      target=b"nvidia", entry=b"nowhere")
    status, _, env = compiler._take(
        lambda result: compiler.library.moe_compile_target_env(
            ctypes.byref(options), result))
    assert status == 0
    assert "CooperativeMatrixKHR" in env
