"""Text of the operations a layer module is made of.

Each function gives the lines of one operation, without indentation. Values are
passed by name and type, so that the text says what it is about.
"""

from typing import NamedTuple, Optional, Tuple


class Value(NamedTuple):
    """A named SSA value; None in the shape is a dynamic dimension."""

    name: str
    shape: Tuple[Optional[int], ...]
    element: str = "f32"

    @property
    def type(self):
        """The type as MLIR spells it."""
        sizes = "".join(f"{'?' if n is None else n}x" for n in self.shape)
        return f"tensor<{sizes}{self.element}>"

    def __str__(self):
        return f"%{self.name}"


def names(values):
    """`%a, %b`"""
    return ", ".join(str(value) for value in values)


def types(values):
    """`tensor<..>, tensor<..>`"""
    return ", ".join(value.type for value in values)


def operation(results, head, operands, *, middle=""):
    """`%r = head : operand types -> result types`, over two lines."""
    return [f"{names(results)} = {head}{middle}",
            f"    : {types(operands)} -> {types(results)}"]


def empty(result, tokens):
    """An uninitialised tensor with `tokens` rows."""
    return [f"{result} = tensor.empty({tokens}) : {result.type}"]


def matmul(result, lhs, rhs, tokens, *, transpose_rhs=False):
    """A dense product of token rows; its maps are the module's aliases."""
    start = Value(f"{result.name}_empty", result.shape)
    zero = Value(f"{result.name}_zero", result.shape)
    maps = " indexing_maps = [#lhs, #rhs_transposed, #out]" \
        if transpose_rhs else ""
    return empty(start, tokens) + [
        f"{zero} = linalg.fill ins(%zero : f32) outs({start} : {start.type}) "
        f"-> {zero.type}",
        f"{result} = linalg.matmul{maps}",
        f"    ins({lhs}, {rhs} : {lhs.type}, {rhs.type})",
        f"    outs({zero} : {zero.type}) -> {result.type}"]


def columns(result, source, rows, first, stride=1):
    """A static slice of a matrix' columns."""
    width = result.shape[1]
    return [f"{result} = tensor.extract_slice {source}[0, {first}] "
            f"[{rows}, {width}] [1, {stride}]",
            f"    : {source.type} to {result.type}"]


def elementwise(result, operands, rows, arguments, body, yielded):
    """A `linalg.generic` over two parallel dimensions."""
    start = Value(f"{result.name}_empty", result.shape)
    maps = ", ".join(["#elementwise"] * (len(operands) + 1))
    # The init operand's value is never read, hence its short name.
    block = ", ".join(f"%{name}: f32" for name in [*arguments, "init"])
    return empty(start, rows) + [
        f"{result} = linalg.generic {{",
        f"    indexing_maps = [{maps}],",
        "    iterator_types = [\"parallel\", \"parallel\"]}",
        f"    ins({names(operands)} : {types(operands)})",
        f"    outs({start} : {start.type}) {{",
        f"^bb0({block}):",
        *(f"  {line}" for line in body),
        f"  linalg.yield %{yielded} : f32",
        f"}} -> {result.type}"]


def f64(value):
    """A float literal; MLIR's need a point even before an exponent."""
    text = repr(float(value))
    if "." not in text:
        mantissa, exponent = text.split("e")
        text = f"{mantissa}.0e{exponent}"
    return f"{text} : f64"


def attributes(entries):
    """` {a = 1 : i64, flag}`, or nothing; None stands for a unit attribute."""
    if not entries:
        return ""
    return " {" + ", ".join(key if value is None else f"{key} = {value}"
                            for key, value in entries.items()) + "}"
