"""The tile table: row tiles that never straddle two experts."""

from typing import NamedTuple

import numpy as np


class Tiles(NamedTuple):
    """The result of `tiles`.

    Attributes
    ----------
    table : numpy.ndarray, int32 [ceil(R / BM) + E, 3]
        (expert, first row, number of rows) of each tile; rows past the last
        offset form tiles of expert -1; (-1, 0, 0) after `count`.
    count : int
        The number of tiles in use.
    """

    table: np.ndarray
    count: int


def tiles(offsets, tile_rows, rows):
    """Cut each expert's segment into tiles of at most `tile_rows` rows.

    Parameters
    ----------
    offsets : array_like of int, [E + 1]
        A prefix, as a plan gives it.
    tile_rows : int
        BM.
    rows : int
        R, which bounds the size of the table.

    Returns
    -------
    Tiles
        Tiles in ascending row order; an empty expert has none. The tail, up
        to `rows`, is a segment of expert -1.
    """
    if tile_rows < 1:
        raise ValueError(
            f"expected at least one row in a tile, but got {tile_rows}")
    offsets = np.asarray(offsets)
    experts = offsets.size - 1
    table = np.zeros((-(-rows // tile_rows) + experts, 3), np.int32)
    table[:, 0] = -1
    count = 0
    segments = [(expert, int(offsets[expert]), int(offsets[expert + 1]))
                for expert in range(experts)]
    for expert, begin, end in [*segments, (-1, int(offsets[-1]), rows)]:
        for first in range(begin, end, tile_rows):
            table[count] = expert, first, min(tile_rows, end - first)
            count += 1
    return Tiles(table, count)
