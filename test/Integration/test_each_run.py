"""Inputs and outputs of moe-run that have a value for each run."""

import numpy as np
import pytest
from stateful import state

W, X, K = "tensor<3xf32>", "tensor<?x3xf32>", "tensor<i32>"
TEXT = f"""
func.func @f(%w: {W} {state(0)}, %x: {X}, %k: {K}) -> ({W}, {X}, {K}) {{
  %y = arith.addf %w, %w : {W}
  %z = arith.addf %x, %x : {X}
  %l = arith.addi %k, %k : {K}
  return %y, %z, %l : {W}, {X}, {K}
}}
"""


class Runs:
    """Calls moe-run on files of one folder."""

    def __init__(self, tools, folder):
        self.tools, self.folder = tools, folder
        self.program = tools.compile(TEXT)
        self.write("x", np.arange(24, dtype=np.float32).reshape(4, 2, 3))
        self.write("k", np.arange(4, dtype=np.int32))

    def write(self, name, array):
        np.save(self.folder / f"{name}.npy", array)

    def options(self, inputs):
        result = []
        for value in inputs:
            each = "each:" if value.startswith("each:") else ""
            name = value[len(each):]
            path = self.folder / f"{name}.npy"
            result.append(f"--input={each}{path if path.exists() else name}")
        return result

    def run(self, *inputs, each=(0, 1, 2), options=()):
        paths = [self.folder / f"result{i}.npy" for i in range(3)]
        self.tools.run(self.program, results=0, options=[
            *self.options(inputs), *options,
            *[f"--output={'each:' if i in each else ''}{path}"
              for i, path in enumerate(paths)]])
        return [np.load(path) for path in paths]

    def fault(self, *inputs, options=()):
        message = self.tools.fault(self.program, status=2, options=[
            *self.options(inputs), *options])
        return message.replace(str(self.folder) + "/", "")


@pytest.fixture
def runs(tools, tmp_path):
    return Runs(tools, tmp_path)


def test_as_many_runs_as_values(runs):
    y, z, k = runs.run("3xf32=ones", "each:x", "each:k", each=(0, 1))
    assert y.tolist() == [[2] * 3, [4] * 3, [8] * 3, [16] * 3]
    np.testing.assert_array_equal(
        z, 2 * np.arange(24, dtype=np.float32).reshape(4, 2, 3))
    assert k.shape == () and k == 6  # of the last run


def test_values_start_again_and_go_on_from_a_warm_up(runs):
    y, _, k = runs.run("3xf32=ones", "each:x", "each:k",
                       options=["--repeat=6", "--warmup=1"])
    assert y[:, 0].tolist() == [4, 8, 16, 32, 64, 128]
    assert k.tolist() == [2, 4, 6, 0, 2, 4]


def test_fewer_runs_than_values(runs):
    y, z, k = runs.run("3xf32=ones", "each:x", "i32=3", options=["--repeat=2"])
    assert len(y) == len(z) == 2 and k.tolist() == [6, 6]
    np.testing.assert_array_equal(z[1], [[12, 14, 16], [18, 20, 22]])


def test_outputs_of_each_run_without_such_inputs(runs):
    y, _, _ = runs.run("3xf32=ones", "2x3xf32=ones", "i32=0",
                       options=["--repeat=3"])
    assert y[:, 1].tolist() == [2, 4, 8]


def test_state_that_each_run_is_given_does_not_evolve(runs):
    runs.write("w", np.arange(6, dtype=np.float32).reshape(2, 3))
    y, _, _ = runs.run("each:w", "2x3xf32=ones", "i32=0")
    assert y.tolist() == [[0, 2, 4], [6, 8, 10]]


def test_no_tokens(runs):
    runs.write("none", np.zeros((2, 0, 3), np.float32))
    y, z, _ = runs.run("3xf32=ones", "each:none", "i32=0")
    assert y[:, 0].tolist() == [2, 4] and z.shape == (2, 0, 3)


def test_expected_is_the_last_run(runs):
    runs.write("last", np.full(3, 16, np.float32))
    runs.run("3xf32=ones", "each:x", "each:k",
             options=[f"--expect={runs.folder / 'last.npy'}"])


def test_bad_values(runs):
    runs.write("k5", np.arange(5, dtype=np.int32))
    runs.write("scalar", np.int32(4))
    runs.write("empty", np.zeros((0, 2, 3), np.float32))
    (runs.folder / "text.npy").write_text("no numbers")
    good = "3xf32=ones"
    assert runs.fault(good, "each:x", "each:k5") == (
        "expected the same number of runs of all 'each:' inputs, but got 4 "
        "and 5")
    assert runs.fault(good, "each:x", "each:scalar") == (
        "input 2: expected 'scalar.npy' to have a first dimension that counts "
        "runs, but got i32")
    assert runs.fault(good, "each:empty", "i32=0") == (
        "input 1: expected 'empty.npy' to have a first dimension that counts "
        "runs, but got 0x2x3xf32")
    assert runs.fault(good, "each:4x2x3xf32=ones", "i32=0") == (
        "input 1: '4x2x3xf32=ones': expected a file that can be read, but got "
        "none")
    assert runs.fault(good, "each:text", "i32=0") == (
        "input 1: 'text.npy': expected a .npy file, but got another kind of "
        "file")
    assert runs.fault(good, "each:k", "i32=0") == (
        "expected input 1 to be f32, but got i32")
    assert runs.fault("each:k", "each:x", "i32=0") == (
        "expected input 0 to be f32, but got i32")
