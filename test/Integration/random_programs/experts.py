"""The layer ops on rows: plans, grouped products, and their gradients.

They come as a layer has them: a plan of indices from data, then some ops on its
rows.
"""

import numpy as np
from moe import reference
from moe.printer import attributes

from . import bounds, rows as of_rows
from .bounds import Bounds
from .routing import operation, route, route_weights, tokens_of
from .values import Dim, Value, integers


class Planned:
    """A plan of random indices, some of which may be dropped."""

    def __init__(self, program):
        random = program.random
        self.experts = random.choice([1, 2, 3, 8])
        self.top_k = random.choice([1, 2, 3])
        self.tokens = tokens_of(program)
        drop = random.random() < 0.4
        array = integers(random, (self.tokens.size, self.top_k),
                         self.experts + 2 * drop) - drop
        if random.random() < 0.2:
            array = np.minimum(array, 0)  # all rows at one expert
        array = array.astype(np.int32)
        self.plan = reference.plan(array, self.experts, out_of_range="drop")
        indices = program.argument("i", (self.tokens, Dim(self.top_k)),
                                   array=array)
        count = Dim(self.plan.row_to_slot.size)
        if self.tokens.value is not None:
            count = Dim(count.size, program.size(
                "muli", self.tokens.value, program.index(self.top_k)))
        self.rows = count
        shapes = [(Dim(self.experts + 1),), (self.tokens, Dim(self.top_k)),
                  (count,), (count,)]
        self.values = [Value(program.name(), "i", dims,
                             Bounds(np.asarray(part).astype(np.int64)))
                       for dims, part in zip(shapes, self.plan[:4])]
        entries = {"experts": f"{self.experts} : i64"}
        if drop:
            entries["out_of_range"] = "#moe.out_of_range<drop>"
        operation(program, "moe.plan",
                   f"{', '.join(v.name for v in self.values)} = moe.plan "
                   f"{indices.name}{attributes(entries)} : {indices.type} -> "
                   f"{', '.join(v.type for v in self.values)}", self.values,
                   [indices])
        self.slot_to_row, self.row_to_slot = self.plan[1:3]

    def text(self, values, more=()):
        operands = [*values, *more]
        return ", ".join(v.name for v in operands), ", ".join(
            v.type for v in operands)


def layer(program, pick):
    """A plan, and ops that move rows, multiply them, and sum them up."""
    planned, made = Planned(program), []
    wide = program.random.choice(program.sizes)
    x = pick(kind="f", dims=(planned.tokens, wide))
    made.append(_dispatch(program, planned, x))
    for _ in range(program.random.randint(1, 3)):
        rows = program.random.choice([v for v in made
                                      if len(v.dims) == 2
                                      and v.dims[0] == planned.rows])
        kind = program.random.choice([_matmul, _combine, _outer, _reduce, _dot])
        made.append(kind(program, planned, rows, pick))
    made += program.random.sample(planned.values, 1)
    return made


def _weights(program, planned):
    if program.random.random() < 0.5:
        return None
    return program.pick(kind="f", dims=(planned.tokens, Dim(planned.top_k)))


def _weighted(program, weights):
    return ("", []) if weights is None else (f" weights {weights.name}",
                                             [weights])


def _step(program, inputs, text, kind, compute, uses, dims):
    """An op whose bounds come from gathers, products and sums.

    `compute` maps bounds of the inputs to bounds of the result, and has `pull`.
    """
    limits, pull = compute
    typed = Value("", "f", dims, limits)
    program.kinds.append(kind)
    return program.define("f", dims, limits, f"{text} -> {typed.type}", uses,
                          (inputs, pull))


def _dispatch(program, planned, x):
    weights = _weights(program, planned)
    head, more = _weighted(program, weights)
    w = None if weights is None else weights.bounds

    def pull(cots):
        result = [of_rows.to_tokens(planned, cots[0], w)]
        if weights is not None:
            result.append(of_rows.dots(planned, x.bounds, cots[0]))
        return result
    names, types = planned.text([x, *planned.values[:3]])
    types = ", ".join([types, *(m.type for m in more)])
    return _step(program, [x, *more],
                 f"$ = moe.dispatch {names}{head} : {types}", "moe.dispatch",
                 (of_rows.to_rows(planned, x.bounds, w), pull),
                 [x, *planned.values[:3], *more],
                 (planned.rows, x.dims[1]))


def _combine(program, planned, rows, pick):
    weights = _weights(program, planned)
    head, more = _weighted(program, weights)
    w = None if weights is None else weights.bounds
    entries = {} if program.random.random() < 0.5 else {
        "order": "#moe.combine_order<slot>"}

    def pull(cots):
        result = [of_rows.to_rows(planned, cots[0], w)]
        if weights is not None:
            result.append(of_rows.dots(planned, cots[0], rows.bounds))
        return result
    names, types = planned.text([rows, *planned.values[:3]])
    types = ", ".join([types, *(m.type for m in more)])
    return _step(program, [rows, *more],
                 f"$ = moe.combine {names}{head}{attributes(entries)} : "
                 f"{types}", "moe.combine",
                 (of_rows.to_tokens(planned, rows.bounds, w), pull),
                 [rows, *planned.values[:3], *more],
                 (planned.tokens, rows.dims[1]))


def _dot(program, planned, rows, pick):
    grad = pick(kind="f", dims=(planned.tokens, rows.dims[1]))

    def pull(cots):
        return [of_rows.to_tokens(planned, rows.bounds, cots[0]),
                of_rows.to_rows(planned, grad.bounds, cots[0])]
    names, types = planned.text([grad, rows, *planned.values[:3]])
    return _step(program, [grad, rows],
                 f"$ = moe.combine_weight_grad {names} : {types}",
                 "moe.combine_weight_grad",
                 (of_rows.dots(planned, grad.bounds, rows.bounds), pull),
                 [grad, rows, *planned.values[:3]],
                 (planned.tokens, Dim(planned.top_k)))


def _matmul(program, planned, rows, pick):
    columns = program.random.choice(program.sizes)
    transposed = program.random.random() < 0.5
    shape = [rows.dims[1], columns]
    if transposed:
        shape.reverse()
    matrices = pick(kind="f", dims=(Dim(planned.experts), *shape))
    bias = pick(kind="f", dims=(Dim(planned.experts), columns)) \
        if program.random.random() < 0.4 else None
    more = [] if bias is None else [bias]
    entries = {"transpose_rhs": None} if transposed else {}

    def pull(cots):
        back = "mk,kn->mn" if transposed else "mk,nk->mn"
        result = [of_rows.grouped(planned, cots[0], matrices.bounds, back)]
        result.append(of_rows.sums(planned, cots[0], rows.bounds) if transposed
                      else of_rows.sums(planned, rows.bounds, cots[0]))
        if bias is not None:
            result.append(of_rows.stacked([bounds.total(of_rows.segment_of(cots[0], part), 0)
                                    for part in of_rows.segments(planned)]))
        return result
    names, types = planned.text([rows, matrices, planned.values[0]])
    head = "" if bias is None else f" bias {bias.name}"
    types = ", ".join([types, *(m.type for m in more)])
    limits = of_rows.grouped(planned, rows.bounds, matrices.bounds,
                      "mk,nk->mn" if transposed else "mk,kn->mn",
                      None if bias is None else bias.bounds)
    return _step(program, [rows, matrices, *more],
                 f"$ = moe.grouped_matmul {names}{head}{attributes(entries)} :"
                 f" {types}", "moe.grouped_matmul", (limits, pull),
                 [rows, matrices, planned.values[0], *more],
                 (planned.rows, columns))


def _outer(program, planned, rows, pick):
    other = pick(kind="f", dims=(planned.rows,
                                 program.random.choice(program.sizes)))

    def pull(cots):
        return [of_rows.grouped(planned, other.bounds, cots[0], "mk,nk->mn"),
                of_rows.grouped(planned, rows.bounds, cots[0], "mk,kn->mn")]
    names, types = planned.text([rows, other, planned.values[0]])
    return _step(program, [rows, other],
                 f"$ = moe.grouped_outer {names} : {types}",
                 "moe.grouped_outer",
                 (of_rows.sums(planned, rows.bounds, other.bounds), pull),
                 [rows, other, planned.values[0]],
                 (Dim(planned.experts), rows.dims[1], other.dims[1]))


def _reduce(program, planned, rows, pick):
    def pull(cots):
        parts = [Bounds(*(np.repeat(a[expert][None], part.stop - part.start, 0)
                          for a in (cots[0].low, cots[0].high, cots[0].loose)))
                 for expert, part in enumerate(of_rows.segments(planned))]
        tail = rows.bounds.shape[0] - int(planned.plan.offsets[-1])
        return [of_rows.joined([*parts, bounds.zeros((tail, rows.bounds.shape[1]))])]
    names, types = planned.text([rows, planned.values[0]])
    limits = of_rows.stacked([bounds.total(of_rows.segment_of(rows.bounds, part), 0)
                       for part in of_rows.segments(planned)])
    return _step(program, [rows], f"$ = moe.grouped_reduce {names} : {types}",
                 "moe.grouped_reduce", (limits, pull),
                 [rows, planned.values[0]],
                 (Dim(planned.experts), rows.dims[1]))


KINDS = [route, route, route_weights, layer, layer, layer]
