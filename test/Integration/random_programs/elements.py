"""Ops on elements, of whole tensors or in the body of a `linalg` op."""

import numpy as np

from . import bounds, integers, scalars
from .values import ELEMENTS, Value, tensor

FLOAT = scalars.UNARY + scalars.BINARY + scalars.BINARY + scalars.TERNARY
TABLE = [*FLOAT, *scalars.COMPARE, scalars.SELECT, scalars.SELECT,
         *scalars.CLASSIFY, *integers.INTEGER, *integers.INDEX,
         *integers.BOOLEAN, *integers.BITS, *integers.COMPARE,
         *integers.COMPARE_INDEX, integers.SELECT, *integers.CASTS]
# What makes numbers of truth values and indices, which are never stored.
TO_NUMBERS = {kind: [op for op in integers.CASTS if op.operands == kind
                     and op.result in "fi"] for kind in "bx"}
TO_INDEX = next(op for op in integers.CASTS
                if op.name == "arith.index_cast")
SMOOTH = [op for op in FLOAT if None not in op.slopes]


_ORI = next(op for op in integers.INTEGER if op.name == "arith.ori")


def choose_operands(program, op, choose, number, lines=None):
    """Operands for an op, or None where there are none of a kind.

    Parameters
    ----------
    choose : callable
        A kind and what not to take again to a value, or None.
    number : callable
        A kind and numbers to a constant that is one of them.
    """
    operands = []
    divides = any(word in op.name for word in ("div", "rem"))
    for i, kind in enumerate(op.operands):
        if i == 1 and kind in "ix" and (divides or ".sh" in op.name):
            value = choose(kind, operands)
            if kind == "i" and divides and value is not None and \
                    program.random.random() < 0.5:
                # Odd numbers are none of them 0.
                value = apply_op(program, _ORI, [value, number("i", [1])],
                                 lines)
            else:
                value = number(kind, [1, 2, 3, 5, 7, 31] + divides * [
                    -1, -3, 1000, 65537])
        else:
            value = choose(kind, operands)
        if value is None:
            return None
        operands.append(value)
    return operands


def apply_op(program, op, operands, lines=None):
    """Add an op; into the lines of a body where there are some.

    Returns
    -------
    Value or None
        None where the op is not legal on these values, or little can be said
        about its result.
    """
    limits = [v.bounds for v in operands]
    if op.legal is not None and not op.legal(limits):
        return None
    result = op.evaluate(limits)
    if result.loose.size and result.loose.mean() > 0.3:
        return None
    shape = operands[0] if lines is None else None
    dims = shape.dims if shape is not None else operands[0].dims
    types = {kind: element if lines is not None or dims is None
             else tensor(kind, dims) for kind, element in ELEMENTS.items()}
    text = "$ = " + op.text.format(*(v.name for v in operands), **types)

    def pull(cots):
        return backward(op, limits, cots[0])

    program.kinds.append(op.name)
    if lines is None:
        return program.define(op.result, dims, result, text, operands,
                              (operands, pull))
    value = Value(program.name(), op.result, dims, result)
    lines.append(text.replace("$", value.name))
    program.link(operands, [value], pull)
    return value


def backward(op, limits, cot):
    """Bounds of the cotangents of an op's operands."""
    if op.name == "arith.select":
        zero = bounds.zeros(cot.shape)
        return [None, bounds.choose(limits[0], cot, zero),
                bounds.choose(limits[0], zero, cot)]
    result = []
    for position in range(len(op.operands)):
        partial = (op.partial(position, limits)
                   if position < len(op.slopes) and op.result == "f"
                   else None)
        if partial is None:
            # Without a slope nothing can be said: remf.
            result.append(bounds.zeros(cot.shape).loosened(True)
                          if op.operands[position] == "f" and op.result == "f"
                          else None)
            continue
        with np.errstate(all="ignore"):
            # Parts of the rule may leave the range on the way.
            size = np.maximum(np.abs(partial.low), np.abs(partial.high))
            far = (size > 1e12) | ((size > 0) & (size < 1e-12))
        result.append(bounds.multiply(cot, partial.loosened(far), 2))
    return result
