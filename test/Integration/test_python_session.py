"""The Python package runs programs in sessions."""

import numpy as np
import pytest
from moe.compiler import compile_module
from moe.runtime import Session, StatusError, devices
from stateful import state

W, X = "tensor<4xf32>", "tensor<?x4xf32>"
TEXT = f"""
func.func @f(%w: {W} {state(0)}, %x: {X}) -> ({W}, {X}) {{
  %y = arith.addf %w, %w : {W}
  %z = arith.addf %x, %x : {X}
  return %y, %z : {W}, {X}
}}
func.func @g(%n: tensor<i32>) -> tensor<i32> {{
  return %n : tensor<i32>
}}
"""
ONES, ROWS = np.ones(4, np.float32), np.ones((2, 4), np.float32)


@pytest.fixture(scope="module")
def libraries(build):
    return {name: str(build / f"lib/libmoe-{name}.so")
            for name in ("compiler", "runtime")}


@pytest.fixture(scope="module")
def bundle(tools, libraries):
    return compile_module(TEXT, library=libraries["compiler"])


@pytest.fixture
def session(bundle, libraries):
    with Session(bundle, validate="sync",
                 library=libraries["runtime"]) as opened:
        yield opened


def error(function, *arguments, **options):
    with pytest.raises(StatusError) as caught:
        function(*arguments, **options)
    assert caught.value.code == "invalid argument"
    return str(caught.value)


def test_programs_are_described(session):
    f, g = session.programs["f"], session.programs["g"]
    f32, i32 = np.dtype(np.float32), np.dtype(np.int32)
    assert (f.name, f.index, g.name, g.index) == ("f", 0, "g", 1)
    assert f.inputs == f.outputs == (((4,), f32), ((None, 4), f32))
    assert f.updates == (0, None)
    assert g.inputs == g.outputs == (((), i32),) and g.updates == (None,)


def test_arrays_of_any_order(session):
    rows = np.arange(8, dtype=np.float32).reshape(4, 2).T[:, ::-1]
    y, z = session.run("f", [ONES, rows])
    assert y.tolist() == [2] * 4
    np.testing.assert_array_equal(z, 2 * rows)
    n, = session.run("g", [np.int32(7)])
    assert n.shape == () and n.dtype == np.int32 and n == 7


def test_results_that_are_not_wanted_stay(session):
    assert session.run("f", [ONES, ROWS], wanted=()) == [None, None]
    y, z = session.run("f", [None, ROWS], wanted={0})
    assert y.tolist() == [4] * 4 and z is None


def test_wrong_inputs(session):
    run = session.run
    assert error(run, "f", [ONES]) == "expected 2 inputs of 'f', but got 1"
    assert error(run, "f", [ONES.astype(float), ROWS]) == (
        "expected input 0 of 'f' to be float32, but got float64")
    assert error(run, "f", [ONES.astype(np.int32), ROWS]) == (
        "expected input 0 to be f32, but got i32")
    assert error(run, "f", [ONES, None]) == (
        "expected an array for input 1 of 'f', which has a dynamic size, but "
        "got none")
    assert error(run, "f", [None, ROWS]) == (
        "expected data of input 0, but got none, and no earlier run has left "
        "it on the device")
    assert error(run, "f", [ONES[:3], ROWS]) == (
        "expected dim 0 of input 0 to equal 4, but got 3")
    assert error(run, "f", [ONES, ONES]) == (
        "expected input 1 to have rank 2, but got 1")


def test_wrong_names(session):
    assert error(session.run, "h", [ONES]) == (
        "expected an entry of the bundle ('f', 'g'), but got 'h'")
    assert error(session.run, "f", [ONES, ROWS], wanted=[0, 2]) == (
        "expected to want results of 'f' below 2, but got [0, 2]")
    # Nothing has run.
    assert session.statistics()["submits"] == 0


def test_a_closed_session(session):
    session.close()
    session.close()
    for call in (lambda: session.run("f", [ONES, ROWS]), session.statistics):
        assert error(call) == "expected an open session, but got a closed one"


def test_bad_sessions(bundle, libraries):
    library = libraries["runtime"]
    assert error(Session, b"abc", library=library) == (
        "expected a bundle of 16 bytes or more, but got 3")
    assert error(Session, bundle, device=99, library=library).startswith(
        "expected a device index below ")
    assert error(Session, bundle, validate="all", library=library) == (
        "expected validate to be one of None, 'on', 'sync', 'gpu', but got "
        "'all'")


def test_devices_say_what_the_compiler_must_know(tools, libraries):
    found, best = devices(library=libraries["runtime"])
    assert 0 <= best < len(found)
    assert found[best].name and found[best].type in (
        "discrete", "integrated", "virtual", "cpu", "other")
    compiled = compile_module(TEXT, facts=found[best].facts, entry="g",
                              library=libraries["compiler"])
    with Session(compiled, device=best, validate="sync",
                 library=libraries["runtime"]) as opened:
        assert list(opened.programs) == ["g"]
        assert opened.device == found[best].name
