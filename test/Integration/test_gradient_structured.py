"""Derivatives of linalg ops at sizes, positions and values of the edge."""

import numpy as np
import pytest
from adjoint import differentiate

REDUCE = """
func.func @f(%x: tensor<?x{n}xf32>, %z: tensor<?xf32>) -> tensor<?xf32> {{
  %y = linalg.reduce ins(%x : tensor<?x{n}xf32>) outs(%z : tensor<?xf32>)
    dimensions = [1] (%a: f32, %so: f32) {{
{body}
      linalg.yield %r : f32
    }}
  return %y : tensor<?xf32>
}}
"""


def test_products_of_zeros(tools, session):
    text = REDUCE.format(n=4, body="      %r = arith.mulf %so, %a : f32")
    x = np.float32([[2, 3, 5, 7], [2, 0, 5, 7], [0, 3, 0, 7], [0, 0, 0, 0],
                    [1e-30, 1e-30, 1, 1]])  # 1e-60 is 0
    z = np.float32([1, 10, 100, 1000, 1])
    g = np.float32([1, 1, 1, 1, 1])
    y, dx, dz = session(differentiate(tools, text)).run(x, z, g)
    wide = x.astype(np.float64)
    np.testing.assert_allclose(y, wide.prod(axis=1) * z, rtol=1e-6, atol=1e-40)
    want = np.stack([np.delete(wide, i, axis=1).prod(axis=1) * z
                     for i in range(4)], axis=1)
    np.testing.assert_allclose(dx, want, rtol=1e-6, atol=1e-40)
    np.testing.assert_allclose(dz, wide.prod(axis=1), rtol=1e-6, atol=1e-40)


@pytest.mark.parametrize("rows", [0, 1, 70])
@pytest.mark.parametrize("columns", [1, 37])
def test_log_sum_exp_in_one_body(tools, session, rows, columns):
    text = REDUCE.format(n=columns, body="""
      %m = arith.maximumf %so, %a : f32
      %0 = arith.subf %so, %m : f32
      %1 = arith.subf %a, %m : f32
      %2 = math.exp %0 : f32
      %3 = math.exp %1 : f32
      %4 = arith.addf %2, %3 : f32
      %5 = math.log %4 : f32
      %r = arith.addf %5, %m : f32""")
    random = np.random.default_rng(columns)
    x = (3 * random.normal(size=(rows, columns))).astype(np.float32)
    z, g = random.normal(size=(2, rows)).astype(np.float32)
    y, dx, dz = session(differentiate(tools, text)).run(x, z, g)
    all_of = np.concatenate([x, z[:, None]], axis=1).astype(np.float64)
    want = np.logaddexp.reduce(all_of, axis=1) if rows else np.zeros(0)
    np.testing.assert_allclose(y, want, rtol=1e-5, atol=1e-5)
    slopes = np.exp(all_of - want[:, None]) * g[:, None]
    np.testing.assert_allclose(np.concatenate([dx, dz[:, None]], axis=1),
                               slopes, rtol=1e-4, atol=1e-6)


CONVOLUTION = """
func.func @f(%x: tensor<?xf32>, %w: tensor<3xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %m = arith.subi %n, %c2 : index
  %e = tensor.empty(%m) : tensor<?xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %y = linalg.conv_1d ins(%x, %w : tensor<?xf32>, tensor<3xf32>)
    outs(%z : tensor<?xf32>) -> tensor<?xf32>
  return %y : tensor<?xf32>
}
"""


@pytest.mark.parametrize("size", [2, 3, 100])
def test_convolution_of_any_length(tools, size):
    # Of two elements there is no window: nothing is read, no gradient is left.
    random = np.random.default_rng(size)
    x, w, g = (random.normal(size=n).astype(np.float32)
               for n in (size, 3, size - 2))
    y, dx, dw = tools.run(differentiate(tools, CONVOLUTION), x, w, g, results=3,
                          options=["--validate=gpu"])
    windows = np.stack([x[i:i + 3] for i in range(size - 2)] or
                       [np.zeros(3)]).astype(np.float64)[:size - 2]
    want = np.zeros(size)
    for i in range(size - 2):
        want[i:i + 3] += g[i] * w.astype(np.float64)
    np.testing.assert_allclose(y, windows @ w, atol=1e-5)
    np.testing.assert_allclose(dx, want, atol=1e-5)
    np.testing.assert_allclose(dw, g @ windows, atol=1e-4)


def test_pooling_shares_among_equal_maxima(tools, session):
    text = """
func.func @f(%x: tensor<1x4x1xf32>) -> tensor<1x3x1xf32> {
  %w = tensor.empty() : tensor<2xf32>
  %low = arith.constant dense<-1.0e30> : tensor<1x3x1xf32>
  %y = linalg.pooling_nwc_max
    ins(%x, %w : tensor<1x4x1xf32>, tensor<2xf32>)
    outs(%low : tensor<1x3x1xf32>) -> tensor<1x3x1xf32>
  return %y : tensor<1x3x1xf32>
}
"""
    x, g = np.float32([5, 5, 1, 2]), np.float32([2, 10, 100])
    _, dx = session(differentiate(tools, text)).run(
        x.reshape(1, 4, 1), g.reshape(1, 3, 1))
    np.testing.assert_array_equal(dx.ravel(), [1, 1 + 10, 0, 100])


EMBEDDING = """
func.func @f(%table: tensor<?x{width}xf32>, %ids: tensor<?xi32>)
    -> tensor<?x{width}xf32> {{
  %c0 = arith.constant 0 : index
  %n = tensor.dim %ids, %c0 : tensor<?xi32>
  %e = tensor.empty(%n) : tensor<?x{width}xf32>
  %y = linalg.generic {{indexing_maps = [affine_map<(i, j) -> (i)>,
                                         affine_map<(i, j) -> (i, j)>],
                        iterator_types = ["parallel", "parallel"]}}
      ins(%ids : tensor<?xi32>) outs(%e : tensor<?x{width}xf32>) {{
  ^bb0(%a: i32, %o: f32):
    %i = arith.index_cast %a : i32 to index
    %j = linalg.index 1 : index
    %v = tensor.extract %table[%i, %j] : tensor<?x{width}xf32>
    %s = arith.mulf %v, %v : f32
    linalg.yield %s : f32
  }} -> tensor<?x{width}xf32>
  return %y : tensor<?x{width}xf32>
}}
"""


@pytest.mark.parametrize("count", [0, 1, 300])
@pytest.mark.parametrize("size, width", [(7, 4), (40, 5)])
def test_gathered_rows(tools, session, count, size, width):
    random = np.random.default_rng(count)
    table = random.normal(size=(size, width)).astype(np.float32)
    ids = random.integers(0, size - 1, count, np.int32)
    g = random.normal(size=(count, width)).astype(np.float32)
    run = session(differentiate(tools, EMBEDDING.format(width=width))).run
    y, dtable = run(table, ids, g)
    np.testing.assert_array_equal(y, table[ids]**2)
    want = np.zeros((size, width))
    np.add.at(want, ids, 2.0 * table[ids] * g)
    np.testing.assert_allclose(dtable, want, rtol=1e-5, atol=1e-5)
    assert not dtable[-1].any()
    again = run(table, ids, g)[1]
    np.testing.assert_array_equal(dtable.view(np.int32), again.view(np.int32))


def test_a_row_that_is_none(tools):
    text = differentiate(tools, EMBEDDING.format(width=4))
    table, ids = np.ones((3, 4), np.float32), np.array([0, 3, 1], np.int32)
    message = tools.fault(text, table, ids, np.ones((3, 4), np.float32),
                          status=3, options=["--validate=gpu"])
    assert message.endswith("expected index 0 of 'tensor.extract' to be in [0, "
                            "dim 0 of input 0), but got 3 at element 4")


def test_reshape_of_any_length(tools, session):
    text = """
func.func @f(%x: tensor<?x6xf32>) -> tensor<?x3xf32> {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %n = tensor.dim %x, %c0 : tensor<?x6xf32>
  %m = arith.muli %n, %c2 : index
  %s = tensor.from_elements %m, %c3 : tensor<2xindex>
  %r = tensor.reshape %x(%s) : (tensor<?x6xf32>, tensor<2xindex>)
    -> tensor<?x3xf32>
  %y = arith.mulf %r, %r : tensor<?x3xf32>
  return %y : tensor<?x3xf32>
}
"""
    run = session(differentiate(tools, text)).run
    for rows in (0, 1, 5):
        x = np.arange(6 * rows, dtype=np.float32).reshape(rows, 6)
        g = np.arange(6 * rows, dtype=np.float32)[::-1].reshape(2 * rows, 3)
        y, dx = run(x, g)
        np.testing.assert_array_equal(y, x.reshape(-1, 3)**2)
        np.testing.assert_array_equal(dx, 2 * x * g.reshape(rows, 6))
