"""Rounding to the element types of the dialect."""

import numpy as np

ELEMENT_TYPES = ("f64", "f32", "f16", "bf16")


def round_to(values, element_type):
    """Round to the nearest value of an element type, ties to even.

    Parameters
    ----------
    values : array_like
        Any shape.
    element_type : {"f64", "f32", "f16", "bf16"}
        The narrow types are reached through f32, as on a device that computes
        in f32: a float64 input is rounded to f32 first.

    Returns
    -------
    numpy.ndarray
        float64 for "f64"; else float32 that holds exactly representable values
        of the element type, so that arithmetic on the result is f32 arithmetic.
    """
    if element_type == "f64":
        return np.asarray(values, np.float64)
    # A value above the largest one of the type becomes infinite: that is the
    # rounding asked for, so NumPy need not warn about it.
    with np.errstate(over="ignore"):
        single = np.asarray(values).astype(np.float32)
        if element_type == "f32":
            return single
        if element_type == "f16":
            return single.astype(np.float16).astype(np.float32)
    if element_type == "bf16":
        return _round_to_bf16(single)
    raise ValueError("expected an element type among "
                     f"{', '.join(ELEMENT_TYPES)}, but got {element_type}")


def _round_to_bf16(single):
    """Round float32 to the upper 16 bits of its representation."""
    bits = np.ascontiguousarray(single).view(np.uint32).astype(np.uint64)
    # Adding just under half of the dropped part, plus the last kept bit, rounds
    # ties to even; the carry may rightly move into the exponent.
    rounded = (bits + 0x7FFF + ((bits >> 16) & 1)) & 0xFFFF0000
    result = rounded.astype(np.uint32).view(np.float32)
    # The carry would turn some NaNs into zeros or infinities.
    return np.where(np.isnan(single), np.float32(np.nan), result).reshape(
        np.shape(single))
