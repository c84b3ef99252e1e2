"""docs/accuracy.md is what `python3 -m moe.accuracy` makes, and lacks no op."""

import json
import subprocess
from pathlib import Path

import pytest
from moe.accuracy import OUTSIDE, ROWS
from moe.accuracy.floats import ROWS as FLOATS
from moe.accuracy.page import read_errors, render, shown

PAGE = Path(__file__).resolve().parents[2] / "docs/accuracy.md"
LLVM = Path("/usr/lib/llvm-22")


def ops_of(dialect, file):
    """The ops of an upstream dialect, from its definition."""
    records = json.loads(subprocess.run(
        [LLVM / "bin/llvm-tblgen", "--dump-json", "-I", LLVM / "include",
         LLVM / "include/mlir/Dialect" / file],
        capture_output=True, text=True, check=True).stdout)
    return {f"{dialect}.{records[name]['opName']}"
            for name in records["!instanceof"]["Op"]}


@pytest.mark.parametrize("dialect, file", [
    ("arith", "Arith/IR/ArithOps.td"), ("math", "Math/IR/MathOps.td")])
def test_no_op_is_missing(dialect, file):
    listed = [row.op for row in ROWS] + list(OUTSIDE)
    assert len(listed) == len(set(listed))
    assert {op for op in listed if op.startswith(dialect)} == \
        ops_of(dialect, file)


def test_the_page_is_current():
    text = PAGE.read_text(encoding="utf-8")
    errors = read_errors(text)
    assert list(errors) == [row.op for row in FLOATS]
    assert render(text, errors) == text
    assert "python3 -m moe.accuracy" in text


def test_measured_errors_are_within_their_bounds():
    errors = read_errors(PAGE.read_text(encoding="utf-8"))
    for row in FLOATS:
        assert float(errors[row.op]) <= row.bound
        # What is exact or rounded correctly is no more than that.
        assert row.bound > .5 or float(errors[row.op]) == row.bound


@pytest.mark.parametrize("old, new", [
    ("| `math.sin` | 3 |", "| `math.sin` | 4 |"),
    ("| `arith.divsi` | by 0; −2³¹ by −1 |", "| `arith.divsi` | |"),
    ("| `math.cbrt` |", "| `math.root` |")])
def test_another_page_is_not_current(old, new):
    text = PAGE.read_text(encoding="utf-8")
    assert old in text
    other = text.replace(old, new)
    errors = {**read_errors(text), **read_errors(other)}
    assert render(other, errors) != other


@pytest.mark.parametrize("error, text", [
    (0, "0"), (.5, "0.5"), (.50000001, "0.5"), (1.01, "1.1"), (2.4347, "2.5")])
def test_measured_errors_are_rounded_up(error, text):
    assert shown(error) == text
