"""The plan: a stable counting sort of the slots by expert."""

from typing import NamedTuple, Optional

import numpy as np


class SlotFault(NamedTuple):
    """The first index outside the experts.

    Attributes
    ----------
    token : int
    slot : int
        Counted over all tokens: token * K + position.
    value : int
        The index found there.
    """

    token: int
    slot: int
    value: int


class Plan(NamedTuple):
    """The result of `plan`; the operand that other operations take.

    Attributes
    ----------
    offsets : numpy.ndarray, int32 [E + 1]
        Exclusive prefix: expert e owns rows offsets[e] ... offsets[e + 1] - 1.
    slot_to_row : numpy.ndarray, int32 [T, K]
        -1 for a slot that is not kept.
    row_to_slot : numpy.ndarray, int32 [R]
        -1 for a tail row, one at or above offsets[E].
    row_expert : numpy.ndarray, int32 [R]
        -1 for a tail row.
    fault : SlotFault or None
        Set only where a bad index is an error.
    """

    offsets: np.ndarray
    slot_to_row: np.ndarray
    row_to_slot: np.ndarray
    row_expert: np.ndarray
    fault: Optional[SlotFault] = None


def plan(indices, experts, *, out_of_range="error"):
    """Sort slots by (expert, token, position) and drop bad indices.

    Parameters
    ----------
    indices : array_like of int, [T, K]
    experts : int
        E.
    out_of_range : {"error", "drop"}
        Whether an index outside 0 ... E - 1 is a fault or a mask. Its slot is
        not kept in either case.

    Returns
    -------
    Plan
    """
    indices = np.asarray(indices)
    if indices.ndim != 2:
        raise ValueError(
            f"expected indices of rank 2, but got rank {indices.ndim}")
    if out_of_range not in ("error", "drop"):
        raise ValueError("expected out_of_range error or drop, "
                         f"but got {out_of_range}")
    tokens, top_k = indices.shape
    flat = indices.reshape(-1).astype(np.int64)
    kept = (flat >= 0) & (flat < experts)

    slots = np.flatnonzero(kept)
    slots = slots[np.argsort(flat[slots], kind="stable")]
    row_to_slot = np.full(flat.size, -1, np.int32)
    row_to_slot[:slots.size] = slots
    row_expert = np.full(flat.size, -1, np.int32)
    row_expert[:slots.size] = flat[slots]
    slot_to_row = np.full(flat.size, -1, np.int32)
    slot_to_row[slots] = np.arange(slots.size)

    offsets = np.zeros(experts + 1, np.int32)
    np.cumsum(np.bincount(flat[kept], minlength=experts), out=offsets[1:])

    fault = None
    if out_of_range == "error" and slots.size < flat.size:
        slot = int(np.flatnonzero(~kept)[0])
        fault = SlotFault(slot // top_k, slot, int(flat[slot]))
    return Plan(offsets, slot_to_row.reshape(tokens, top_k), row_to_slot,
                row_expert, fault)
