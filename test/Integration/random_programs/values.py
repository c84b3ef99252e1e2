"""Values of a random function: their types, their text and their bounds."""

from typing import NamedTuple, Optional

import numpy as np

ELEMENTS = {"f": "f32", "i": "i32", "b": "i1", "x": "index"}
SPECIAL = [0.0, -0.0, 1.0, -1.0, 0.5, -2.0, 3.0, np.inf, -np.inf, np.nan,
           1e-8, -1e-8, 1e-20, 1.2e-38, 3e38, -3e38, 1e10, -1e10, 88.5, -88.5,
           104.0, -104.0, 0.9999999, -0.9999999, 1.0000001, 2.5, -2.5, 7.0]
WHOLE = [0, 1, -1, 2, 3, 7, -5, 10, 31, 1000, -1000, 65535, 65536, 2**31 - 1,
         -2**31, -2**31 + 1, 2**24 + 1]


class Dim(NamedTuple):
    """A dimension: its size in this run, and the index value that holds it.

    Attributes
    ----------
    size : int
    value : Value or None
        None where the size is static.
    """

    size: int
    value: Optional["Value"] = None

    @property
    def text(self):
        return str(self.size) if self.value is None else self.value.name


class Value:
    """An SSA value.

    Attributes
    ----------
    name : str
    kind : str
        f, i, b or x: f32, i32, i1 or index.
    dims : tuple of Dim, or None
        None for a scalar.
    bounds : bounds.Bounds
    """

    def __init__(self, name, kind, dims, bounds):
        self.name, self.kind = name, kind
        self.dims, self.bounds = dims, bounds
        shape = () if dims is None else tuple(d.size for d in dims)
        assert bounds.shape == shape, (name, bounds.shape, shape)

    @property
    def type(self):
        return (ELEMENTS[self.kind] if self.dims is None
                else tensor(self.kind, self.dims))

    @property
    def sizes(self):
        """The index values in the type."""
        return [d.value for d in self.dims or () if d.value is not None]


def tensor(kind, dims):
    shape = "".join("?x" if d.value else f"{d.size}x" for d in dims)
    return f"tensor<{shape}{ELEMENTS[kind]}>"


def shape_of(dims):
    return tuple(d.size for d in dims)


def floats(random, shape, tame):
    """Numbers of one kind: tame ones have derivatives that are worth a look."""
    count = int(np.prod(shape))
    draw = np.random.default_rng(random.getrandbits(32))
    kinds = ["normal", "normal", "positive", "unit"] if tame else [
        "normal", "normal", "special", "special", "wide", "whole", "positive"]
    kind = random.choice(kinds)
    if kind == "normal":
        values = draw.normal(size=count) * random.choice([1, 1, 3])
    elif kind == "positive":
        values = draw.uniform(0.25, 3, count)
    elif kind == "unit":
        values = draw.uniform(-0.95, 0.95, count)
    elif kind == "whole":
        values = draw.integers(-9, 10, count)
    elif kind == "special":
        values = np.where(draw.random(count) < 0.5, draw.choice(SPECIAL, count),
                          draw.normal(size=count))
    else:
        values = draw.choice([-1, 1], count) * np.exp2(
            draw.uniform(-120, 120, count))
    return values.astype(np.float32).reshape(shape)


def integers(random, shape, within=None):
    """Any integers, or those of 0 … within − 1."""
    draw = np.random.default_rng(random.getrandbits(32))
    if within is not None:
        values = draw.integers(0, max(within, 1), shape)
    elif random.random() < 0.5:
        values = draw.integers(-9, 10, shape)
    else:
        values = draw.choice(WHOLE, shape)
    return np.asarray(values).astype(np.int32).reshape(shape)
