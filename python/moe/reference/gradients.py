"""The operations that derivatives are made of, in float64."""

import numpy as np

from .elementwise import sigmoid, softmax
from .grouped import check_offsets
from .rounding import round_to
from .route import check_guards, renormalized


def grouped_outer(lhs, rhs, offsets, init=None):
    """Add the outer products of each expert's rows.

    Parameters
    ----------
    lhs : array_like, [R, M]
        Rows at or above offsets[E] are never read.
    rhs : array_like, [R, N]
    offsets : array_like of int, [E + 1]
    init : array_like, [E, M, N], optional
        What the sums are added to.

    Returns
    -------
    numpy.ndarray, float64 [E, M, N]
        An expert without rows has init, or zeros.
    """
    lhs, rhs = np.asarray(lhs), np.asarray(rhs)
    _expect_prefix(offsets, lhs.shape[0])
    experts = len(offsets) - 1
    result = np.zeros((experts, lhs.shape[1], rhs.shape[1]))
    if init is not None:
        result += init
    for expert in range(experts):
        rows = slice(int(offsets[expert]), int(offsets[expert + 1]))
        result[expert] += (lhs[rows].astype(np.float64).T
                           @ rhs[rows].astype(np.float64))
    return result


def grouped_reduce(rows, offsets):
    """Add the rows of each expert.

    Parameters
    ----------
    rows : array_like, [R, N]
        Rows at or above offsets[E] are never read.
    offsets : array_like of int, [E + 1]

    Returns
    -------
    numpy.ndarray, float64 [E, N]
    """
    rows = np.asarray(rows)
    _expect_prefix(offsets, rows.shape[0])
    result = np.zeros((len(offsets) - 1, rows.shape[1]))
    for expert in range(len(offsets) - 1):
        segment = rows[int(offsets[expert]):int(offsets[expert + 1])]
        result[expert] = segment.astype(np.float64).sum(axis=0)
    return result


def combine_weight_grad(grad, rows, plan, *, strategy="tree",
                        element_type="f64"):
    """Multiply each slot's row by the gradient of its token.

    Parameters
    ----------
    grad : array_like, [T, W]
    rows : array_like, [R, W]
    plan : Plan
    strategy : {"tree", "serial"}
        serial with an element type other than "f64" gives the bits of a device:
        f32 products, added in ascending columns. A tree's are not promised.
    element_type : {"f64", "f32", "f16", "bf16"}
        Of grad and rows.

    Returns
    -------
    numpy.ndarray, [T, K]
        float64, or float32 for the bits of a device; 0 for a dropped slot.
    """
    if strategy not in ("tree", "serial"):
        raise ValueError(
            f"expected strategy tree or serial, but got {strategy}")
    exact = element_type == "f64" or strategy == "tree"
    working = np.float64 if exact else np.float32
    grad, rows = np.asarray(grad).astype(working), np.asarray(rows)
    result = np.zeros(plan.slot_to_row.shape, working)
    tokens, slots = np.nonzero(plan.slot_to_row >= 0)
    picked = rows[plan.slot_to_row[tokens, slots]].astype(working)
    total = np.zeros(len(tokens), working)
    for column in range(grad.shape[1]):
        total = round_to(total + grad[tokens, column] * picked[:, column],
                         "f64" if exact else "f32")
    result[tokens, slots] = total
    return result


def route_grad(logits, indices, dweights, *, scoring="softmax",
               renormalize=False, scale=1.0, epsilon=0.0, floor=0.0):
    """Give the gradient of the logits from that of the routing weights.

    Parameters
    ----------
    logits : array_like, [T, E]
    indices : array_like of int, [T, K]
        A slot whose index is not in [0, E) takes part in nothing.
    dweights : array_like, [T, K]
    scoring, renormalize, scale, epsilon, floor
        As in `route`.

    Returns
    -------
    numpy.ndarray, float64 [T, E]
    """
    check_guards(renormalize, epsilon, floor)
    logits, indices = np.asarray(logits, np.float64), np.asarray(indices)
    experts = logits.shape[1]
    kept = (indices >= 0) & (indices < experts)
    chosen = np.where(kept, indices, 0)
    dweights = np.where(kept, np.asarray(dweights, np.float64), 0.0)
    scores = (softmax if scoring == "softmax" else sigmoid)(logits)
    lost = np.zeros((len(logits), 1))
    per_slot = dweights
    if renormalize:
        shares, rest, is_floor = renormalized(logits, indices, scoring, epsilon,
                                              floor)
        # g - sum of g r, without a difference of numbers that may be alike.
        with np.errstate(invalid="ignore"):
            pairs = dweights[:, :, None] - dweights[:, None, :]
            inner = (pairs * shares[:, None, :]).sum(axis=2)
            inner = np.where(is_floor, 0.0, inner)
            if epsilon or floor:
                inner = inner + rest * dweights
                lost = rest * (dweights * shares).sum(axis=1, keepdims=True)
            per_slot = np.where(kept, shares * inner, 0.0)
    collected = np.zeros(logits.shape)
    tokens = np.arange(len(logits))[:, None]
    np.add.at(collected, (np.broadcast_to(tokens, chosen.shape), chosen),
              scale * per_slot)
    with np.errstate(invalid="ignore"):
        if scoring == "sigmoid":
            slope = sigmoid(-logits)
            return (slope if renormalize else scores * slope) * collected
        if renormalize:
            bad = np.isnan(scores).any(axis=1, keepdims=True)
            return np.where(bad, np.nan, collected - scores * scale * lost)
        return _softmax_vjp(scores, collected)


def _softmax_vjp(scores, gradient):
    # Relative to the gradient of the largest score, which may be next to 1.
    best = scores.argmax(axis=1)[:, None] if scores.size else \
        np.zeros((len(scores), 1), int)
    gradient = gradient - np.take_along_axis(gradient, best, axis=1)
    return scores * (gradient - (scores * gradient).sum(axis=1, keepdims=True))


def _expect_prefix(offsets, rows):
    fault = check_offsets(offsets, rows)
    if fault is not None:
        raise ValueError(
            f"expected offsets to be a prefix from 0 of at most {rows} rows, "
            f"but got {fault.value} at {fault.position}")
