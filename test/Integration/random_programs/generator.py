"""Draws a function."""

import numpy as np

from . import bodies, contractions, elements, experts, reductions, views
from .program import Program
from .values import shape_of


class Generator(Program):
    """A function of some random ops.

    Attributes
    ----------
    results : list of Value
    """

    def __init__(self, seed, tame=False, only=None):
        super().__init__(seed, tame)
        table = [whole] * 3 + [bodies.generic] * 5 + [views_kind] * 5 + [
            reductions.reduce] * 2 + [product_kind] * 3 + [experts_kind] * 3
        if only is not None:
            table = [globals().get(only) or getattr(bodies, only)]
        for _ in range(self.random.randint(1, 7)):
            made = self.random.choice(table)(self, self.pick)
            for value in made if isinstance(made, list) else [made]:
                if value is not None and not self.vague(value):
                    self.values.append(value)
        self.results = self.choose_results()

    def vague(self, value):
        """Whether little can be said about a value."""
        limits = value.bounds
        if value.kind in "ix":
            return bool(limits.loose.any())
        return bool(limits.loose.size and limits.loose.mean() > 0.3)

    def shape(self, rank=(0, 3)):
        """Random dimensions, at most one of them dynamic."""
        count = self.random.choice([1, 2, 2, 2, 3, self.random.randint(*rank)])
        count = min(max(count, rank[0]), rank[1])
        dims = [self.random.choice(self.sizes) for _ in range(count)]
        if self.dynamic and count and self.random.random() < 0.6:
            dims[self.random.randrange(count)] = self.rows()
        while np.prod(shape_of(dims)) > 1200:
            dims[-1] = self.sizes[0] if self.sizes[0].size < 5 else \
                dims[-1]._replace(size=2, value=None)
            dims = dims[-1:] + dims[:-1]
        return tuple(dims)

    def pick(self, kind=None, dims=None, rank=(0, 3), static=False,
             full=False):
        """A value of this kind and shape, or a new argument."""
        found = [v for v in self.values if (kind or v.kind) == v.kind
                 and v.kind in "fi" and v.dims is not None
                 and (dims is None or v.dims == dims)
                 and rank[0] <= len(v.dims) <= rank[1]
                 and not (static and v.sizes)
                 and not (full and 0 in shape_of(v.dims))]
        if found and self.random.random() < (0.85 if dims is None else 0.75):
            return self.random.choice(found + 2 * found[-2:])
        for _ in range(20):
            shape = dims if dims is not None else self.shape(rank)
            if (static and any(d.value for d in shape)) or (
                    full and 0 in shape_of(shape)):
                continue
            value = self.argument(kind or self.random.choice("fffi"), shape)
            self.values.append(value)
            return value
        static_dims = tuple(self.sizes[:max(rank[0], 1)])
        value = self.argument(kind or "f", static_dims)
        self.values.append(value)
        return value

    def choose_results(self):
        made = [v for v in self.values if v.kind in "fi"
                and not any(v is a for a, _ in self.arguments)]
        made = made or [self.pick()]
        if self.tame:
            made = [v for v in made if v.kind == "f"] or made
        read = {id(use) for i in self.instructions for use in i.uses}
        ends = [v for v in made if id(v) not in read] or made[-1:]
        return self.random.sample(ends, min(len(ends), 4))


def whole(program, pick):
    """An op on whole tensors, with casts, comparisons and selects between."""
    table = elements.SMOOTH if program.tame and program.random.random() < 0.7 \
        else elements.TABLE
    first = pick()
    found = {first.kind: [first]}
    for kind in "fi":
        for _ in range(program.random.randint(0, 2)):
            found.setdefault(kind, []).append(pick(kind=kind, dims=first.dims))

    def choose(kind, taken):
        choices = [v for v in found.get(kind, ())
                   if all(v is not t for t in taken)]
        if not choices:
            return pick(kind=kind, dims=first.dims) if kind in "fi" and \
                program.random.random() < 0.5 else None
        return program.random.choice(choices + choices[-1:])

    def number(kind, choices):
        whole = program.splat(program.random.choice(choices), first.dims, "i")
        return whole if kind == "i" else elements.apply_op(
            program, elements.TO_INDEX, [whole])

    made = []
    for _ in range(program.random.randint(1, 4)):
        op = program.random.choice(table)
        operands = elements.choose_operands(program, op, choose, number)
        if operands is not None:
            value = elements.apply_op(program, op, operands)
            if value is not None:
                found.setdefault(value.kind, []).append(value)
                made.append(value)
    for value in list(made):
        if value.kind in elements.TO_NUMBERS:
            made.append(elements.apply_op(program, program.random.choice(
                elements.TO_NUMBERS[value.kind]), [value]))
    return [v for v in made if v is not None and v.kind in "fi"]


def views_kind(program, pick):
    return program.random.choice(views.KINDS)(program, pick)


def product_kind(program, pick):
    return program.random.choice(contractions.KINDS)(program, pick)


def experts_kind(program, pick):
    return program.random.choice(experts.KINDS)(program, pick)
