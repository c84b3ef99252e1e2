"""The compiler library: text of MLIR in, a bundle out."""

import ctypes

from .find import find_library

__all__ = ["CompileError", "compile_module"]


class CompileError(ValueError):
    """The module is wrong, or the target cannot run it: the diagnostics."""


class _Options(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("target", ctypes.c_char_p),
                ("facts", ctypes.c_char_p), ("facts_size", ctypes.c_size_t),
                ("entry", ctypes.c_char_p)]


def compile_module(text, *, target=None, facts=None, entry=None,
                   filename="module.mlir", library=None):
    """Compile a module for a device.

    Parameters
    ----------
    text : str
        A module of MLIR.
    target : str, optional
        A named target, `lavapipe` for example.
    facts : bytes, optional
        What a device can do, as `moe.runtime.devices` gives it; in place of a
        target.
    entry : str, optional
        The function to compile; all public ones by default.
    filename : str
        Names the text in diagnostics.
    library : str, optional
        The path of libmoe-compiler.so; by default that of `find_library`.

    Returns
    -------
    bytes
        A bundle.

    Raises
    ------
    CompileError
        With the compiler's diagnostics.
    """
    api = ctypes.CDLL(library or find_library("moe-compiler"))
    api.moe_compile_result_bundle.restype = ctypes.c_void_p
    api.moe_compile_result_diagnostics.restype = ctypes.c_char_p
    data, facts = text.encode(), facts or None
    options = _Options(ctypes.sizeof(_Options), _encoded(target), facts,
                       len(facts or b""), _encoded(entry))
    result, size = ctypes.c_void_p(), ctypes.c_size_t()
    failed = api.moe_compile(data, ctypes.c_size_t(len(data)),
                             filename.encode(), ctypes.byref(options),
                             ctypes.byref(result))
    try:
        if failed:
            raise CompileError(api.moe_compile_result_diagnostics(
                result).decode(errors="replace").strip())
        address = api.moe_compile_result_bundle(result, ctypes.byref(size))
        return ctypes.string_at(address, size.value)
    finally:
        api.moe_compile_result_destroy(result)


def _encoded(text):
    return None if text is None else text.encode()
