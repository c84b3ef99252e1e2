"""`grouped_matmul`, `check_offsets` and `tiles`."""

import numpy as np
import pytest
from hypothesis import given, strategies as st
from moe.reference import OffsetFault, check_offsets, grouped_matmul, tiles


def plain_product(lhs, rhs, counts, bias, transpose_rhs):
    rows = []
    for expert, count in enumerate(counts):
        for _ in range(count):
            row = []
            for n in range(rhs.shape[1] if transpose_rhs else rhs.shape[2]):
                column = rhs[expert, n] if transpose_rhs else rhs[expert, :, n]
                total = sum(a * b for a, b in zip(lhs[len(rows)], column))
                row.append(total if bias is None else total + bias[expert, n])
            rows.append(row)
    return rows


@pytest.mark.parametrize("counts", [[3, 2, 0], [0, 0, 7], [1, 0, 1], [0, 0, 0]])
@pytest.mark.parametrize("transpose_rhs", [False, True])
@pytest.mark.parametrize("with_bias", [False, True])
def test_matches_a_plain_loop_and_never_reads_the_tail(counts, transpose_rhs,
                                                       with_bias):
    random = np.random.default_rng(1)
    kept = sum(counts)
    lhs = np.full((kept + 3, 4), np.nan)
    lhs[:kept] = random.normal(size=(kept, 4))
    rhs = random.normal(size=(3, 5, 4) if transpose_rhs else (3, 4, 5))
    bias = random.normal(size=(3, 5)) if with_bias else None
    got = grouped_matmul(lhs, rhs, np.cumsum([0, *counts]), bias,
                         transpose_rhs=transpose_rhs)
    assert got.shape == (kept + 3, 5) and not got[kept:].any()
    want = plain_product(lhs, rhs, counts, bias, transpose_rhs)
    np.testing.assert_allclose(got[:kept], np.reshape(want, (kept, 5)),
                               atol=1e-14)


def test_nan_weights_of_an_empty_expert_do_not_leak():
    rhs = np.ones((2, 1, 1))
    rhs[1] = np.nan
    assert grouped_matmul([[2.0]], rhs, [0, 1, 1]).tolist() == [[2.0]]


def test_no_contraction_gives_the_bias_or_zero():
    lhs, rhs = np.zeros((3, 0)), np.zeros((2, 0, 2))
    got = grouped_matmul(lhs, rhs, [0, 1, 2], [[1.0, 2.0], [3.0, 4.0]])
    assert got.tolist() == [[1, 2], [3, 4], [0, 0]]
    assert not grouped_matmul(lhs, rhs, [0, 1, 2]).any()


@pytest.mark.parametrize("offsets, rows, fault", [
    ([0, 2, 2, 5], 5, None),
    ([0, 2, 2, 4], 5, None),
    ([0], 0, None),
    ([1, 2, 3], 3, OffsetFault(0, 1)),
    ([-1, 2, 3], 3, OffsetFault(0, -1)),
    ([0, 3, 2], 3, OffsetFault(2, 2)),
    ([0, 4, 4], 3, OffsetFault(1, 4)),
    ([0, 2, 2**31 - 1], 3, OffsetFault(2, 2**31 - 1)),
])
def test_check_offsets(offsets, rows, fault):
    assert check_offsets(offsets, rows) == fault


@given(st.lists(st.integers(0, 70), min_size=1, max_size=6),
       st.sampled_from([1, 4, 32]), st.integers(0, 40))
def test_tiles_cover_each_segment_and_never_straddle(counts, tile_rows, tail):
    offsets = np.cumsum([0, *counts])
    rows = int(offsets[-1]) + tail
    table, count = tiles(offsets, tile_rows, rows)
    assert len(table) == -(-rows // tile_rows) + len(counts)
    next_row = 0
    bounds = [*offsets.tolist(), rows]  # segment -1 is the tail
    for expert, first, size in table[:count].tolist():
        assert first == next_row and 1 <= size <= tile_rows
        segment = expert if expert >= 0 else len(counts)
        assert bounds[segment] <= first and first + size <= bounds[segment + 1]
        next_row += size
    assert next_row == rows
    assert (table[count:] == [-1, 0, 0]).all()
    assert count == sum(-(-n // tile_rows) for n in [*counts, tail])


@pytest.mark.parametrize("offsets, columns, message", [
    ([0, 1], 4, r"expected 3 offsets \(experts \+ 1\), but got 2"),
    ([0, 1, 2], 5, "expected lhs to have 4 columns, but got 5"),
    ([0, 2, 1], 4, "expected offsets to be a prefix .*, but got 1 at 2"),
])
def test_bad_arguments(offsets, columns, message):
    with pytest.raises(ValueError, match=message):
        grouped_matmul(np.zeros((2, columns)), np.zeros((2, 4, 3)), offsets)


def test_tile_without_rows():
    with pytest.raises(ValueError, match="at least one row .*, but got 0"):
        tiles([0, 1], 0, 1)
