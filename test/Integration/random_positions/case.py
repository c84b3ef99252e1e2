"""A function that takes positions, and how numbers for it are drawn."""

import dataclasses
from typing import Callable

import numpy as np

# What is 32 bits of data at most, and lies near a buffer's end or wraps into it
# when it is counted in bytes.
FAR = [-2**31, -2**31 + 1, -2**30, -2**30 + 1, -2**16, -100, 100, 2**16,
       2**28 + 1, 2**29, 2**29 + 1, 2**30, 2**30 + 1, 2**31 - 2, 2**31 - 1]


class Fault(Exception):
    """The message that a run must end with."""

    def __init__(self, message, code="runtime fault"):
        super().__init__(message)
        self.code = code


@dataclasses.dataclass
class Case:
    """One function.

    Attributes
    ----------
    text : str
        Of the function, which has the name of the case.
    draw : callable
        Gives the inputs for a random generator.
    expect : callable
        Gives the results for the inputs, or raises `Fault`.
    positions : callable
        Gives how many positions are in the inputs.
    """

    name: str
    text: str
    draw: Callable
    expect: Callable
    positions: Callable


def position(random, size):
    """A number around [0, size) or far from it."""
    kind = random.integers(4)
    if kind == 0:
        return int(random.choice(FAR))
    if kind == 1:
        return int(random.integers(-2**31, 2**31))
    if kind == 2:
        return int(random.choice([-1, 0, size - 1, size, size + 1]))
    return int(random.integers(-size - 3, 2 * size + 3))


def positions(random, size, shape):
    """Numbers in [0, size), in half of the draws with some around it."""
    result = random.integers(0, max(size, 1), shape, np.int32)
    flat = result.reshape(-1)
    if flat.size and (size == 0 or random.integers(2)):
        for at in random.integers(0, flat.size, 1 + random.integers(3)):
            flat[at] = position(random, size)
    return result


def numbers(random, *shape):
    """Whole numbers as f32, whose sums are exact in any order."""
    return random.integers(-99, 100, shape).astype(np.float32)


def check_index(value, size, dim, kernel="elementwise", limit=None, at=None):
    """Raise the fault of a tensor.extract's index that is out of range.

    Parameters
    ----------
    value, size : int
    dim : int
        Of the tensor.
    kernel : str
    limit : str, optional
        The size as a message has it, `size` by default.
    at : int, optional
        The element that is computed with it.
    """
    if 0 <= value < size:
        return
    if not -2**31 <= value < 2**31:
        value = "one of more than 32 bits"
    raise Fault(
        f"kernel '{kernel}': expected index {dim} of 'tensor.extract' to be in "
        f"[0, {limit or size}), but got {value}"
        + ("" if at is None else f" at element {at}"))


def of_input(number, dim):
    """A dynamic size in a message."""
    return f"dim {dim} of input {number}"
