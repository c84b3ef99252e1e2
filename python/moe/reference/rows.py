"""Moving rows: tokens to experts (dispatch) and back (combine)."""

import numpy as np

from .rounding import round_to


def dispatch(x, plan, weights=None, *, element_type="f64"):
    """Copy each token's features to the rows of its slots.

    Parameters
    ----------
    x : array_like, [T, H]
    plan : Plan
    weights : array_like, [T, K], optional
        Multiplies the row of each slot.
    element_type : {"f64", "f32", "f16", "bf16"}
        Where there are weights: the type the f32 product is rounded to; "f64"
        computes in float64. Without weights rows are exact copies and have the
        type of `x`.

    Returns
    -------
    numpy.ndarray, [R, H]
        Tail rows are zero.
    """
    x = np.asarray(x)
    rows = np.flatnonzero(plan.row_to_slot >= 0)
    slots = plan.row_to_slot[rows]
    copied = x[slots // max(plan.slot_to_row.shape[1], 1)]
    if weights is not None:
        working = np.float64 if element_type == "f64" else np.float32
        factors = np.asarray(weights).reshape(-1)[slots].astype(working)
        copied = round_to(copied.astype(working) * factors[:, None],
                          element_type)
    result = np.zeros((plan.row_to_slot.size, x.shape[1]), copied.dtype)
    result[rows] = copied
    return result


def combine(rows, plan, weights=None, *, order="expert", rounding="once",
            element_type="f64"):
    """Sum the rows of each token, weighted; each kept slot exactly once.

    Parameters
    ----------
    rows : array_like, [R, W]
        Values of the element type.
    plan : Plan
    weights : array_like, [T, K], optional
        Never rounded to the element type.
    order : {"expert", "slot"}
        Visit a token's slots by ascending row, which is ascending expert and
        then slot; or in slot order.
    rounding : {"once", "stepwise"}
        Round the f32 sum at its end, or each product and each sum.
    element_type : {"f64", "f32", "f16", "bf16"}
        "f64" is the exact-arithmetic reference and rounds nothing; the others
        give the bits of a device, whose products and sums are separate f32
        operations.

    Returns
    -------
    numpy.ndarray, [T, W]
        float64, or float32 that holds values of the element type.
    """
    if order not in ("expert", "slot"):
        raise ValueError(f"expected order expert or slot, but got {order}")
    if rounding not in ("once", "stepwise"):
        raise ValueError(
            f"expected rounding once or stepwise, but got {rounding}")
    working = np.float64 if element_type == "f64" else np.float32
    step_type = element_type if rounding == "stepwise" else \
        ("f64" if element_type == "f64" else "f32")
    rows = np.asarray(rows).astype(working)
    tokens, top_k = plan.slot_to_row.shape
    visits = np.tile(np.arange(top_k), (tokens, 1))
    if order == "expert":
        visits = np.argsort(plan.slot_to_row, axis=1, kind="stable")

    total = np.zeros((tokens, rows.shape[1]), working)
    every_token = np.arange(tokens)
    for step in range(top_k):
        row = plan.slot_to_row[every_token, visits[:, step]]
        kept = np.flatnonzero(row >= 0)
        term = rows[row[kept]]
        if weights is not None:
            factor = np.asarray(weights)[kept, visits[kept, step]]
            term = round_to(term * factor.astype(working)[:, None], step_type)
        total[kept] = round_to(total[kept] + term, step_type)
    return round_to(total, element_type)
