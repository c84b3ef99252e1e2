"""The handwritten digits that come with scikit-learn, split in two."""

from typing import NamedTuple

import numpy as np

__all__ = ["Digits", "load_digits", "read_digits"]

_HELD_OUT = 360
_LARGEST = 16


class Digits(NamedTuple):
    """1797 images of 8 x 8 pixels, scaled to [-1, 1], and their digits.

    Attributes
    ----------
    train_x : numpy.ndarray, float32 [1437, 64]
    train_labels : numpy.ndarray, int32 [1437]
    held_out_x : numpy.ndarray, float32 [360, 64]
    held_out_labels : numpy.ndarray, int32 [360]
    """

    train_x: np.ndarray
    train_labels: np.ndarray
    held_out_x: np.ndarray
    held_out_labels: np.ndarray


def load_digits(seed=0):
    """Load the set; `seed` decides which images are held out."""
    try:
        from sklearn import datasets
    except ImportError as error:
        raise ImportError("expected scikit-learn (Debian: python3-sklearn), "
                          f"which has the digits, but got: {error}") from error
    images, labels = datasets.load_digits(return_X_y=True)
    order = np.random.default_rng(seed).permutation(len(labels))
    x = (images[order] * (2 / _LARGEST) - 1).astype(np.float32)
    labels = labels[order].astype(np.int32)
    return Digits(x[_HELD_OUT:], labels[_HELD_OUT:], x[:_HELD_OUT],
                  labels[:_HELD_OUT])


def read_digits(path):
    """Read what `numpy.savez(path, **digits._asdict())` has written."""
    with np.load(path) as archive:
        return Digits(*(archive[name] for name in Digits._fields))
