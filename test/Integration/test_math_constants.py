"""Ops of math and arith on operands that are constants, which drivers fold."""

import re

import numpy as np
import pytest
from moe.accuracy import ROWS, operands_of

FLOATS = np.float32([0, -0.0, np.inf, np.nan, 1, -1, 1e-45, 3.4028235e38])
WHOLE = np.int32([0, 1, -1, 2, 31, 32, -2**31, 2**31 - 1])
TYPE = {"f": "f32", "i": "i32"}
PLACES = [(row, place) for row in ROWS if len(row.operands) > 1
          for place in range(len(row.operands))]


def literal(value):
    return (f"0x{value.view(np.uint32):08X}" if isinstance(value, np.float32)
            else str(value))


def text_with(row, place, values):
    """The row's op once for each value, which is a constant in its place."""
    body = row.text().partition("{\n")[2].partition("\n  return")[0]
    others = [i for i in range(len(row.operands)) if i != place]
    tensors = [f"tensor<?x4x{TYPE[kind]}>" for kind in row.operands]
    types = [f"tensor<?x4x{TYPE[kind]}>" for kind in row.results] * len(values)
    lines = ["  %at = arith.constant 0 : index",
             f"  %n = tensor.dim %x{others[0]}, %at : {tensors[others[0]]}"]
    for i, value in enumerate(values):
        kind = TYPE[row.operands[place]]
        lines += [f"  %value{i} = arith.constant {literal(value)} : {kind}",
                  f"  %splat{i} = tensor.splat %value{i}[%n] : {tensors[place]}",
                  re.sub(r"%(y\d|\w+)\b", lambda m: m[0] if m[1][0] == "x"
                         else f"%op{i}_{m[1]}", body).replace(
                             f"%x{place}", f"%splat{i}")]
    head = ", ".join(f"%x{i}: {tensors[i]}" for i in others)
    names = ", ".join(f"%op{i}_y{j}" for i in range(len(values))
                      for j in range(len(row.results)))
    return (f"func.func @f({head}) -> ({', '.join(types)}) {{\n"
            + "\n".join(lines)
            + f"\n  return {names} : {', '.join(types)}\n}}\n")


@pytest.mark.parametrize("row, place", PLACES, ids=lambda x: getattr(x, "op", x))
def test_a_constant_operand(tools, row, place):
    values = FLOATS if row.operands[place] == "f" else WHOLE
    inputs = [x[:300] for x in operands_of(row.operands)]
    others = [x for i, x in enumerate(inputs) if i != place]
    each = len(row.results)
    results = tools.run(text_with(row, place, values), *others,
                        results=len(values) * each)
    for i, value in enumerate(values):
        inputs[place] = np.full_like(inputs[place], value)
        error, worst = row.error(results[i * each:(i + 1) * each], inputs)
        assert error <= row.bound, worst
