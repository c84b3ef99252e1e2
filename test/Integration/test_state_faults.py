"""A run that ends with a fault changes no state."""

import numpy as np
import pytest
from moe.random import normal
from moe.runtime import StatusError
from stateful import open_session, state

GOOD = np.array([[0, 1], [2, 3], [1, 1]], np.int32)
BAD = np.array([[0, 1], [2, 4], [1, 1]], np.int32)
PLAN = """moe.plan {value} {{experts = 4 : i64}} : tensor<?x2xi32>
    -> tensor<5xi32>, tensor<?x2xi32>, tensor<?xi32>, tensor<?xi32>"""


def fault(session, *inputs):
    with pytest.raises(StatusError) as caught:
        session.run("f", inputs)
    assert caught.value.code == "runtime fault"
    return str(caught.value)


def doubling(shape):
    """A plan, w' = w + w and n' = n + 1."""
    t = "tensor<" + "".join(f"{size}x" for size in shape) + "f32>"
    return f"""
func.func @f(%i: tensor<?x2xi32>, %w: {t} {state(1)},
             %n: tensor<i32> {state(2)})
    -> (tensor<5xi32>, {t}, tensor<i32>) {{
  %one = arith.constant dense<1> : tensor<i32>
  %y = arith.addf %w, %w : {t}
  %m = arith.addi %n, %one : tensor<i32>
  %o, %a, %b, %c = {PLAN.format(value="%i")}
  return %o, %y, %m : tensor<5xi32>, {t}, tensor<i32>
}}
"""


# The last one has more workgroups than a grid may have.
@pytest.mark.parametrize("shape", [(), (7,), (4, 6), (4194305, 4)], ids=str)
def test_state_stays_bit_by_bit(tools, shape):
    w = normal(shape, 1)
    with open_session(tools, doubling(shape)) as session:
        _, got, n = session.run("f", [GOOD, w, np.int32(0)])
        np.testing.assert_array_equal(got, 2 * w)
        for tokens in (2, 300, 2):
            message = fault(session, np.resize(BAD, (tokens, 2)), None, None)
            assert message == ("kernel 'plan': expected an expert in [0, 4), "
                               "but got 4 at token 1, slot 1")
        _, got, n = session.run("f", [np.resize(GOOD, (99, 2)), None, None])
        np.testing.assert_array_equal(got, 4 * w)
        assert n == 2
        # What a run with a fault has been given stays as well.
        fault(session, BAD, -w, np.int32(-5))
        _, got, n = session.run("f", [GOOD, None, None])
        np.testing.assert_array_equal(got, -2 * w)
        assert n == -4


STATIC = PLAN.replace("?x2", "3x2")
OFFSETS = "tensor<5xi32>"
# name: (body, returned, step); the state %i is [3, 2], the input %d as well
PLANNED = {
    "old value": (
        f"""%j = arith.addi %i, %d : T
  %o, %a, %b, %c = {STATIC.format(value="%i")}""", 1),
    "next value": (
        f"""%j = arith.addi %i, %d : T
  %o, %a, %b, %c = {STATIC.format(value="%j")}""", 0),
}


@pytest.mark.parametrize("name", PLANNED)
def test_a_fault_in_the_state_itself(tools, name):
    body, late = PLANNED[name]
    text = f"""
func.func @f(%i: T {state(0)}, %d: T) -> (T, {OFFSETS}) {{
  {body}
  return %j, %o : T, {OFFSETS}
}}
""".replace("T", "tensor<3x2xi32>")
    zero = np.zeros((3, 2), np.int32)
    with open_session(tools, text) as session:
        session.run("f", [zero, zero + 1])
        session.run("f", [None, zero + 2])
        if late:  # 3 + 1 is seen by the run after
            session.run("f", [None, zero + 1])
        for _ in range(2):
            assert "but got 4 at token 0, slot 0" in fault(session, None,
                                                           zero + 1)
        if not late:
            got, offsets = session.run("f", [None, zero])
            assert (got == 3).all() and offsets.tolist() == [0, 0, 0, 0, 6]


def test_offsets_that_are_state(tools):
    text = f"""
func.func @f(%o: {OFFSETS} {state(0)}, %d: {OFFSETS}, %r: tensor<?x4xf32>)
    -> ({OFFSETS}, tensor<4x4xf32>) {{
  %s = moe.grouped_reduce %r, %o
    : tensor<?x4xf32>, {OFFSETS} -> tensor<4x4xf32>
  %n = arith.addi %o, %d : {OFFSETS}
  return %n, %s : {OFFSETS}, tensor<4x4xf32>
}}
"""
    start, more = np.arange(5, dtype=np.int32), np.array([0, 1, 1, 1, 2])
    more = more.astype(np.int32)
    rows = np.ones((6, 4), np.float32)
    with open_session(tools, text) as session:
        got, sums = session.run("f", [start, more, rows])
        assert got.tolist() == [0, 2, 3, 4, 6] and (sums == 1).all()
        got, sums = session.run("f", [None, more, rows])
        assert got.tolist() == [0, 3, 4, 5, 8]
        assert sums[:, 0].tolist() == [2, 1, 1, 2]
        assert "but got 8 at element 4" in fault(session, None, more, rows)
        rows = np.ones((8, 4), np.float32)
        got, sums = session.run("f", [None, more, rows])
        assert got.tolist() == [0, 4, 5, 6, 10]
        assert sums[:, 0].tolist() == [3, 1, 1, 3]


def test_the_state_of_moe_run_ends_with_the_fault(tools, tmp_path):
    program = tools.compile(doubling((5,)))
    w, each = normal((5,), 1), tmp_path / "each.npy"
    command = ["--input=5xf32=0", "--input=i32=0"]
    np.save(each, np.stack([GOOD, GOOD, BAD, GOOD]))
    message = tools.fault(program, status=3, options=[
        f"--input=each:{each}", *command,
        f"--output=each:{tmp_path / 'offsets.npy'}"])
    assert message.endswith("but got 4 at token 1, slot 1")
    assert not (tmp_path / "offsets.npy").exists()
    np.save(each, np.stack([GOOD] * 4))
    np.save(tmp_path / "w.npy", w)
    outputs = [tmp_path / name for name in ("o.npy", "y.npy", "n.npy")]
    tools.run(program, results=0, options=[
        f"--input=each:{each}", f"--input={tmp_path / 'w.npy'}",
        "--input=i32=0", *[f"--output=each:{path}" for path in outputs]])
    o, y, n = map(np.load, outputs)
    assert o.tolist() == [[0, 1, 4, 5, 6]] * 4 and n.tolist() == [1, 2, 3, 4]
    np.testing.assert_array_equal(y, [2 * w, 4 * w, 8 * w, 16 * w])
