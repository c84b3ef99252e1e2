"""Arguments that results update in place hold the next value in each run."""

import numpy as np
import pytest
from moe.random import normal
from stateful import check_steps, open_session, state

# The last one has more than 65535 workgroups of 64 vectors of 4 elements.
SHAPES = [(), (1,), (4,), (5,), (3, 7), (2, 3, 8), (0, 4), (4194305, 4)]


def tensor(*shape, element="f32"):
    return "tensor<" + "".join(f"{size}x" for size in shape) + f"{element}>"


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_a_sum_over_runs(tools, shape):
    t = tensor(*shape)
    check_steps(tools, f"""
func.func @f(%w: {t} {state(0)}, %g: {t}) -> {t} {{
  %y = arith.addf %w, %g : {t}
  return %y : {t}
}}
""", [normal(shape, 1), normal(shape, 2)], lambda w, g: [w + g])


def test_integers_and_constants(tools):
    t, n = tensor(7, element="i32"), tensor(element="i32")
    check_steps(tools, f"""
func.func @f(%w: {t} {state(1)}, %n: {n} {state(0)}) -> ({n}, {t}) {{
  %one = arith.constant dense<1> : {n}
  %y = arith.addi %n, %one : {n}
  %z = arith.constant dense<[1, 2, 3, 4, 5, 6, 7]> : {t}
  return %y, %z : {n}, {t}
}}
""", [np.zeros(7, np.int32), np.int32(40)],
                lambda w, n: [n + 1, np.arange(1, 8)])


def test_rank_0_takes_a_sum(tools):
    t = tensor(6)
    check_steps(tools, f"""
func.func @f(%a: {t} {state(1)}, %n: tensor<f32> {state(0)})
    -> (tensor<f32>, {t}) {{
  %s = linalg.reduce {{ arith.maximumf }} ins(%a : {t}) outs(%n : tensor<f32>)
    dimensions = [0]
  %e = tensor.empty() : {t}
  %b = linalg.broadcast ins(%n : tensor<f32>) outs(%e : {t}) dimensions = [0]
  %y = arith.addf %a, %b : {t}
  return %s, %y : tensor<f32>, {t}
}}
""", [normal((6,), 1), np.float32(0.25)],
                lambda a, n: [np.maximum(a.max(), n), a + n])


# Rows of whole vectors of four, and others.
@pytest.mark.parametrize("rows, columns", [(4, 6), (3, 4), (8, 3), (1, 7)])
def test_a_gradient_of_another_shape(tools, rows, columns):
    flat, t = tensor(rows * columns), tensor(rows, columns)
    w, g = normal((rows, columns), 1), normal((rows, columns), 2)
    check_steps(tools, f"""
func.func @f(%w: {flat} {state(0)}, %g: {t}) -> {flat} {{
  %v = tensor.expand_shape %w [[0, 1]] output_shape [{rows}, {columns}]
    : {flat} into {t}
  %s = arith.subf %v, %g : {t}
  %y = tensor.collapse_shape %s [[0, 1]] : {t} into {flat}
  return %y : {flat}
}}
""", [w.ravel(), g], lambda w, g: [w - g.ravel()])
    check_steps(tools, f"""
func.func @f(%w: {t} {state(0)}, %g: {flat}) -> ({t}, {flat}) {{
  %v = tensor.collapse_shape %w [[0, 1]] : {t} into {flat}
  %s = arith.subf %v, %g : {flat}
  %y = tensor.expand_shape %s [[0, 1]] output_shape [{rows}, {columns}]
    : {flat} into {t}
  return %y, %s : {t}, {flat}
}}
""", [w, g.ravel()], lambda w, g: [w - g.reshape(w.shape), w.ravel() - g])


def test_state_is_one_for_all_numbers_of_tokens(tools):
    text = f"""
func.func @f(%w: tensor<4xf32> {state(0)}, %x: tensor<?x4xf32>)
    -> (tensor<4xf32>, tensor<?x4xf32>) {{
  %y = arith.addf %w, %w : tensor<4xf32>
  %z = arith.addf %x, %x : tensor<?x4xf32>
  return %y, %z : tensor<4xf32>, tensor<?x4xf32>
}}
func.func @g(%w: tensor<4xf32> {state(0)}) -> tensor<4xf32> {{
  %y = arith.negf %w : tensor<4xf32>
  return %y : tensor<4xf32>
}}
"""
    w = normal((4,), 1)
    with open_session(tools, text) as session:
        session.run("f", [w, np.ones((2, 4), np.float32)])
        session.run("g", [w])  # has state of its own
        for tokens in (0, 300, 2, 70000):
            x = np.ones((tokens, 4), np.float32)
            w = 2 * w
            nothing, z = session.run("f", [None, x], wanted=[1])
            assert nothing is None and (z == 2).all() and len(z) == tokens
        got, _ = session.run("f", [None, x])
        np.testing.assert_array_equal(got, 4 * w)
        # New state takes the place of the old.
        got, _ = session.run("f", [np.ones(4, np.float32), x])
        assert got.tolist() == [2] * 4
        before = session.statistics()
        session.run("f", [None, x])
        after = session.statistics()
        assert (after["submits"] - before["submits"],
                after["waits"] - before["waits"]) == (1, 1)


def test_a_kernel_written_by_hand(tools):
    t = tensor(8)
    kernel = """moe.kernel "{name}" ({inputs}) -> (T) {updates} {{
    %r = linalg.generic {{indexing_maps = [#i, #i],
                         iterator_types = ["parallel"]}}
        ins(%q : T) outs(%p : T) {{
    ^bb0(%c: f32, %d: f32):
      %s = arith.addf %c, %d : f32
      linalg.yield %s : f32
    }} -> T
    moe.yield %r : T
  }}"""
    first = kernel.format(name="first", inputs="%p = %b : T, %q = %a : T",
                          updates="")
    second = kernel.format(name="second", inputs="%p = %a : T, %q = %a : T",
                           updates="updates [0]")
    text = f"""
#i = affine_map<(i) -> (i)>
func.func @f(%a: T {state(0)}, %b: T {state(1)}) -> (T, T) {{
  %y = {first}
  %z = {second}
  return %z, %y : T, T
}}
""".replace("T", t)
    check_steps(tools, text, [normal((8,), 1), normal((8,), 2)],
                lambda a, b: [a + a, b + a])
