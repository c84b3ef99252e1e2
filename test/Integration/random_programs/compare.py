"""Compares what a device gave with the bounds of the reference."""

from typing import NamedTuple

import numpy as np

from . import bounds


class Comparison(NamedTuple):
    """Counts of elements.

    Attributes
    ----------
    compared : int
        Of finite numbers and integers, against their bounds.
    nan, infinite : int
        Both sides are NaN; both are the same infinity.
    loose : int
        Not compared: the reference cannot say.
    wide : int
        Of the compared, those whose bounds are wider than 1e-3 of the value.
    wrong : list of tuple
        Position, low, high, what came.
    """

    compared: int
    nan: int
    infinite: int
    loose: int
    wide: int
    wrong: list


def compare(got, limits):
    """Judge an array.

    A NaN is right where NaN is certain, whatever its bits; an infinity where the
    exact result, with all that rounding may do to it, is at or beyond the range
    of f32 on that side. A zero has the sign of the exact one only where a later
    op sees it.
    """
    got = np.asarray(got)
    if got.shape != limits.shape:
        return Comparison(0, 0, 0, 0, 0, [("shape", limits.shape, "",
                                           got.shape)])
    checked = ~limits.loose
    values = got.astype(limits.low.dtype)
    with np.errstate(all="ignore"):
        if not limits.is_float:
            right = values == limits.low
            nan = infinite = wide = np.zeros(got.shape, bool)
        else:
            low, high = bounds.flushed(limits.low, limits.high)
            expected = np.isnan(low)
            right = np.where(expected, np.isnan(values),
                             (values >= low) & (values <= high))
            nan = expected & np.isnan(values)
            infinite = np.isinf(values) & right
            wide = (high - low) > 1e-3 * np.maximum(np.abs(low), np.abs(high))
    places = np.argwhere(checked & ~right)[:5]
    wrong = [(tuple(int(i) for i in place), limits.low[tuple(place)],
              limits.high[tuple(place)], got[tuple(place)])
             for place in places]
    usual = checked & ~nan & ~infinite
    return Comparison(int(usual.sum()), int((checked & nan).sum()),
                      int((checked & infinite).sum()),
                      int(limits.loose.sum()), int((usual & wide).sum()),
                      wrong)
