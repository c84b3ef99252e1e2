"""Weights larger than one binding, and sizes beyond 32 bits."""

import re

import modules
import numpy as np
import pytest
from moe.random import normal
from moe.reference import grouped_matmul, grouped_outer
from moe.testing import check_values

MIB = 2**20


def slices(text):
    """(first byte, bytes) of each part of a buffer that the program binds."""
    constants = {name: int(value) for name, value in re.findall(
        r"(%\w+) = arith.constant (-?\d+) : index", text)}
    return [(constants[at], constants[size]) for at, size in re.findall(
        r"moe_rt.slice %\w+ at (%\w+) bytes (%\w+)", text)]


@pytest.mark.parametrize("target, limit", [
    ("minimal", 128 * MIB), ("lavapipe", 128 * MIB), ("nvidia", 2**32 - 1)])
def test_weights_of_16_gib_are_bound_in_parts(tools, target, limit):
    text = modules.grouped_matmul(512, 4096, 2048, transposed=True)
    parts = slices(tools.lower(text, f"target={target}"))
    assert max(size for _, size in parts) <= limit
    # Together they are all of the weights, without gap or overlap.
    ends = [0] + [at + size for at, size in parts]
    assert [at for at, _ in parts] == ends[:-1]
    assert ends[-1] == 512 * 2048 * 4096 * 4


@pytest.mark.parametrize("transposed", [False, True])
def test_weights_of_130_mib_are_right(tools, transposed):
    experts, contraction, columns = 65, 1024, 512
    random = np.random.default_rng(1)
    counts = random.integers(0, 4, experts)
    counts[[0, 63, 64]] = 2, 0, 17  # the last expert is beyond 128 MiB
    offsets = np.cumsum([0, *counts], dtype=np.int32)
    lhs = random.standard_normal((offsets[-1] + 3, contraction), np.float32)
    lhs[offsets[-1]:] = np.nan
    matrix = (columns, contraction) if transposed else (contraction, columns)
    rhs = random.standard_normal((experts, *matrix), np.float32)
    assert rhs.nbytes == 130 * MIB
    text = modules.grouped_matmul(experts, contraction, columns,
                                  transposed=transposed)
    check_values(tools.run(text, lhs, rhs, offsets),
                 grouped_matmul(lhs, rhs, offsets, transpose_rhs=transposed))


def test_weight_gradients_above_128_mib_are_right(tools, session):
    # 33 matrices of 4 MiB, of which 32 fit one binding.
    counts = np.random.default_rng(1).integers(1, 4, 33)
    counts[[0, 7, 31]] = 0
    offsets = np.cumsum([0, *counts], dtype=np.int32)
    lhs = normal((offsets[-1] + 3, 1024), 1)
    rhs = normal((offsets[-1] + 3, 1024), 2)
    lhs[offsets[-1]:] = np.nan
    text = modules.grouped_outer(33, 1024, 1024)
    parts = slices(tools.lower(text, "target=lavapipe"))
    assert len(parts) >= 2 and max(size for _, size in parts) <= 128 * MIB
    run = session(text).run
    # Leave NaN behind: this run's matrices of all experts.
    every = np.minimum(np.arange(34), len(lhs)).astype(np.int32)
    left, = run(np.full_like(lhs, np.nan), rhs, every)
    assert np.isnan(left).all()
    got, = run(lhs, rhs, offsets)
    assert got.nbytes > 128 * MIB
    assert not got[counts == 0].any()
    for columns in (slice(0, 5), slice(509, 517), slice(1020, 1024)):
        check_values(got[..., columns],
                     grouped_outer(lhs, rhs[:, columns], offsets))


def test_an_init_above_128_mib_is_bound_in_slices_too(tools, session):
    counts = np.random.default_rng(2).integers(1, 4, 33)
    counts[[0, 31, 32]] = 0
    offsets = np.cumsum([0, *counts], dtype=np.int32)
    lhs, rhs = normal((offsets[-1], 1024), 1), normal((offsets[-1], 1024), 2)
    init = np.random.default_rng(3).standard_normal((33, 1024, 1024),
                                                    np.float32)
    text = modules.grouped_outer(33, 1024, 1024, init=True)
    got, = session(text).run(lhs, rhs, offsets, init)
    assert (got[counts == 0] == init[counts == 0]).all()
    for columns in (slice(0, 5), slice(1020, 1024)):
        check_values(got[..., columns],
                     grouped_outer(lhs, rhs[:, columns], offsets,
                                   init[..., columns]))


def test_a_matrix_that_fits_no_binding_is_an_error(tools):
    text = modules.grouped_matmul(2, 8192, 8192)
    message = tools.compile_fault(text)
    assert "134217728" in message and "268435456" in message
