"""The maps between slots and rows, where they did not come from a plan."""

from typing import NamedTuple, Optional

import numpy as np


class MapFault(NamedTuple):
    """The first element of a map that the other map does not give back.

    Attributes
    ----------
    name : {"slot_to_row", "row_to_slot"}
    position : int
        The slot, counted over all tokens, or the row.
    value : int
        The element found there.
    """

    name: str
    position: int
    value: int


class CheckedMaps(NamedTuple):
    """The result of `check_maps`.

    Attributes
    ----------
    slot_to_row : numpy.ndarray, int32 [T, K]
    row_to_slot : numpy.ndarray, int32 [R]
        -1 where the element is at fault.
    fault : MapFault or None
    """

    slot_to_row: np.ndarray
    row_to_slot: np.ndarray
    fault: Optional[MapFault] = None


def check_maps(slot_to_row, row_to_slot):
    """Drop the elements of two maps that are not each other's inverse.

    Parameters
    ----------
    slot_to_row : array_like of int, [T, K]
        An element is right if it is -1, or a row whose element of `row_to_slot`
        is the slot.
    row_to_slot : array_like of int, [R]
        Likewise; R = T * K.

    Returns
    -------
    CheckedMaps
        Of several faults the first of `slot_to_row` is named, else the first of
        `row_to_slot`.
    """
    slot_to_row, row_to_slot = np.asarray(slot_to_row), np.asarray(row_to_slot)
    if row_to_slot.shape != (slot_to_row.size,):
        raise ValueError(f"expected {slot_to_row.size} elements of row_to_slot "
                         f"(one for each slot), but got {row_to_slot.size}")
    slots, fault = slot_to_row.reshape(-1), None
    checked = []
    for name, values, inverse in (("slot_to_row", slots, row_to_slot),
                                  ("row_to_slot", row_to_slot, slots)):
        kept = np.full(values.size, -1, np.int32)
        for position, value in enumerate(int(v) for v in values):
            if 0 <= value < inverse.size and inverse[value] == position:
                kept[position] = value
            elif value != -1 and fault is None:
                fault = MapFault(name, position, value)
        checked.append(kept)
    return CheckedMaps(checked[0].reshape(slot_to_row.shape), checked[1], fault)
