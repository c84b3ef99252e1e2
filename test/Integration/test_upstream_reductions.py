"""Reductions over features and over tokens."""

import numpy as np
import pytest
from moe.random import normal
from moe.reference.elementwise import softmax
from moe.testing import check_values

SUM = ("arith.addf", "0.0", np.sum)
MAX = ("arith.maximumf", "0xFF800000", np.max)
PRODUCT = ("arith.mulf", "1.0", np.prod)
TOKENS = [0, 1, 7, 33, 513]


def reduction(op, identity, columns, dimensions):
    """x [T, columns] -> its reduction over `dimensions`."""
    kept = [size for dim, size in enumerate(["?", str(columns)])
            if dim not in dimensions]
    result = f"tensor<{'x'.join([*kept, 'f32'])}>"
    rows = "%n" if "?" in kept else ""
    return f"""
func.func @reduce(%x: tensor<?x{columns}xf32>) -> {result} {{
  %c0 = arith.constant 0 : index
  %identity = arith.constant {identity} : f32
  %n = tensor.dim %x, %c0 : tensor<?x{columns}xf32>
  %empty = tensor.empty({rows}) : {result}
  %init = linalg.fill ins(%identity : f32) outs(%empty : {result}) -> {result}
  %y = linalg.reduce {{ {op} }} ins(%x : tensor<?x{columns}xf32>)
    outs(%init : {result}) dimensions = {list(dimensions)}
  return %y : {result}
}}
"""


@pytest.mark.parametrize("tokens", TOKENS)
@pytest.mark.parametrize("dimensions", [(0,), (1,), (0, 1)], ids=str)
@pytest.mark.parametrize("op, identity, function", [SUM, MAX],
                         ids=["sum", "max"])
def test_sums_and_maxima(tools, tokens, dimensions, op, identity, function):
    x = normal((tokens, 20), 1)
    got = tools.run(reduction(op, identity, 20, dimensions), x)
    options = {"initial": -np.inf} if function is np.max else {}
    check_values(got, function(x.astype(np.float64), axis=dimensions,
                               **options))


@pytest.mark.parametrize("columns", [1, 3, 16, 64, 255, 256, 257, 1536])
def test_any_number_of_columns(tools, columns):
    x = np.abs(normal((5, columns), 1))
    for dimensions in ((0,), (1,)):
        check_values(tools.run(reduction(*SUM[:2], columns, dimensions), x),
                     x.sum(axis=dimensions, dtype=np.float64))


def test_a_product(tools):
    x = 1 + normal((33, 20), 1) / np.float32(10)
    check_values(tools.run(reduction(*PRODUCT[:2], 20, (1,)), x),
                 x.astype(np.float64).prod(axis=1))


def test_a_long_sum_over_the_tokens(tools):
    x = np.abs(normal((100_000, 3), 1))
    got = tools.run(reduction(*SUM[:2], 3, (0,)), x)
    check_values(got, x.sum(axis=0, dtype=np.float64))


def test_a_maximum_keeps_nan(tools):
    x = normal((33, 20), 1)
    x[3, 4] = np.nan
    got = tools.run(reduction(*MAX[:2], 20, (1,)), x)
    assert np.isnan(got[3]) and np.isfinite(np.delete(got, 3)).all()


def test_a_reduction_starts_from_what_is_there(tools):
    text = """
func.func @add(%x: tensor<?x20xf32>, %init: tensor<20xf32>) -> tensor<20xf32> {
  %y = linalg.reduce { arith.addf } ins(%x : tensor<?x20xf32>)
    outs(%init : tensor<20xf32>) dimensions = [0]
  return %y : tensor<20xf32>
}
"""
    init = normal((20,), 2)
    for tokens in TOKENS:
        x = normal((tokens, 20), 1)
        check_values(tools.run(text, x, init),
                     init + x.sum(axis=0, dtype=np.float64))


def test_a_mean_of_squares_over_everything(tools):
    text = """
#row = affine_map<(d0, d1) -> (d0, d1)>
#none = affine_map<(d0, d1) -> ()>
func.func @loss(%x: tensor<?x20xf32>, %y: tensor<?x20xf32>) -> tensor<f32> {
  %c0 = arith.constant 0 : index
  %c20 = arith.constant 20 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x20xf32>
  %count = arith.muli %n, %c20 : index
  %count_i32 = arith.index_cast %count : index to i32
  %total = arith.sitofp %count_i32 : i32 to f32
  %empty = tensor.empty() : tensor<f32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<f32>)
    -> tensor<f32>
  %sum = linalg.generic {indexing_maps = [#row, #row, #none],
                         iterator_types = ["reduction", "reduction"]}
      ins(%x, %y : tensor<?x20xf32>, tensor<?x20xf32>)
      outs(%init : tensor<f32>) {
  ^bb0(%a: f32, %b: f32, %s: f32):
    %d = arith.subf %a, %b : f32
    %square = arith.mulf %d, %d : f32
    %t = arith.addf %s, %square : f32
    linalg.yield %t : f32
  } -> tensor<f32>
  %out = tensor.empty() : tensor<f32>
  %mean = linalg.generic {indexing_maps = [affine_map<() -> ()>,
                                           affine_map<() -> ()>],
                          iterator_types = []}
      ins(%sum : tensor<f32>) outs(%out : tensor<f32>) {
  ^bb0(%s: f32, %o: f32):
    %m = arith.divf %s, %total : f32
    linalg.yield %m : f32
  } -> tensor<f32>
  return %mean : tensor<f32>
}
"""
    for tokens in (1, 33, 513):
        x, y = normal((tokens, 20), 1), normal((tokens, 20), 2)
        got = tools.run(text, x, y)
        check_values(got, np.square(x.astype(np.float64) - y).mean())


@pytest.mark.parametrize("columns", [1, 20, 257])
def test_softmax(tools, columns):
    text = f"""
func.func @f(%x: tensor<?x{columns}xf32>) -> tensor<?x{columns}xf32> {{
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x{columns}xf32>
  %empty = tensor.empty(%n) : tensor<?x{columns}xf32>
  %y = linalg.softmax dimension(1) ins(%x : tensor<?x{columns}xf32>)
    outs(%empty : tensor<?x{columns}xf32>) -> tensor<?x{columns}xf32>
  return %y : tensor<?x{columns}xf32>
}}
"""
    for tokens in (0, 33):
        x = 10 * normal((tokens, columns), 1)
        check_values(tools.run(text, x), softmax(x))


def test_rms_normalisation(tools):
    text = """
#row = affine_map<(d0, d1) -> (d0, d1)>
#rows = affine_map<(d0, d1) -> (d0)>
#column = affine_map<(d0, d1) -> (d1)>
func.func @norm(%x: tensor<?x48xf32>, %scale: tensor<48xf32>)
    -> tensor<?x48xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %width = arith.constant 48.0 : f32
  %tiny = arith.constant 1.0e-5 : f32
  %n = tensor.dim %x, %c0 : tensor<?x48xf32>
  %empty = tensor.empty(%n) : tensor<?xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<?xf32>)
    -> tensor<?xf32>
  %sums = linalg.generic {indexing_maps = [#row, #rows],
                          iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<?x48xf32>) outs(%init : tensor<?xf32>) {
  ^bb0(%a: f32, %s: f32):
    %square = arith.mulf %a, %a : f32
    %t = arith.addf %s, %square : f32
    linalg.yield %t : f32
  } -> tensor<?xf32>
  %out = tensor.empty(%n) : tensor<?x48xf32>
  %y = linalg.generic {indexing_maps = [#row, #rows, #column, #row],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x, %sums, %scale : tensor<?x48xf32>, tensor<?xf32>, tensor<48xf32>)
      outs(%out : tensor<?x48xf32>) {
  ^bb0(%a: f32, %s: f32, %g: f32, %o: f32):
    %mean = arith.divf %s, %width : f32
    %safe = arith.addf %mean, %tiny : f32
    %inverse = math.rsqrt %safe : f32
    %scaled = arith.mulf %a, %inverse : f32
    %r = arith.mulf %scaled, %g : f32
    linalg.yield %r : f32
  } -> tensor<?x48xf32>
  return %y : tensor<?x48xf32>
}
"""
    x, scale = normal((33, 48), 1), normal((48,), 2)
    wide = x.astype(np.float64)
    root = np.sqrt(np.square(wide).mean(axis=1, keepdims=True) + 1e-5)
    check_values(tools.run(text, x, scale), wide / root * scale)
