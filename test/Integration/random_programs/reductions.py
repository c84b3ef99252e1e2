"""Sums, products, maxima and minima along a dimension."""

from typing import Callable, NamedTuple

import numpy as np

from . import bounds
from .bounds import Bounds
from .values import shape_of


class Reducer(NamedTuple):
    """An op that folds elements, and the values it may begin with."""

    name: str
    kind: str
    function: Callable
    starts: tuple

    def start(self, random):
        return random.choice(self.starts)


REDUCERS = [
    Reducer("arith.addf", "f", np.add, (0.0, 0.0, 1.5)),
    Reducer("arith.addf", "f", np.add, (0.0,)),
    Reducer("arith.mulf", "f", np.multiply, (1.0, -2.0)),
    Reducer("arith.maximumf", "f", np.maximum, (-np.inf, -99.0, 0.0)),
    Reducer("arith.minimumf", "f", np.minimum, (np.inf, 99.0)),
    Reducer("arith.maxnumf", "f", np.fmax, (-np.inf,)),
    Reducer("arith.minnumf", "f", np.fmin, (np.inf,)),
    Reducer("arith.addi", "i", np.add, (0, 5)),
    Reducer("arith.muli", "i", np.multiply, (1, 3)),
    Reducer("arith.maxsi", "i", np.maximum, (-2**31, 0)),
    Reducer("arith.minsi", "i", np.minimum, (2**31 - 1, 0)),
    Reducer("arith.ori", "i", np.bitwise_or, (0,)),
    Reducer("arith.andi", "i", np.bitwise_and, (-1,)),
    Reducer("arith.xori", "i", np.bitwise_xor, (0, 77)),
]


def combiner(program, reducer, value, total, lines):
    """Add the fold to a body; gives the name of what is yielded."""
    name = program.name()
    operands = [total, value]
    if program.random.random() < 0.5:
        operands.reverse()
    lines.append(f"{name} = {reducer.name} {', '.join(operands)} : "
                 + ("f32" if reducer.kind == "f" else "i32"))
    return name


def reduce_bounds(program, reducer, value, start, axis, order, shape):
    """Bounds of a reduction, and its node.

    Parameters
    ----------
    value : Value
        With the shape of all loops.
    start : Value
        Of the shape of the result.
    axis : int
        The loop that is reduced.
    order : list of int
        The other loops, as the result has them.
    shape : tuple
        The result's: with ones where it keeps a dimension.
    """
    places = [*order, axis]

    def moved(array):
        return array.transpose(places)
    terms = Bounds(moved(value.bounds.low), moved(value.bounds.high),
                   moved(value.bounds.loose))
    first = start.bounds.reshape(terms.shape[:-1])
    limits, slopes = fold(reducer, terms, first)
    back = np.argsort(places)

    def pull(cots):
        cot = cots[0].reshape(terms.shape[:-1] + (1,))
        wide = Bounds(*(np.broadcast_to(x, terms.shape) for x in (
            cot.low, cot.high, cot.loose)))
        result = bounds.multiply(wide, slopes(), 4)
        return [Bounds(*(x.transpose(back) for x in (
            result.low, result.high, result.loose)))]
    return limits.reshape(shape), ([value], pull)


def fold(reducer, terms, first):
    """Fold the last axis; the bounds, and what gives the terms' slopes."""
    name = reducer.name
    if reducer.kind == "i":
        result = first.low.copy()
        for i in range(terms.shape[-1]):
            with np.errstate(all="ignore"):
                result = reducer.function(result, terms.low[..., i]).astype(
                    np.int32).astype(np.int64)
        return Bounds(result, None, terms.loose.any(-1)), None
    if name == "arith.addf":
        return (bounds.total(terms, -1, 1, first),
                lambda: bounds.constant(1.0, terms.shape))
    if name == "arith.mulf":
        return _product(terms, first)
    return _extreme(reducer, terms, first)


def _product(terms, first):
    result = first
    count, size = terms.shape[-1], np.zeros(first.shape)
    with np.errstate(all="ignore"):
        for i in range(count):
            part = terms.take(np.arange(terms.low.size).reshape(
                terms.shape)[..., i])
            result = bounds.apply(np.multiply, [result, part], 2,
                                  monotone=True)
            magnitude = np.abs(np.log2(np.maximum(np.abs(part.low),
                                                  np.abs(part.high))))
            size = size + np.where(np.isfinite(magnitude), magnitude, 0)
        # Of a part of the factors the product may leave the range: where
        # there is a 0 or an infinity as well, a NaN may come of it.
        whole = Bounds(np.concatenate([terms.low, first.low[..., None]], -1),
                       np.concatenate([terms.high, first.high[..., None]], -1))
        zero = ((whole.low <= 0) & (whole.high >= 0)).any(-1)
        infinite = (np.isinf(whole.low) | np.isinf(whole.high)).any(-1)
        certain = np.isnan(whole.low).any(-1) | (
            ((whole.low == 0) & (whole.high == 0)).any(-1)
            & (np.isinf(whole.low) & (whole.low == whole.high)).any(-1))
        far = size + np.abs(np.log2(np.abs(np.where(
            first.low == 0, 1, first.low)))) > 120
    result = result.loosened((far | (zero & infinite)) & ~certain)

    def slopes():
        others = []
        for i in range(count):
            rest = first
            for j in range(count):
                if j != i:
                    part = terms.take(np.arange(terms.low.size).reshape(
                        terms.shape)[..., j])
                    rest = bounds.apply(np.multiply, [rest, part], 4,
                                        monotone=True)
            # A division by the term is a way to it: not at zeros.
            here = terms.low[..., i] * terms.high[..., i] <= 0
            others.append(rest.loosened(here | far))
        return Bounds(*(np.stack([getattr(o, name) for o in others], -1)
                        if others else np.zeros(terms.shape, kind)
                        for name, kind in (("low", float), ("high", float),
                                           ("loose", bool))))
    return result, slopes


def _extreme(reducer, terms, first):
    with np.errstate(all="ignore"):
        low, high = first.low, first.high
        loose = first.loose | terms.loose.any(-1)
        zeros = np.zeros(first.shape, bool)
        for i in range(terms.shape[-1]):
            low = reducer.function(low, terms.low[..., i])
            high = reducer.function(high, terms.high[..., i])
        zeros = ((low == 0) | (high == 0))
        low, high = (np.where(zeros & (low == 0), -0.0, low),
                     np.where(zeros & (high == 0), 0.0, high))
    result = Bounds(*bounds.flushed(low, high), loose)

    def slopes():
        # The one that is the extreme for certain, where there is but one.
        with np.errstate(all="ignore"):
            touches = (terms.low <= high[..., None]) & (
                terms.high >= low[..., None])
            begins = (first.low <= high) & (first.high >= low)
            many = touches.sum(-1) + begins > 1
        mask = np.broadcast_to(many[..., None] | loose[..., None]
                               | np.isnan(low)[..., None], terms.shape)
        return Bounds(touches.astype(float), None, mask & touches)
    return result, slopes


def reduce(program, pick):
    """`linalg.reduce`, of one or two dimensions in turn."""
    random = program.random
    kind = random.choice("fffi")
    value = pick(kind=kind, rank=(1, 3))
    if value.kind == "i" and value.bounds.loose.any():
        return None
    axis = random.randrange(len(value.dims))
    order = [i for i in range(len(value.dims)) if i != axis]
    dims = tuple(value.dims[i] for i in order)
    reducer = random.choice([r for r in REDUCERS if r.kind == kind])
    start = program.splat(reducer.start(random), dims, kind)
    limits, node = reduce_bounds(program, reducer, value, start, axis, order,
                                 shape_of(dims))
    program.kinds.append("linalg.reduce " + reducer.name)
    return program.define(kind, dims, limits,
                          f"$ = linalg.reduce {{ {reducer.name} }} "
                          f"ins({value.name} : {value.type}) outs({start.name}"
                          f" : {start.type}) dimensions = [{axis}]",
                          [value, start], node)
