"""`check_values`: what counts as near."""

import numpy as np
import pytest
from moe.testing import check_values

EXPECTED = np.array([[1000.0, 1.0], [0.5, 0.25], [0.0, 0.0]])


def test_equal_values_pass():
    check_values(EXPECTED.astype(np.float32), EXPECTED)


@pytest.mark.parametrize("place, value, message", [
    ((0, 1), 1.1, "relative error of at most 2e-05, but got 0.0001"),
    ((1, 1), 0.2501, "each row's relative error to be at most 0.0001, but got "
     "0.0002 in row 1"),
    ((2, 0), 1e-30, "in row 2"),
    ((0, 0), np.nan, r"worst at \[0, 0\]: nan, reference 1000")])
def test_a_difference_is_named(place, value, message):
    got = EXPECTED.astype(np.float32)
    got[place] = value
    with pytest.raises(AssertionError, match=message):
        check_values(got, EXPECTED)


def test_infinities_and_nan_must_be_met():
    expected = np.array([np.inf, -np.inf, np.nan, 1.0])
    check_values(expected.astype(np.float32), expected)
    for place in range(3):
        got = expected.astype(np.float32)
        got[place] = 1
        with pytest.raises(AssertionError):
            check_values(got, expected)


def test_the_form_must_be_met():
    with pytest.raises(AssertionError, match="expected float32"):
        check_values(EXPECTED, EXPECTED)
    with pytest.raises(AssertionError, match="expected float32"):
        check_values(EXPECTED[:1].astype(np.float32), EXPECTED)


def test_nothing_and_scalars():
    check_values(np.zeros((0, 4), np.float32), np.zeros((0, 4)))
    check_values(np.float32(2).reshape(()), 2.0)
    with pytest.raises(AssertionError):
        check_values(np.float32(2).reshape(()), 2.1)
