"""One random function: its text, its values, and its derivative.

Text is a list of instructions, of which a function prints those that its results
need. What they mean is a list of nodes, each with the rule that takes bounds of
cotangents back; one instruction may have many nodes, as the body of a
`linalg.generic` has.
"""

import random
from typing import Callable, List, NamedTuple

import numpy as np

from . import bounds
from .bounds import Bounds
from .values import Dim, Value, floats, integers, shape_of, tensor


class Instruction(NamedTuple):
    """Lines of text, the values that they read and those that they define."""

    text: str
    uses: List
    results: List


class Node(NamedTuple):
    """A step of the reference.

    Attributes
    ----------
    inputs, outputs : list of Value
    pull : callable
        Bounds of the cotangents of outputs (None for none) to those of inputs.
    """

    inputs: List
    outputs: List
    pull: Callable


class Program:
    """A function in the making.

    Attributes
    ----------
    random : random.Random
    tame : bool
        Whether inputs are made for derivatives.
    kinds : list of str
        The kinds of ops that it holds.
    arguments : list of (Value, numpy.ndarray)
    values : list of Value
        Tensors that further ops may read.
    """

    def __init__(self, seed, tame=False):
        self.seed, self.random, self.tame = seed, random.Random(seed), tame
        self.kinds, self.arguments, self.values = [], [], []
        self.instructions, self.nodes, self._names = [], [], 0
        self._constants, self._rows = {}, None
        sizes = [1, 2, 3, 4, 5, 7, 8, 16, 17]
        self.sizes = [Dim(n) for n in self.random.sample(sizes, 3)]
        self.row_count = self.random.choice([0, 1, 2, 3, 5, 9, 33])
        self.dynamic = self.random.random() < 0.4

    def name(self):
        self._names += 1
        return f"%v{self._names}"

    def emit(self, text, uses, results=()):
        """Add lines; `uses` with all values and sizes that they name."""
        self.instructions.append(Instruction(text, list(uses), list(results)))

    def define(self, kind, dims, limits, text, uses, node=None):
        """Add an op of one result, `$` in its text.

        `node` is the inputs of its node and their rule.
        """
        value = Value(self.name(), kind, dims, limits)
        self.emit(text.replace("$", value.name), [*uses, *value.sizes], [value])
        if node is not None:
            self.link(node[0], [value], node[1])
        return value

    def link(self, inputs, outputs, pull):
        self.nodes.append(Node(list(inputs), list(outputs), pull))

    def argument(self, kind, dims, within=None, array=None):
        """Add an argument with random values."""
        if array is None:
            array = (floats(self.random, shape_of(dims), self.tame)
                     if kind == "f"
                     else integers(self.random, shape_of(dims), within))
        value = Value(f"%a{len(self.arguments)}", kind, dims,
                      bounds.given(array))
        self.arguments.append((value, array))
        if self.row_dim_unknown(dims):
            raise AssertionError("a dynamic size before the first argument")
        return value

    def row_dim_unknown(self, dims):
        return any(d.value is None and d.size < 0 for d in dims)

    def rows(self):
        """The dynamic dimension of this function, of an argument of its own."""
        if self._rows is None:
            kind = self.random.choice("ffi")
            other = self.random.choice([(), self.sizes[:1], self.sizes[1:2]])
            array = (floats if kind == "f" else integers)(
                self.random, (self.row_count, *(d.size for d in other)),
                *([self.tame] if kind == "f" else []))
            # The size follows from the argument, whose type needs the size.
            size = Value(self.name(), "x", None,
                         Bounds(np.int64(self.row_count)))
            self._rows = Dim(self.row_count, size)
            value = self.argument(kind, (self._rows, *other), array=array)
            zero = self.index(0)
            self.emit(f"{size.name} = tensor.dim {value.name}, {zero.name} : "
                      f"{value.type}", [value, zero], [size])
            self.values.append(value)
        return self._rows

    def index(self, number):
        """A constant of type index."""
        return self.scalar("x", int(number), f"{int(number)} : index")

    def scalar(self, kind, number, text):
        """A scalar constant."""
        if text not in self._constants:
            limits = bounds.given(np.float32(number)) if kind == "f" else \
                Bounds(np.int64(number))
            self._constants[text] = self.define(
                kind, None, limits, f"$ = arith.constant {text}", [])
        return self._constants[text]

    def number(self, value):
        """A constant of type f32, by its bits."""
        bits = int(np.float32(value).view(np.uint32))
        return self.scalar("f", value, f"0x{bits:08X} : f32")

    def size(self, op, a, b):
        """An index from two others: op is addi, subi or muli."""
        low = {"addi": np.add, "subi": np.subtract,
               "muli": np.multiply}[op](a.bounds.low, b.bounds.low)
        return self.define("x", None, Bounds(np.int64(low)),
                           f"$ = arith.{op} {a.name}, {b.name} : index", [a, b])

    def extent(self, dim):
        """The size of a dimension as an index value."""
        return self.index(dim.size) if dim.value is None else dim.value

    def empty(self, kind, dims):
        """A tensor without content, for an op to write."""
        sizes = ", ".join(d.value.name for d in dims if d.value)
        name = self.name()
        value = Value(name, kind, dims, bounds.zeros(shape_of(dims)))
        self.emit(f"{name} = tensor.empty({sizes}) : {value.type}", value.sizes,
                  [value])
        return value

    def splat(self, number, dims, kind="f"):
        """A tensor filled with a constant."""
        constant = self.number(number) if kind == "f" else self.scalar(
            "i", number, f"{number} : i32")
        return self.fill(constant, dims)

    def fill(self, scalar, dims):
        start, shape = self.empty(scalar.kind, dims), shape_of(dims)
        zero = np.zeros(shape, np.int64)
        return self.define(
            scalar.kind, dims, scalar.bounds.take(zero),
            f"$ = linalg.fill ins({scalar.name} : {scalar.type}) outs("
            f"{start.name} : {start.type}) -> {start.type}", [scalar, start],
            ([scalar], lambda cots: [scattered(cots[0], zero, 1, ())]))

    def assemble(self, sources, positions):
        """Bounds of elements of several tensors, and the rule of their node.

        Parameters
        ----------
        sources : list of Value
        positions : numpy.ndarray of int
            Into all elements of the sources, one tensor after the other.
        """
        parts = [s.bounds for s in sources]
        flat = Bounds(np.concatenate([p.low.reshape(-1) for p in parts]),
                      np.concatenate([p.high.reshape(-1) for p in parts]),
                      np.concatenate([p.loose.reshape(-1) for p in parts]))

        def pull(cots):
            count = flat.low.size
            whole = scattered(cots[0], positions, count, (count,))
            ends = np.cumsum([p.low.size for p in parts])
            return [whole.take(np.arange(e - p.low.size, e)).reshape(p.shape)
                    for p, e in zip(parts, ends)]
        return flat.take(positions), pull

    def needed(self, results):
        """The instructions that these values need, in order, and arguments."""
        wanted = {id(v) for v in results}
        for v in results:
            wanted |= {id(s) for s in v.sizes}
        kept = []
        for instruction in reversed(self.instructions):
            if any(id(r) in wanted for r in instruction.results):
                kept.append(instruction)
                wanted |= {id(use) for use in instruction.uses}
        arguments = [(v, a) for v, a in self.arguments if id(v) in wanted]
        return kept[::-1], arguments

    def text(self, results, name="f"):
        """A function that gives these values."""
        kept, arguments = self.needed(results)
        signature = ", ".join(f"{v.name}: {v.type}" for v, _ in arguments)
        types = ", ".join(v.type for v in results)
        lines = "\n".join(i.text for i in kept)
        return (f"func.func @{name}({signature}) -> ({types}) {{\n{lines}\n"
                f"return {', '.join(v.name for v in results)} : {types}\n}}\n")

    def gradients(self, results, cotangents):
        """Bounds of the gradients of all float arguments that results need."""
        cots = {}
        for value, cotangent in zip(results, cotangents):
            collect(cots, value, bounds.given(cotangent))
        for node in reversed(self.nodes):
            given = [cots.get(id(v)) for v in node.outputs]
            if all(g is None for g in given):
                continue
            for value, cot in zip(node.inputs, node.pull(given)):
                if cot is not None and value.kind == "f":
                    collect(cots, value, cot)
        _, arguments = self.needed(results)
        return [cots.get(id(v), bounds.zeros(v.bounds.shape))
                for v, _ in arguments if v.kind == "f"]


def collect(cots, value, cot):
    """Add to a cotangent."""
    old = cots.get(id(value))
    cots[id(value)] = cot if old is None else bounds.apply(
        np.add, [old, cot], 2, monotone=True)


def scattered(cot, positions, count, shape):
    """Sums of the elements of a cotangent at each position."""
    at = positions.reshape(-1)
    low, high, size, number = (np.zeros(count) for _ in range(4))
    loose = np.zeros(count, bool)
    np.add.at(low, at, cot.low.reshape(-1))
    np.add.at(high, at, cot.high.reshape(-1))
    np.add.at(size, at, np.maximum(np.abs(cot.low), np.abs(
        cot.high)).reshape(-1))
    np.add.at(number, at, 1)
    np.logical_or.at(loose, at, cot.loose.reshape(-1))
    with np.errstate(all="ignore"):
        error = np.where(number > 1, (number + 2) * (
            2.0**-24 * size + 2.0**-149), 0)
        loose = loose | ~np.isfinite(size) | (size > bounds.LARGEST / 2)
        error = np.where(loose, 0, error)
        result = bounds.rounded(low - error, high + error, loose, 0)
    return result.reshape(shape)


def tensor_type(value):
    return tensor(value.kind, value.dims)
