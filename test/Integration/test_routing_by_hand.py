"""Experts of a layer whose routing is an input, as other systems give it."""

import numpy as np
import pytest
from moe.random import normal
from moe.reference import combine, dispatch, grouped_matmul, plan
from moe.testing import check_values

HIDDEN, EXPERTS, WIDTH = 24, 5, 12
# x, indices and weights [T, K], and one matrix for each expert.
LAYER = """
func.func @experts(%x: tensor<?x{h}xf32>, %indices: tensor<?x{k}xi32>,
                   %weights: tensor<?x{k}xf32>, %w: tensor<{e}x{w}x{h}xf32>)
    -> tensor<?x{w}xf32> {{
  %offsets, %slot_to_row, %row_to_slot, %row_expert = moe.plan %indices
      {{experts = {e} : i64, out_of_range = #moe.out_of_range<{bad}>}}
    : tensor<?x{k}xi32> -> tensor<{n}xi32>, tensor<?x{k}xi32>, tensor<?xi32>,
      tensor<?xi32>
  %rows = moe.dispatch %x, %offsets, %slot_to_row, %row_to_slot{early}
    : tensor<?x{h}xf32>, tensor<{n}xi32>, tensor<?x{k}xi32>,
      tensor<?xi32>{early_type} -> tensor<?x{h}xf32>
  %y = moe.grouped_matmul %rows, %w, %offsets {{transpose_rhs}}
    : tensor<?x{h}xf32>, tensor<{e}x{w}x{h}xf32>, tensor<{n}xi32>
    -> tensor<?x{w}xf32>
  %out = moe.combine %y, %offsets, %slot_to_row, %row_to_slot{late}
    : tensor<?x{w}xf32>, tensor<{n}xi32>, tensor<?x{k}xi32>,
      tensor<?xi32>{late_type} -> tensor<?x{w}xf32>
  return %out : tensor<?x{w}xf32>
}}
"""


def module(top_k, *, bad="error", weigh_early=False):
    """Weights multiply the rows before the experts, or their results."""
    given = " weights %weights", f", tensor<?x{top_k}xf32>"
    early, late = (given, ("", "")) if weigh_early else (("", ""), given)
    return LAYER.format(h=HIDDEN, k=top_k, e=EXPERTS, w=WIDTH, n=EXPERTS + 1,
                        bad=bad, early=early[0], early_type=early[1],
                        late=late[0], late_type=late[1])


def check(tools, indices, *, bad="error", weigh_early=False, options=()):
    tokens, top_k = indices.shape
    x, weights = normal((tokens, HIDDEN), 1), normal((tokens, top_k), 2)
    w = normal((EXPERTS, WIDTH, HIDDEN), 3)
    got = tools.run(module(top_k, bad=bad, weigh_early=weigh_early), x,
                    indices, weights, w, options=options)
    p = plan(indices, EXPERTS, out_of_range=bad)
    rows = dispatch(x, p, weights if weigh_early else None)
    rows = grouped_matmul(rows, w, p.offsets, transpose_rhs=True)
    check_values(got, combine(rows, p, None if weigh_early else weights))


def random_indices(tokens, top_k, low=0, high=EXPERTS):
    return np.random.default_rng(tokens).integers(low, high, (tokens, top_k),
                                                  np.int32)


@pytest.mark.parametrize("weigh_early", [False, True])
@pytest.mark.parametrize("tokens, top_k", [(0, 2), (1, 1), (33, 3), (40, 16)])
def test_any_indices_are_taken(tools, tokens, top_k, weigh_early):
    # Most tokens name some expert several times.
    check(tools, random_indices(tokens, top_k), weigh_early=weigh_early)


@pytest.mark.parametrize("weigh_early", [False, True])
@pytest.mark.parametrize("tokens", [1, 33, 257])
def test_foreign_experts_are_masked(tools, tokens, weigh_early):
    check(tools, random_indices(tokens, 4, -3, EXPERTS + 3), bad="drop",
          weigh_early=weigh_early)


@pytest.mark.parametrize("validation", ["sync", "gpu"])
def test_a_batch_that_is_all_padding(tools, validation):
    check(tools, np.full((33, 2), -1, np.int32), bad="drop",
          options=[f"--validate={validation}"])


def test_a_padded_batch_under_gpu_validation(tools):
    indices = random_indices(64, 2)
    indices[50:] = -1
    check(tools, indices, bad="drop", options=["--validate=gpu"])


def test_a_bad_index_ends_the_run(tools):
    indices = random_indices(40, 2)
    indices[11, 1] = EXPERTS
    message = tools.fault(
        module(2), normal((40, HIDDEN), 1), indices, normal((40, 2), 2),
        normal((EXPERTS, WIDTH, HIDDEN), 3), status=3)
    assert message == ("kernel 'plan': expected an expert in [0, 5), but got "
                       "5 at token 11, slot 1")
