"""What ops on the rows of a plan mean: gathers, products, sums by expert."""

import numpy as np

from . import bounds
from .bounds import Bounds
from .contractions import contract


def _padded(limits, axis=0):
    """With a last row of zeros, which -1 picks."""
    shape = list(limits.shape)
    shape[axis] = 1
    zero = np.zeros(shape)
    return Bounds(np.concatenate([limits.low, zero], axis),
                  np.concatenate([limits.high, zero], axis),
                  np.concatenate([limits.loose, zero != 0], axis))


def _row(limits, at):
    padded = _padded(limits)
    return Bounds(padded.low[at], padded.high[at], padded.loose[at])


def _spread_over(weights, columns):
    return Bounds(*(np.repeat(a[..., None], columns, -1) for a in (
        weights.low, weights.high, weights.loose)))


def to_rows(planned, x, weights):
    """Rows of tokens; weighted where there are weights."""
    slots = planned.row_to_slot
    token = np.where(slots >= 0, slots // planned.top_k, -1)
    rows = _row(x, token)
    if weights is None:
        return rows
    factor = _row(weights.reshape((-1, 1)), slots)
    product = bounds.multiply(rows, _spread_over(
        factor.reshape((-1,)), x.shape[1]))
    tail = np.broadcast_to((slots < 0)[:, None], product.shape)
    return bounds.zeros(product.shape).where(tail, product)


def to_tokens(planned, rows, weights):
    """Sums of the rows of each token."""
    terms = _row(rows, planned.slot_to_row)
    if weights is not None:
        kept = planned.slot_to_row >= 0
        product = bounds.multiply(terms, _spread_over(weights, rows.shape[1]))
        mask = np.broadcast_to(~kept[..., None], product.shape)
        terms = bounds.zeros(product.shape).where(mask, product)
    return bounds.total(terms, 1, 0)


def dots(planned, grad, rows):
    """Of each slot's row and its token's gradient."""
    terms = _row(rows, planned.slot_to_row)
    wide = Bounds(*(np.repeat(a[:, None], planned.top_k, 1) for a in (
        grad.low, grad.high, grad.loose)))
    product = bounds.multiply(terms, wide, 1)
    mask = np.broadcast_to((planned.slot_to_row < 0)[..., None], product.shape)
    return bounds.total(bounds.zeros(product.shape).where(mask, product), 2)


def segments(planned):
    offsets = planned.plan.offsets
    return [slice(int(a), int(b)) for a, b in zip(offsets, offsets[1:])]


def segment_of(limits, part):
    return Bounds(limits.low[part], limits.high[part], limits.loose[part])


def stacked(parts):
    return Bounds(*(np.stack([getattr(p, n) for p in parts])
                    for n in ("low", "high", "loose")))


def joined(parts):
    return Bounds(*(np.concatenate([getattr(p, n) for p in parts])
                    for n in ("low", "high", "loose")))


def grouped(planned, rows, matrices, spec, bias=None):
    """Each segment of rows times its matrix; the tail is zeros."""
    parts, columns = [], matrices.shape[2 if spec.startswith("mk,kn") else 1]
    for expert, part in enumerate(segments(planned)):
        start = None
        if bias is not None:
            line = bias.take(np.arange(columns) + expert * columns)
            count = part.stop - part.start
            start = Bounds(*(np.repeat(a[None], count, 0) for a in (
                line.low, line.high, line.loose)))
        parts.append(contract(spec, segment_of(rows, part),
                              segment_of(matrices, expert), start))
    tail = rows.shape[0] - int(planned.plan.offsets[-1])
    parts.append(bounds.zeros((tail, columns)))
    return joined(parts)


def sums(planned, left, right):
    """Sums over the rows of each expert of outer products."""
    return stacked([contract("km,kn->mn", segment_of(left, part),
                              segment_of(right, part))
                     for part in segments(planned)])
