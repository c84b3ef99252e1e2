"""`linalg.matmul` in every form a model's projections have."""

import numpy as np
import pytest
from moe.random import normal
from moe.testing import check_values

MAPS = """
#m_k = affine_map<(m, n, k) -> (m, k)>
#k_m = affine_map<(m, n, k) -> (k, m)>
#k_n = affine_map<(m, n, k) -> (k, n)>
#n_k = affine_map<(m, n, k) -> (n, k)>
#m_n = affine_map<(m, n, k) -> (m, n)>
"""


def module(k, n, lhs_map, rhs_map):
    """lhs, rhs, init [M, N] -> init + lhs · rhs, with M dynamic."""
    lhs = f"tensor<?x{k}xf32>" if lhs_map == "m_k" else f"tensor<{k}x?xf32>"
    rhs = f"tensor<{k}x{n}xf32>" if rhs_map == "k_n" else \
        f"tensor<{n}x{k}xf32>"
    out = f"tensor<?x{n}xf32>"
    return f"""{MAPS}
func.func @product(%a: {lhs}, %b: {rhs}, %init: {out}) -> {out} {{
  %y = linalg.matmul indexing_maps = [#{lhs_map}, #{rhs_map}, #m_n]
    ins(%a, %b : {lhs}, {rhs}) outs(%init : {out}) -> {out}
  return %y : {out}
}}
"""


@pytest.mark.parametrize("m, n, k", [
    (0, 8, 8), (1, 1, 1), (7, 5, 13), (33, 64, 40), (100, 31, 129),
    (16, 32, 16), (5, 7, 1025), (300, 3, 4)])
@pytest.mark.parametrize("lhs_map", ["m_k", "k_m"])
@pytest.mark.parametrize("rhs_map", ["k_n", "n_k"])
def test_products_add_to_what_is_there(tools, m, n, k, lhs_map, rhs_map):
    a, b, init = normal((m, k), 1), normal((k, n), 2), normal((m, n), 3)
    lhs = a if lhs_map == "m_k" else np.ascontiguousarray(a.T)
    rhs = b if rhs_map == "k_n" else np.ascontiguousarray(b.T)
    got = tools.run(module(k, n, lhs_map, rhs_map), lhs, rhs, init)
    check_values(got, init + a.astype(np.float64) @ b)


def test_static_sizes(tools):
    text = """
func.func @product(%a: tensor<20x24xf32>, %b: tensor<24x36xf32>)
    -> tensor<20x36xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<20x36xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<20x36xf32>)
    -> tensor<20x36xf32>
  %y = linalg.matmul ins(%a, %b : tensor<20x24xf32>, tensor<24x36xf32>)
    outs(%init : tensor<20x36xf32>) -> tensor<20x36xf32>
  return %y : tensor<20x36xf32>
}
"""
    a, b = normal((20, 24), 1), normal((24, 36), 2)
    check_values(tools.run(text, a, b), a.astype(np.float64) @ b)


def test_a_sum_over_the_tokens(tools):
    # x transposed times y, as a weight gradient has it: [H, N] from T tokens.
    text = f"""{MAPS}
func.func @gradient(%x: tensor<?x12xf32>, %y: tensor<?x20xf32>)
    -> tensor<12x20xf32> {{
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<12x20xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<12x20xf32>)
    -> tensor<12x20xf32>
  %g = linalg.matmul indexing_maps = [#k_m, #k_n, #m_n]
    ins(%x, %y : tensor<?x12xf32>, tensor<?x20xf32>)
    outs(%init : tensor<12x20xf32>) -> tensor<12x20xf32>
  return %g : tensor<12x20xf32>
}}
"""
    for tokens in (0, 1, 33, 1000):
        x, y = normal((tokens, 12), 1), normal((tokens, 20), 2)
        check_values(tools.run(text, x, y), x.T.astype(np.float64) @ y)


def test_chained_products(tools):
    text = """
func.func @chain(%x: tensor<?x16xf32>, %a: tensor<16x24xf32>,
                 %b: tensor<24x8xf32>) -> tensor<?x8xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x16xf32>
  %e0 = tensor.empty(%n) : tensor<?x24xf32>
  %i0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<?x24xf32>)
    -> tensor<?x24xf32>
  %h = linalg.matmul ins(%x, %a : tensor<?x16xf32>, tensor<16x24xf32>)
    outs(%i0 : tensor<?x24xf32>) -> tensor<?x24xf32>
  %r = math.tanh %h : tensor<?x24xf32>
  %e1 = tensor.empty(%n) : tensor<?x8xf32>
  %i1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<?x8xf32>)
    -> tensor<?x8xf32>
  %y = linalg.matmul ins(%r, %b : tensor<?x24xf32>, tensor<24x8xf32>)
    outs(%i1 : tensor<?x8xf32>) -> tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}
"""
    x, a, b = normal((50, 16), 1), normal((16, 24), 2), normal((24, 8), 3)
    hidden = np.tanh(x.astype(np.float64) @ a)
    check_values(tools.run(text, x, a, b), hidden @ b)


def test_nothing_to_sum_leaves_what_is_there(tools):
    init = normal((9, 6), 1)
    got = tools.run(module(0, 6, "m_k", "k_n"), np.zeros((9, 0), np.float32),
                    np.zeros((0, 6), np.float32), init)
    np.testing.assert_array_equal(got, init)
