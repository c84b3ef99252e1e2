"""Activations, softmax and rounding against scalar arithmetic."""

import math
import struct
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, strategies as st
from moe.reference import (activate, gelu_tanh, relu2, round_to, silu, softmax,
                           swiglu)

floats = st.floats(width=32, allow_nan=False, allow_infinity=False)


@given(st.lists(st.floats(-50, 50), min_size=1, max_size=6))
def test_softmax(row):
    powers = [math.exp(x) for x in row]
    np.testing.assert_allclose(softmax([row])[0],
                               [p / sum(powers) for p in powers], rtol=1e-12)


@given(st.floats(-30, 30))
def test_activations(x):
    assert silu(x) == pytest.approx(x / (1 + math.exp(-x)), rel=1e-13)
    inner = math.sqrt(2 / math.pi) * (x + 0.044715 * x * x * x)
    assert gelu_tanh(x) == pytest.approx(x / 2 * (1 + math.tanh(inner)),
                                         rel=1e-12, abs=1e-300)
    assert relu2(x) == (x * x if x > 0 else 0)


def test_large_arguments_do_not_overflow():
    assert silu(-1e4) == 0 and gelu_tanh(-1e4) == 0
    assert silu(1e4) == gelu_tanh(1e4) == 1e4


def test_nan_passes_through():
    for name in ("swiglu", "gelu", "relu2"):
        assert np.isnan(activate(name, [[np.nan, np.nan]])).all()


def test_swiglu_layouts():
    halves = swiglu([[1.0, 2.0, 10.0, 20.0]])
    assert halves.tolist() == swiglu([[1.0, 10.0, 2.0, 20.0]],
                                     interleaved=True).tolist()
    assert halves[0, 0] == pytest.approx(10 / (1 + math.exp(-1)))


def test_unknown_activation():
    with pytest.raises(ValueError, match="expected .*, but got tanh"):
        activate("tanh", [[0.0]])


def f32(bits):
    return struct.unpack("<f", struct.pack("<I", bits))[0]


@given(floats)
def test_bf16_rounds_to_the_nearest_with_ties_to_even(x):
    got = float(round_to(np.float32(x), "bf16"))
    bits = struct.unpack("<I", struct.pack("<f", x))[0]
    below, above = bits & 0xFFFF0000, (bits & 0xFFFF0000) + 0x10000
    if math.isinf(f32(above)):  # 2^128 is what lies above the largest value
        return
    low = abs(Fraction(x) - Fraction(f32(below)))
    high = abs(Fraction(x) - Fraction(f32(above)))
    even = below if (below >> 16) % 2 == 0 else above
    want = below if low < high else above if high < low else even
    assert got == f32(want)


def test_bf16_specials():
    got = round_to([np.inf, -np.inf, np.nan, -0.0, 3.4e38], "bf16")
    assert got[:2].tolist() == [np.inf, -np.inf] and np.isnan(got[2])
    assert np.signbit(got[3]) and got[4] == np.inf
    # A NaN whose payload lies in the dropped bits stays one.
    quiet = np.array([0x7F800001, 0xFFFFFFFF], np.uint32).view(np.float32)
    assert np.isnan(round_to(quiet, "bf16")).all()


def test_f16_rounds_through_f32():
    # 1 + 2^-11 ties to 1; a little more than that is lost on the way to f32.
    assert round_to(1 + 2.0**-11 + 2.0**-40, "f16") == 1
    assert round_to(1 + 2.0**-11 + 2.0**-23, "f16") == 1 + 2.0**-10
    assert round_to(65520.0, "f16") == np.inf


@pytest.mark.parametrize("element_type, dtype", [
    ("f64", np.float64), ("f32", np.float32), ("f16", np.float32),
    ("bf16", np.float32)])
def test_rounding_keeps_shape(element_type, dtype):
    for shape in ((), (0, 3), (2, 3)):
        got = round_to(np.ones(shape), element_type)
        assert got.shape == shape and got.dtype == dtype
