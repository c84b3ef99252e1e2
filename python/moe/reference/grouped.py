"""The grouped product: each segment of rows times its own matrix."""

from typing import NamedTuple

import numpy as np


class OffsetFault(NamedTuple):
    """The first offset that breaks the prefix.

    Attributes
    ----------
    position : int
        Into the offsets.
    value : int
        The offset found there.
    """

    position: int
    value: int


def check_offsets(offsets, rows):
    """Find the first offset that is not part of a prefix over `rows` rows.

    Parameters
    ----------
    offsets : array_like of int, [E + 1]
    rows : int
        R, the number of rows there are.

    Returns
    -------
    OffsetFault or None
        None if offsets[0] = 0, no offset is below the one before it, and none
        is above `rows`.
    """
    previous = 0
    for position, value in enumerate(int(v) for v in np.asarray(offsets)):
        wrong_start = position == 0 and value != 0
        if wrong_start or value < previous or value > rows:
            return OffsetFault(position, value)
        previous = value
    return None


def grouped_matmul(lhs, rhs, offsets, bias=None, *, transpose_rhs=False):
    """Multiply the rows of each expert by that expert's matrix.

    Parameters
    ----------
    lhs : array_like, [R, C]
        Rows at or above offsets[E] are never read.
    rhs : array_like, [E, C, N], or [E, N, C] with `transpose_rhs`
    offsets : array_like of int, [E + 1]
    bias : array_like, [E, N], optional
        Added to each row of its expert; C may be 0.
    transpose_rhs : bool

    Returns
    -------
    numpy.ndarray, float64 [R, N]
        Rows at or above offsets[E] are zero.
    """
    lhs, rhs = np.asarray(lhs), np.asarray(rhs)
    experts = rhs.shape[0]
    if np.shape(offsets) != (experts + 1,):
        raise ValueError(f"expected {experts + 1} offsets (experts + 1), "
                         f"but got {np.size(offsets)}")
    contraction, columns = rhs.shape[1:]
    if transpose_rhs:
        contraction, columns = columns, contraction
    if lhs.shape[1] != contraction:
        raise ValueError(f"expected lhs to have {contraction} columns, "
                         f"but got {lhs.shape[1]}")
    fault = check_offsets(offsets, lhs.shape[0])
    if fault is not None:
        raise ValueError(
            "expected offsets to be a prefix from 0 of at most "
            f"{lhs.shape[0]} rows, but got {fault.value} at {fault.position}")

    result = np.zeros((lhs.shape[0], columns))
    # One expert at a time: widening all weights at once would double the memory
    # of the largest operand, and most of it may belong to empty experts.
    for expert in range(experts):
        begin, end = int(offsets[expert]), int(offsets[expert + 1])
        if begin == end:
            continue
        matrix = rhs[expert].astype(np.float64)
        if transpose_rhs:
            matrix = matrix.T
        result[begin:end] = lhs[begin:end].astype(np.float64) @ matrix
        if bias is not None:
            result[begin:end] += np.asarray(bias)[expert]
    return result
