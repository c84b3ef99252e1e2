"""Functions of upstream ops that have a derivative rule, one or two a function.

Each is a signature and a body, of which `%zero` is a constant; static shapes of
f64, so that the text can be read as one of f32 by replacing that word.
"""

import re

import structured_cases

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
        "absf", "asinh", "atan", "cbrt", "ceil", "cos", "cosh", "erf", "erfc",
        "exp", "exp2", "expm1", "floor", "log", "log10", "log1p", "log2",
        "round", "roundeven", "rsqrt", "sin", "sinh", "sqrt", "tanh",
        "trunc")},
    "atan2": binary("math.atan2"),
    "fpowi": lines(f"(%x: {T}) -> {T}",
                   "%n = arith.constant dense<-3> : tensor<3x4xi32>",
                   f"%r = math.fpowi %x, %n : {T}, tensor<3x4xi32>",
                   f"return %r : {T}"),
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
    "reshape_to_a_shape": lines(
        f"(%x: {T}) -> tensor<2x6xf64>",
        "%s = arith.constant dense<[2, 6]> : tensor<2xindex>",
        f"%m = arith.mulf %x, %x : {T}",
        f"%r = tensor.reshape %m(%s) : ({T}, tensor<2xindex>) -> "
        "tensor<2x6xf64>", "return %r : tensor<2x6xf64>"),
    "reshape_of_one": lines(
        "(%x: tensor<1x1xf64>) -> tensor<1xf64>",
        "%s = tensor.empty() : tensor<0xi32>",
        "%a = tensor.reshape %x(%s) : (tensor<1x1xf64>, tensor<0xi32>) -> "
        "tensor<f64>", "%m = arith.mulf %a, %a : tensor<f64>",
        "%t = arith.constant dense<1> : tensor<1xi32>",
        "%r = tensor.reshape %m(%t) : (tensor<f64>, tensor<1xi32>) -> "
        "tensor<1xf64>", "return %r : tensor<1xf64>"),
    "pad": lines(
        f"(%x: {T}) -> tensor<4x7xf64>", "%c1 = arith.constant 1 : index",
        f"%v = tensor.extract %x[%c1, %c1] : {T}",
        f"%m = arith.mulf %x, %x : {T}",
        "%r = tensor.pad %m low[1, 1] high[0, 2] {",
        "^bb0(%i: index, %j: index):", "tensor.yield %v : f64",
        f"}} : {T} to tensor<4x7xf64>", "return %r : tensor<4x7xf64>"),
    "splat": lines(
        f"(%x: {T}) -> {T}", "%c1 = arith.constant 1 : index",
        f"%s = tensor.extract %x[%c1, %c1] : {T}",
        f"%p = tensor.splat %s : {T}", f"%r = arith.mulf %p, %x : {T}",
        f"return %r : {T}"),
    "from_elements": lines(
        f"(%x: {T}) -> tensor<2x2xf64>", "%c0 = arith.constant 0 : index",
        "%c1 = arith.constant 1 : index", "%c3 = arith.constant 3 : index",
        f"%a = tensor.extract %x[%c1, %c3] : {T}",
        f"%b = tensor.extract %x[%c0, %c1] : {T}",
        "%p = arith.mulf %a, %b : f64",
        "%r = tensor.from_elements %a, %p, %b, %b : tensor<2x2xf64>",
        "return %r : tensor<2x2xf64>"),
    "insert": lines(
        f"(%x: {T}, %z: {T}) -> {T}", "%c1 = arith.constant 1 : index",
        "%c2 = arith.constant 2 : index",
        f"%s = tensor.extract %z[%c1, %c2] : {T}",
        f"%r = tensor.insert %s into %x[%c2, %c1] : {T}", f"return %r : {T}"),
    "concat": lines(
        f"(%x: {T}, %z: tensor<3x2xf64>) -> tensor<3x10xf64>",
        f"%r = tensor.concat dim(1) %x, %z, %x : ({T}, tensor<3x2xf64>, {T}) "
        "-> tensor<3x10xf64>", "return %r : tensor<3x10xf64>"),
    "cast": lines(
        f"(%x: {T}) -> {T}", f"%d = tensor.cast %x : {T} to tensor<?x4xf64>",
        "%s = arith.mulf %d, %d : tensor<?x4xf64>",
        f"%r = tensor.cast %s : tensor<?x4xf64> to {T}", f"return %r : {T}"),
    "map": lines(
        f"(%x: {T}, %z: {T}) -> {T}", EMPTY,
        f"%r = linalg.map {{ arith.divf }} ins(%x, %z : {T}, {T}) "
        f"outs(%e : {T})", f"return %r : {T}"),
    "reduce_min": lines(
        f"(%x: {T}, %z: tensor<3xf64>) -> tensor<3xf64>",
        f"%r = linalg.reduce {{ arith.minimumf }} ins(%x : {T}) "
        "outs(%z : tensor<3xf64>) dimensions = [1]",
        "return %r : tensor<3xf64>"),
    "linalg_select": lines(
        f"(%x: {T}, %z: {T}) -> {T}", EMPTY,
        f"%c = arith.cmpf olt, %x, %z : {T}",
        "%r = linalg.select ins(%c, %x, %z : tensor<3x4xi1>, "
        f"{T}, {T}) outs(%e : {T}) -> {T}", f"return %r : {T}"),
    "copy": lines(
        f"(%x: {T}) -> {T}", EMPTY,
        f"%r = linalg.copy ins(%x : {T}) outs(%e : {T}) -> {T}",
        f"return %r : {T}"),
    "fill": lines(
        f"(%x: {T}) -> {T}", EMPTY, "%c1 = arith.constant 1 : index",
        f"%s = tensor.extract %x[%c1, %c1] : {T}",
        f"%r = linalg.fill ins(%s : f64) outs(%e : {T}) -> {T}",
        f"return %r : {T}"),
    **{f"linalg_{op}": lines(
        f"(%x: {T}) -> {T}", EMPTY,
        f"%r = linalg.{op} ins(%x : {T}) outs(%e : {T}) -> {T}",
        f"return %r : {T}") for op in (
            "abs", "erf", "log", "negf", "reciprocal", "rsqrt", "sqrt",
            "square", "tanh")},
    **{f"linalg_{op}": lines(
        f"(%x: {T}, %z: {T}) -> {T}", EMPTY,
        f"%r = linalg.{op} ins(%x, %z : {T}, {T}) outs(%e : {T}) -> {T}",
        f"return %r : {T}") for op in ("add", "sub", "div", "max", "min",
                                       "powf")},
    **{op: lines(
        f"(%x: tensor<{left}xf64>, %w: tensor<{right}xf64>) "
        f"-> tensor<{out}f64>",
        f"%c = arith.constant dense<0.5> : tensor<{out}f64>",
        f"%r = linalg.{op} ins(%x, %w : tensor<{left}xf64>, "
        f"tensor<{right}xf64>) outs(%c : tensor<{out}f64>) "
        f"-> tensor<{out}f64>", f"return %r : tensor<{out}f64>")
       for op, left, right, out in (
           ("dot", "5", "5", ""), ("vecmat", "3", "3x4", "4x"),
           ("batch_matvec", "2x3x4", "2x4", "2x3x"),
           ("batch_vecmat", "2x3", "2x3x4", "2x4x"),
           ("batch_reduce_matmul", "2x3x4", "2x4x2", "3x2x"))},
    "contract": lines(
        f"(%x: {T}, %w: tensor<4x3xf64>) -> tensor<3xf64>",
        "%c = arith.constant dense<0.0> : tensor<3xf64>",
        "%r = linalg.contract indexing_maps = ["
        "affine_map<(m, k) -> (m, k)>, affine_map<(m, k) -> (k, m)>, "
        "affine_map<(m, k) -> (m)>] "
        f"ins(%x, %w : {T}, tensor<4x3xf64>) outs(%c : tensor<3xf64>) "
        "-> tensor<3xf64>", "return %r : tensor<3xf64>"),
    **structured_cases.CASES,
}


def module(element="f64"):
    """All functions as @f_<name>: a bare @exp would be the C library's."""
    text = ""
    for name, (signature, body) in CASES.items():
        text += (f"func.func @f_{name}{signature} "
                 "attributes {llvm.emit_c_interface} {\n"
                 f"{ZERO}\n{body}\n}}\n")
    return text.replace("f64", element)


def shapes(name):
    """The shapes of a function's arguments, and of its results."""
    return [[tuple(int(n) for n in re.findall(r"(\d+)x", t))
             for t in re.findall(r"tensor<(.*?)f64>", part)]
            for part in CASES[name][0].split("->")]
