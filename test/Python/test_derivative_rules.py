"""The rules of upstream ops, compiled in f64, against central differences."""

import re

import numpy as np
import pytest
from native import call, compile_module

STEP = 1e-6
T = "tensor<3x4xf64>"


def unary(op):
    return f"(%x: {T}) -> {T}", f"%y = {op} %x : {T}\nreturn %y : {T}"


def binary(op):
    return (f"(%x: {T}, %z: {T}) -> {T}",
            f"%y = {op} %x, %z : {T}\nreturn %y : {T}")


def lines(signature, *body):
    return signature, "\n".join(body)


EMPTY = f"%e = tensor.empty() : {T}"
ZERO = "%zero = arith.constant 0.0 : f64"
CASES = {
    "addf": binary("arith.addf"),
    "subf": binary("arith.subf"),
    "mulf": binary("arith.mulf"),
    "divf": binary("arith.divf"),
    "maximumf": binary("arith.maximumf"),
    "minimumf": binary("arith.minimumf"),
    "maxnumf": binary("arith.maxnumf"),
    "minnumf": binary("arith.minnumf"),
    "powf": binary("math.powf"),
    "negf": unary("arith.negf"),
    **{op: unary(f"math.{op}") for op in (
        "absf", "cos", "erf", "exp", "exp2", "expm1", "floor", "log", "log1p",
        "log2", "rsqrt", "sin", "sqrt", "tanh")},
    "fma": lines(f"(%x: {T}, %y: {T}, %z: {T}) -> {T}",
                 f"%r = math.fma %x, %y, %z : {T}", f"return %r : {T}"),
    "select": lines(f"(%x: {T}, %z: {T}) -> {T}",
                    f"%c = arith.cmpf olt, %x, %z : {T}",
                    f"%p = arith.mulf %x, %x : {T}",
                    f"%r = arith.select %c, %p, %z : tensor<3x4xi1>, {T}",
                    f"return %r : {T}"),
    "used_twice": lines(f"(%x: {T}) -> ({T}, {T})",
                        f"%s = math.sin %x : {T}",
                        f"%r = arith.mulf %s, %x : {T}",
                        f"return %r, %s : {T}, {T}"),
    "generic_broadcast": lines(
        f"(%x: {T}, %b: tensor<4xf64>, %s: tensor<f64>) -> {T}", EMPTY,
        "%r = linalg.generic {indexing_maps = ["
        "affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, "
        "affine_map<(i, j) -> ()>, affine_map<(i, j) -> (i, j)>], "
        "iterator_types = [\"parallel\", \"parallel\"]} "
        f"ins(%x, %b, %s : {T}, tensor<4xf64>, tensor<f64>) outs(%e : {T}) {{",
        "^bb0(%a: f64, %c: f64, %d: f64, %o: f64):",
        "%0 = arith.mulf %a, %c : f64", "%1 = math.tanh %0 : f64",
        "%2 = arith.mulf %1, %d : f64", "linalg.yield %2 : f64",
        f"}} -> {T}", f"return %r : {T}"),
    "generic_permuted": lines(
        f"(%x: {T}, %z: tensor<4x3xf64>) -> tensor<4x3xf64>",
        "%e = tensor.empty() : tensor<4x3xf64>",
        "%r = linalg.generic {indexing_maps = ["
        "affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>, "
        "affine_map<(i, j) -> (i, j)>], "
        "iterator_types = [\"parallel\", \"parallel\"]} "
        f"ins(%x, %z : {T}, tensor<4x3xf64>) outs(%e : tensor<4x3xf64>) {{",
        "^bb0(%a: f64, %c: f64, %o: f64):",
        "%0 = arith.divf %a, %c : f64", "linalg.yield %0 : f64",
        "} -> tensor<4x3xf64>", "return %r : tensor<4x3xf64>"),
    "generic_reads_init": lines(
        f"(%x: {T}, %z: {T}) -> {T}",
        "%r = linalg.generic {indexing_maps = ["
        "affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], "
        "iterator_types = [\"parallel\", \"parallel\"]} "
        f"ins(%x : {T}) outs(%z : {T}) {{",
        "^bb0(%a: f64, %o: f64):",
        "%0 = arith.mulf %a, %o : f64", "linalg.yield %0 : f64",
        f"}} -> {T}", f"return %r : {T}"),
    "reduce_sum": lines(
        f"(%x: {T}, %z: tensor<3xf64>) -> tensor<3xf64>",
        "%r = linalg.generic {indexing_maps = ["
        "affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], "
        "iterator_types = [\"parallel\", \"reduction\"]} "
        f"ins(%x : {T}) outs(%z : tensor<3xf64>) {{",
        "^bb0(%a: f64, %o: f64):",
        "%0 = arith.mulf %a, %a : f64", "%1 = arith.addf %o, %0 : f64",
        "linalg.yield %1 : f64", "} -> tensor<3xf64>",
        "return %r : tensor<3xf64>"),
    "reduce_max": lines(
        f"(%x: {T}) -> tensor<4xf64>", "%low = arith.constant -1.0e9 : f64",
        "%e = tensor.empty() : tensor<4xf64>",
        "%i = linalg.fill ins(%low : f64) outs(%e : tensor<4xf64>) "
        "-> tensor<4xf64>",
        f"%r = linalg.reduce {{ arith.maximumf }} ins(%x : {T}) "
        "outs(%i : tensor<4xf64>) dimensions = [0]",
        "return %r : tensor<4xf64>"),
    "matmul": lines(
        f"(%x: {T}, %w: tensor<4x2xf64>, %c: tensor<3x2xf64>) "
        "-> tensor<3x2xf64>",
        f"%r = linalg.matmul ins(%x, %w : {T}, tensor<4x2xf64>) "
        "outs(%c : tensor<3x2xf64>) -> tensor<3x2xf64>",
        "return %r : tensor<3x2xf64>"),
    "matmul_transposed": lines(
        f"(%x: tensor<4x3xf64>, %w: tensor<2x4xf64>) -> tensor<3x2xf64>",
        "%c = arith.constant dense<0.0> : tensor<3x2xf64>",
        "%r = linalg.matmul indexing_maps = ["
        "affine_map<(m, n, k) -> (k, m)>, affine_map<(m, n, k) -> (n, k)>, "
        "affine_map<(m, n, k) -> (m, n)>] "
        "ins(%x, %w : tensor<4x3xf64>, tensor<2x4xf64>) "
        "outs(%c : tensor<3x2xf64>) -> tensor<3x2xf64>",
        "return %r : tensor<3x2xf64>"),
    "batch_matmul": lines(
        "(%x: tensor<2x3x4xf64>, %w: tensor<2x4x2xf64>) -> tensor<2x3x2xf64>",
        "%c = arith.constant dense<0.0> : tensor<2x3x2xf64>",
        "%r = linalg.batch_matmul ins(%x, %w : tensor<2x3x4xf64>, "
        "tensor<2x4x2xf64>) outs(%c : tensor<2x3x2xf64>) -> tensor<2x3x2xf64>",
        "return %r : tensor<2x3x2xf64>"),
    "matvec": lines(
        f"(%x: {T}, %w: tensor<4xf64>) -> tensor<3xf64>",
        "%c = arith.constant dense<0.0> : tensor<3xf64>",
        f"%r = linalg.matvec ins(%x, %w : {T}, tensor<4xf64>) "
        "outs(%c : tensor<3xf64>) -> tensor<3xf64>",
        "return %r : tensor<3xf64>"),
    "broadcast": lines(
        f"(%x: tensor<4xf64>) -> {T}", EMPTY,
        f"%r = linalg.broadcast ins(%x : tensor<4xf64>) outs(%e : {T}) "
        "dimensions = [0]", f"return %r : {T}"),
    "transpose": lines(
        f"(%x: {T}) -> tensor<4x3xf64>",
        "%e = tensor.empty() : tensor<4x3xf64>",
        f"%r = linalg.transpose ins(%x : {T}) outs(%e : tensor<4x3xf64>) "
        "permutation = [1, 0]", "return %r : tensor<4x3xf64>"),
    "softmax": lines(
        f"(%x: {T}) -> {T}", EMPTY,
        f"%r = linalg.softmax dimension(1) ins(%x : {T}) outs(%e : {T}) "
        f"-> {T}", f"return %r : {T}"),
    "named_elementwise": lines(
        f"(%x: {T}, %z: {T}) -> {T}", EMPTY,
        f"%a = linalg.exp ins(%x : {T}) outs(%e : {T}) -> {T}",
        f"%r = linalg.mul ins(%a, %z : {T}, {T}) outs(%e : {T}) -> {T}",
        f"return %r : {T}"),
    "extract_slice": lines(
        f"(%x: {T}) -> tensor<2x2xf64>",
        f"%r = tensor.extract_slice %x[1, 1] [2, 2] [1, 2] : {T} to "
        "tensor<2x2xf64>", "return %r : tensor<2x2xf64>"),
    "insert_slice": lines(
        f"(%x: {T}, %s: tensor<2xf64>) -> {T}",
        f"%r = tensor.insert_slice %s into %x[1, 1] [1, 2] [1, 1] : "
        f"tensor<2xf64> into {T}", f"return %r : {T}"),
    "reshape": lines(
        f"(%x: {T}) -> tensor<3x2x2xf64>",
        f"%c = tensor.collapse_shape %x [[0, 1]] : {T} into tensor<12xf64>",
        "%s = arith.mulf %c, %c : tensor<12xf64>",
        "%r = tensor.expand_shape %s [[0, 1, 2]] output_shape [3, 2, 2] : "
        "tensor<12xf64> into tensor<3x2x2xf64>",
        "return %r : tensor<3x2x2xf64>"),
    "splat": lines(
        f"(%x: {T}) -> {T}", "%c1 = arith.constant 1 : index",
        f"%s = tensor.extract %x[%c1, %c1] : {T}",
        f"%p = tensor.splat %s : {T}", f"%r = arith.mulf %p, %x : {T}",
        f"return %r : {T}"),
}


def module():
    text = ""
    for name, (signature, body) in CASES.items():
        # A bare @exp would be the one of the C library.
        text += (f"func.func @f_{name}{signature} "
                 "attributes {llvm.emit_c_interface} {\n"
                 f"{ZERO}\n{body}\n}}\n")
    return text


@pytest.fixture(scope="module")
def library(moe_opt, tmp_path_factory):
    passes = [f"--moe-differentiate=function=f_{name}" for name in CASES]
    return compile_module(moe_opt, module(), [*passes, "--moe-normalize-ops"],
                          tmp_path_factory.mktemp("rules"))


def shapes(text):
    return [tuple(int(n) for n in re.findall(r"(\d+)x", t))
            for t in re.findall(r"tensor<(.*?)f64>", text)]


@pytest.mark.parametrize("name", list(CASES))
def test_against_central_differences(library, name):
    arguments, results = (shapes(part) for part in
                          CASES[name][0].split("->"))
    random = np.random.default_rng(1)
    inputs = [random.uniform(0.5, 2.0, shape) for shape in arguments]
    cotangents = [random.normal(size=shape) for shape in results]
    got = call(library, f"f_{name}_vjp", [*inputs, *cotangents],
               [*results, *arguments])
    for value, expected in zip(got, call(library, f"f_{name}", inputs, results)):
        np.testing.assert_array_equal(value, expected)
    for number, gradient in enumerate(got[len(results):]):
        for at in np.ndindex(*gradient.shape):
            ends = []
            for sign in (1, -1):
                moved = [a.copy() for a in inputs]
                moved[number][at] += sign * STEP
                ends.append(sum((v * c).sum() for v, c in zip(
                    call(library, f"f_{name}", moved, results), cotangents)))
            difference = (ends[0] - ends[1]) / (2 * STEP)
            assert gradient[at] == pytest.approx(difference, rel=1e-6,
                                                 abs=1e-6), (number, at)


def test_equal_maxima_share_the_gradient(library):
    x = np.ones((3, 4))
    _, gradient = call(library, "f_reduce_max_vjp", [x, np.full(4, 6.0)],
                       [(4,), (3, 4)])
    np.testing.assert_array_equal(gradient, np.full((3, 4), 2.0))


def test_a_vanished_gradient_stays_zero_where_exp_overflows(library):
    x = np.full((3, 4), 1000.0)
    _, gradient = call(library, "f_exp_vjp", [x, np.zeros((3, 4))],
                       [(3, 4), (3, 4)])
    np.testing.assert_array_equal(gradient, 0.0)
