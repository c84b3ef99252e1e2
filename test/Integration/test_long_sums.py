"""Sums longer than the loops that a device runs to their end.

Mesa's CPU driver leaves loops after 65535 iterations, counted over all loops of
an invocation, so a long sum was short by what came after.
"""

import re

import modules
import numpy as np
import pytest
from harness import run_tool
from test_upstream_reductions import SUM, reduction

LENGTHS = [65535, 65536, 70_000, 131_072]
LONG = 5_000_000


def integers(rows, columns, most=3):
    """Small integers, so that f32 holds every sum of them exactly."""
    values = np.random.default_rng(rows).integers(0, most, (rows, columns))
    return values.astype(np.float32)


def one_expert(rows, experts=4, expert=2):
    """Offsets that give all rows to one of the experts."""
    return np.where(np.arange(experts + 1) > expert, rows, 0).astype(np.int32)


def transposed_product(rows, left=5, right=8):
    """a [T, left], b [T, right] -> aT b, with T = `rows`."""
    return f"""
func.func @product(%a: tensor<{rows}x{left}xf32>, %b: tensor<{rows}x{right}xf32>)
    -> tensor<{left}x{right}xf32> {{
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<{left}x{right}xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<{left}x{right}xf32>)
    -> tensor<{left}x{right}xf32>
  %y = linalg.matmul indexing_maps = [
      affine_map<(m, n, k) -> (k, m)>, affine_map<(m, n, k) -> (k, n)>,
      affine_map<(m, n, k) -> (m, n)>]
    ins(%a, %b : tensor<{rows}x{left}xf32>, tensor<{rows}x{right}xf32>)
    outs(%init : tensor<{left}x{right}xf32>) -> tensor<{left}x{right}xf32>
  return %y : tensor<{left}x{right}xf32>
}}
"""


def serial_sum(rows):
    """x [T] -> a sum whose body names no combiner, so that it has one order."""
    return f"""
func.func @serial(%x: tensor<{rows}xf32>) -> tensor<f32> {{
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<f32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<f32>)
    -> tensor<f32>
  %y = linalg.generic {{indexing_maps = [affine_map<(r) -> (r)>,
      affine_map<(r) -> ()>], iterator_types = ["reduction"]}}
      ins(%x : tensor<{rows}xf32>) outs(%init : tensor<f32>) {{
  ^bb0(%e: f32, %sum: f32):
    %next = arith.addf %sum, %e : f32
    %kept = arith.cmpf oge, %e, %zero : f32
    %s = arith.select %kept, %next, %sum : f32
    linalg.yield %s : f32
  }} -> tensor<f32>
  return %y : tensor<f32>
}}
"""


def check_exactly(got, want):
    assert np.array_equal(got, want.astype(np.float32)), (got, want)


@pytest.mark.parametrize("rows", [*LENGTHS, 200_000])
@pytest.mark.parametrize("known", [True, False], ids=["static", "dynamic"])
def test_a_transposed_product(tools, rows, known):
    text = transposed_product(rows if known else "?")
    ones = np.ones((rows, 5), np.float32), np.ones((rows, 8), np.float32)
    check_exactly(tools.run(text, *ones), np.full((5, 8), rows))
    a, b = integers(rows, 5), integers(rows + 1, 8)[1:]
    check_exactly(tools.run(text, a, b),
                  a.T.astype(np.float64) @ b.astype(np.float64))


@pytest.mark.parametrize("rows", [*LENGTHS, LONG])
@pytest.mark.parametrize("known", [True, False], ids=["static", "dynamic"])
def test_a_sum_of_rows(tools, rows, known):
    text = reduction(*SUM[:2], 1, (0,))
    if known:
        text = text.replace("tensor<?x1xf32>", f"tensor<{rows}x1xf32>")
    check_exactly(tools.run(text, np.ones((rows, 1), np.float32)),
                  np.full(1, rows))
    x = integers(rows, 1)
    check_exactly(tools.run(text, x), x.sum(0, dtype=np.float64))


@pytest.mark.parametrize("rows", LENGTHS)
@pytest.mark.parametrize("known", [True, False], ids=["static", "dynamic"])
def test_a_sum_in_one_order(tools, rows, known):
    x = integers(rows, 1)[:, 0]
    got = tools.run(serial_sum(rows if known else "?"), x)
    check_exactly(got, x.sum(dtype=np.float64))


@pytest.mark.parametrize("rows", [*LENGTHS, 69_990])
def test_all_rows_of_an_outer_product_in_one_expert(tools, rows):
    lhs, rhs = integers(rows, 5), integers(rows + 1, 8)[1:]
    got = tools.run(modules.grouped_outer(4, 5, 8), lhs, rhs, one_expert(rows))
    want = np.zeros((4, 5, 8))
    want[2] = lhs.T.astype(np.float64) @ rhs.astype(np.float64)
    check_exactly(got, want)


@pytest.mark.parametrize("rows", [*LENGTHS, LONG])
def test_all_rows_of_a_sum_in_one_expert(tools, rows):
    x = np.ones((rows, 1), np.float32)
    got = tools.run(modules.grouped_reduce(4, 1), x, one_expert(rows))
    want = np.zeros((4, 1))
    want[2] = rows
    check_exactly(got, want)


@pytest.mark.parametrize("inner", [65_536, 262_144, 600_000])
def test_a_product_over_many_features(tools, inner):
    text = f"""
func.func @product(%a: tensor<?x{inner}xf32>, %b: tensor<{inner}x8xf32>,
                   %c: tensor<?x8xf32>) -> tensor<?x8xf32> {{
  %y = linalg.matmul ins(%a, %b : tensor<?x{inner}xf32>, tensor<{inner}x8xf32>)
    outs(%c : tensor<?x8xf32>) -> tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}}
"""
    a, b = np.ones((3, inner), np.float32), np.ones((inner, 8), np.float32)
    check_exactly(tools.run(text, a, b, np.zeros((3, 8), np.float32)),
                  np.full((3, 8), inner))


@pytest.mark.parametrize("rows", [*LENGTHS, LONG])
def test_the_slots_of_one_expert(tools, rows):
    indices = np.full((rows, 1), 2, np.int32)
    offsets, slot_to_row, row_to_slot, row_expert = tools.run(
        modules.plan(4, 1), indices, results=4)
    assert np.array_equal(offsets, one_expert(rows))
    assert np.array_equal(slot_to_row[:, 0], np.arange(rows))
    assert np.array_equal(row_to_slot, np.arange(rows))
    assert (row_expert == 2).all()


def refused(most, kernel):
    return (f"expected dim 0 of input 0 to be at most {most} (where the target "
            f"leaves the loops of kernel '{kernel}'), but got {most + 1}")


def test_more_rows_than_loops_take_are_named(tools):
    text, most = modules.grouped_outer(4, 1, 1), 262_115
    ones = np.ones((most + 1, 1), np.float32)
    got = tools.run(text, ones[1:], ones[1:], one_expert(most))
    assert got[2, 0, 0] == most
    message = tools.fault(text, ones, ones, one_expert(most + 1), status=2)
    assert message == refused(most, "grouped_outer")


def test_more_elements_than_one_order_takes_are_named(tools):
    text, most = serial_sum("?"), 524_199
    ones = np.ones(most + 1, np.float32)
    assert tools.run(text, ones[1:]) == most
    message = tools.fault(text, ones, status=2)
    assert message == refused(most, "reduce")


def test_more_slots_than_one_chunk_takes_are_named(tools):
    text = tools.lower(modules.plan(4, 1), "stop-after=schedule")
    text, changed = re.subn(r"chunks = \d+", "chunks = 1", text)
    assert changed == 1
    most = 1_048_160
    indices = np.full((most + 1, 1), 2, np.int32)
    got = tools.run(text, indices[1:], results=4)
    assert np.array_equal(got[0], one_expert(most))
    assert np.array_equal(got[1][:, 0], np.arange(most))
    message = tools.fault(text, indices, status=2)
    assert message == refused(most, "plan_count")


def test_more_elements_than_loops_take_are_refused_by_the_compiler(tools):
    assert tools.compile_fault(serial_sum(LONG)) == (
        "file.mlir:7:8: error: expected kernel 'reduce' to make at most 65535 "
        "iterations of its loops in an invocation (the limit of the target), "
        "but got 156285")


def test_the_limit_is_a_fact_of_the_device(tools, tmp_path):
    source = tmp_path / "outer.mlir"
    source.write_text(modules.grouped_outer(4, 5, 8), encoding="utf-8")
    rows = 69_990
    ones = np.ones((rows, 5), np.float32), np.ones((rows, 8), np.float32)
    got = tools.run(source, *ones, one_expert(rows),
                    options=["--target=auto"])
    assert (got[2] == rows).all() and not got[[0, 1, 3]].any()


def test_what_was_compiled_for_other_devices_is_refused(tools):
    if "llvmpipe" not in run_tool([tools.moe_run, "--list-devices"]):
        pytest.skip("the device makes any number of iterations")
    bundle = tools.compile(modules.grouped_reduce(4, 1), "target=nvidia")
    x = np.ones((4, 1), np.float32)
    assert tools.fault(bundle, x, one_expert(4), status=3) == (
        "expected kernel 'grouped_reduce' to need at most 65535 iterations of "
        "the loops of an invocation (the limit of the device), but got "
        "16777219")
