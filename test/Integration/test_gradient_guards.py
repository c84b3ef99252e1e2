"""Gradients where a guard keeps out an infinite slope, and where 1 - y cancels.

A value that a select or a maximum does not keep has no part in a gradient.
"""

import re

import numpy as np
import pytest
from adjoint import differentiate

# Rows of x by their norms, a reduction. %n: the norms, of type R.
NORMS = """
#all = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
func.func @f(%x: T) -> T {{
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %rows = tensor.dim %x, %c0 : T
  %re = tensor.empty(%rows) : R
  %e = tensor.empty(%rows) : T
  %z = linalg.fill ins(%zero : f32) outs(%re : R) -> R
  %s = linalg.generic {{indexing_maps = [#all, #row],
                        iterator_types = ["parallel", "reduction"]}}
      ins(%x : T) outs(%z : R) {{
  ^bb0(%a: f32, %t: f32):
    %0 = arith.mulf %a, %a : f32
    %1 = arith.addf %t, %0 : f32
    linalg.yield %1 : f32
  }} -> R
  %n = math.sqrt %s : R
{scale}
  %y = linalg.generic {{indexing_maps = [#all, #row, #all],
                        iterator_types = ["parallel", "parallel"]}}
      ins(%x, %k : T, R) outs(%e : T) {{
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.{op} %a, %b : f32
    linalg.yield %0 : f32
  }} -> T
  return %y : T
}}
"""
SPLAT = "  %{0}s = arith.constant {1} : f32\n  %{0} = tensor.splat %{0}s[%rows] : R\n"


def rows(tools, session, op, scale):
    text = NORMS.format(op=op, scale=scale)
    text = re.sub(r"\bR\b", "tensor<?xf32>",
                  re.sub(r"\bT\b", "tensor<?x3xf32>", text))
    x = np.float32([[3, 0, 4], [0, 0, 0], [1e-8, 0, 0], [0, 5, 0]])
    g = np.float32([[1, 2, 3], [4, 5, 6], [7, 8, 9], [1, 1, 1]])
    y, dx = session(differentiate(tools, text)).run(x, g)
    return x.astype(np.float64), g, y, dx


def projected(x, g):
    """The gradient of x / |x|."""
    n = np.linalg.norm(x)
    return (g - x * (x @ g) / n**2) / n


def test_rows_by_their_norms(tools, session):
    # x / max(|x|, 1e-6), where a row is 0 and another below the bound
    x, g, y, dx = rows(tools, session, "divf", SPLAT.format("eps", "1.0e-6")
                       + "  %k = arith.maximumf %n, %eps : R")
    np.testing.assert_array_equal(y[1], 0)
    want = [projected(x[0], g[0]), g[1] * 1e6, g[2] * 1e6, projected(x[3], g[3])]
    np.testing.assert_allclose(dx, want, rtol=1e-5, atol=1e-6)


def test_clipping_by_norm(tools, session):
    # min(1, 2 / |x|) · x
    x, g, y, dx = rows(tools, session, "mulf", SPLAT.format("c", "2.0")
                       + SPLAT.format("one", "1.0")
                       + "  %q = arith.divf %c, %n : R\n"
                       "  %k = arith.minimumf %q, %one : R")
    np.testing.assert_array_equal(y[1], 0)
    want = [2 * projected(x[0], g[0]), g[1], g[2], 2 * projected(x[3], g[3])]
    np.testing.assert_allclose(dx, want, rtol=1e-5, atol=1e-6)


def test_rows_by_a_bounded_reciprocal(tools, session):
    # x · min(rsqrt(|x|²), 3)
    x, g, y, dx = rows(tools, session, "mulf", SPLAT.format("c", "3.0")
                       + "  %q = math.rsqrt %s : R\n"
                       "  %k = arith.minimumf %q, %c : R")
    np.testing.assert_array_equal(y[1], 0)
    want = [projected(x[0], g[0]), 3 * g[1], 3 * g[2], projected(x[3], g[3])]
    np.testing.assert_allclose(dx, want, rtol=1e-5, atol=1e-6)


def gradient(tools, session, body, x, g):
    """Of %x, of type T, in a body that gives %y; %zero and %one are there."""
    n = len(x)
    text = ("#i = affine_map<(i) -> (i)>\nfunc.func @f(%x: T) -> T {\n"
            "  %zero = arith.constant dense<0.0> : T\n"
            "  %one = arith.constant dense<1.0> : T\n"
            f"{body}\n  return %y : T\n}}\n")
    text = re.sub(r"\bP\b", f"tensor<{n}xi1>",
                  re.sub(r"\bT\b", f"tensor<{n}xf32>", text))
    return session(differentiate(tools, text)).run(np.float32(x),
                                                   np.float32(g))


def select(*lines):
    """What the lines make of x, %v, where x > 0; else 0."""
    return "\n".join(f"  {line}" for line in (
        "%k = arith.cmpf ogt, %x, %zero : T", *lines,
        "%y = arith.select %k, %v, %zero : P, T"))


def bound(op, limit, *lines):
    return "\n".join(f"  {line}" for line in (
        *lines, f"%l = arith.constant dense<{limit}> : T",
        f"%y = arith.{op} %v, %l : T"))


def elementwise(name, ins, op):
    """An op of a body in a linalg.generic of its own."""
    ins = ins.split()
    arguments = ", ".join(f"%a{i}: f32" for i in range(len(ins)))
    return (f"%{name}e = tensor.empty() : T\n  %{name} = linalg.generic "
            f"{{indexing_maps = [{', '.join(['#i'] * (len(ins) + 1))}], "
            f'iterator_types = ["parallel"]}} ins({", ".join(ins)} : '
            f"{', '.join(['T'] * len(ins))}) outs(%{name}e : T) {{\n"
            f"  ^bb0({arguments}, %o: f32):\n    {op}\n"
            "    linalg.yield %r : f32\n  } -> T")


# The body; the gradient at 0, and at 4.
GUARDED = {
    "x_log_x": (select("%l = math.log %x : T", "%v = arith.mulf %x, %l : T"),
                0, np.log(4) + 1),
    "log_x_x": (select("%l = math.log2 %x : T", "%v = arith.mulf %l, %x : T"),
                0, 2 + 1 / np.log(2)),
    "x_log_x_fused": (select("%l = math.log %x : T",
                             "%v = math.fma %x, %l, %x : T"), 0,
                      np.log(4) + 2),
    "x_log_x_in_generics": (select(
        elementwise("l", "%x", "%r = math.log %a0 : f32"),
        elementwise("v", "%x %l", "%r = arith.mulf %a0, %a1 : f32")),
                            0, np.log(4) + 1),
    "x_log_x_in_one_body": (elementwise("y", "%x", """
    %z = arith.constant 0.0 : f32
    %l = math.log %a0 : f32
    %p = arith.mulf %a0, %l : f32
    %k = arith.cmpf ogt, %a0, %z : f32
    %r = arith.select %k, %p, %z : f32"""), 0, np.log(4) + 1),
    "x_rsqrt_x": (select("%l = math.rsqrt %x : T", "%v = arith.mulf %x, %l : T"),
                  0, 0.25),
    "x_over_root": (select("%l = math.sqrt %x : T", "%v = arith.divf %x, %l : T"),
                    0, 0.25),
    "x_power_x": (select("%h = arith.constant dense<-0.5> : T",
                         "%l = math.powf %x, %h : T",
                         "%v = arith.mulf %x, %l : T"), 0, 0.25),
    "exp_of_reciprocal": (select("%r = arith.divf %one, %x : T",
                                 "%l = math.exp %r : T",
                                 "%v = arith.mulf %x, %l : T"),
                          0, np.exp(0.25) * 0.75),
    "log_kept_out": (bound("maximumf", -5.0, "%v = math.log %x : T"), 0, 0.25),
    "sqrt_kept_out": (bound("maximumf", 0.5, "%v = math.sqrt %x : T"), 0, 0.25),
    "rsqrt_kept_out": (bound("minimumf", 3.0, "%v = math.rsqrt %x : T"),
                       0, -1 / 16),
    "root_kept_out": (bound("maximumf", 0.5, "%h = arith.constant dense<0.5> : T",
                            "%v = math.powf %x, %h : T"), 0, 0.25),
    "pole_kept_out": (bound("minimumf", 3.0, "%h = arith.constant dense<-2.0> : T",
                            "%v = math.powf %x, %h : T"), 0, -2 / 64),
    "cbrt_kept_out": (bound("maximumf", 0.5, "%v = math.cbrt %x : T"),
                      0, 4**(-2 / 3) / 3),
    "quotient_kept_out": (bound("minimumf", 3.0, "%v = arith.divf %one, %x : T"),
                          0, -1 / 16),
    # The element at 0 is none of the result, and its gradient 0.
    "x_log_x_cut_off": ("""  %l = math.log %x : T
  %v = arith.mulf %x, %l : T
  %s = tensor.extract_slice %v[1] [1] [1] : T to tensor<1xf32>
  %y = tensor.insert_slice %s into %zero[1] [1] [1] : tensor<1xf32> into T""",
                        0, np.log(4) + 1),
}


@pytest.mark.parametrize("form", GUARDED)
def test_what_is_not_kept(tools, session, form):
    body, at_0, at_4 = GUARDED[form]
    _, got = gradient(tools, session, body, [0, 4], [2, 2])
    np.testing.assert_allclose(got, [2 * at_0, 2 * at_4], rtol=1e-5)


SIGMOID = ("  %m = arith.negf %x : T\n  %e = math.exp %m : T\n"
           "  %d = arith.addf %one, %e : T\n")
SIGMOIDS = {
    "quotient": SIGMOID + "  %y = arith.divf %one, %d : T",
    "tanh": "  %h = arith.constant dense<0.5> : T\n"
            "  %a = arith.mulf %x, %h : T\n  %b = math.tanh %a : T\n"
            "  %c = arith.mulf %b, %h : T\n  %y = arith.addf %c, %h : T",
}


@pytest.mark.parametrize("form", SIGMOIDS)
def test_sigmoid_near_1(tools, session, form):
    x = np.array([8, 15, 17, 20, -15, 0, 30])
    _, got = gradient(tools, session, SIGMOIDS[form], x, np.ones(7))
    np.testing.assert_allclose(got, 1 / (2 + 2 * np.cosh(x)), rtol=4e-6)
    assert got[:5] == pytest.approx(
        [3.3524e-4, 3.0590e-7, 4.1399e-8, 2.0612e-9, 3.0590e-7], rel=2e-5)


SILUS = {"quotient": SIGMOID + "  %y = arith.divf %x, %d : T",
         "product": SIGMOID + "  %s = arith.divf %one, %d : T\n"
                              "  %y = arith.mulf %x, %s : T"}


@pytest.mark.parametrize("form", SILUS)
def test_silu_far_below_zero(tools, session, form):
    x = np.array([-60, -90, -120, -20, 0, 20])
    y, got = gradient(tools, session, SILUS[form], x, np.ones(6))
    s = 1 / (1 + np.exp(-x))
    want = s + x * s / (1 + np.exp(x))
    assert np.abs(y - x * s)[:3].max() < 1e-18
    assert np.abs(got - want)[:3].max() < 1e-18
    np.testing.assert_allclose(got[3:], want[3:], rtol=1e-5)


def test_error_function_far_out(tools, session):
    x = np.array([0, 1, -3, 5, 8])
    for op in ("erf", "erfc"):
        _, got = gradient(tools, session, f"  %y = math.{op} %x : T", x,
                          np.ones(5))
        np.testing.assert_allclose(np.abs(got), 2 / np.sqrt(np.pi) *
                                   np.exp(-x * x), rtol=5e-6)


@pytest.mark.parametrize("dim", [0, 1])
def test_softmax_where_one_takes_all(tools, session, dim):
    text = re.sub(r"\bT\b", "tensor<7x7xf32>", f"""
func.func @f(%x: T) -> T {{
  %e = tensor.empty() : T
  %y = linalg.softmax dimension({dim}) ins(%x : T) outs(%e : T) -> T
  return %y : T
}}
""")
    random = np.random.default_rng(dim)
    x, g = random.normal(size=(2, 7, 7)).astype(np.float32)
    for i, logit in enumerate([0, 8, 15, 17, 20, 30, 80]):
        x[i, i] = logit
    if dim == 0:
        x, g = x.T, g.T
    _, got = session(differentiate(tools, text)).run(
        np.ascontiguousarray(x), np.ascontiguousarray(g))
    # As rows; the terms y_i y_j (g_i - g_j) of Σ over j do not cancel.
    x, g, got = (a.astype(np.float64) if dim == 1 else a.T.astype(np.float64)
                 for a in (x, g, got))
    y = np.exp(x - x.max(axis=1, keepdims=True))
    y /= y.sum(axis=1, keepdims=True)
    terms = y[:, :, None] * y[:, None] * (g[:, :, None] - g[:, None])
    size = np.abs(terms).sum(axis=2)
    assert (np.abs(got - terms.sum(axis=2)) <= 4e-6 * size + 1e-37).all()
