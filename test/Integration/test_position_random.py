"""Positions at random through every op that takes them, between guards.

A longer run, or one on another device, is `tools/dev/random-positions`.
"""

import re

import pytest
from moe.runtime import Session
from random_positions import fused, gathers
from random_positions.run import CASES, module, run_cases

RUNS, GUARD_BYTES = 160, 1024


@pytest.fixture(scope="module")
def start(tools):
    """Opens a session of a module."""
    library = tools.moe_run.parents[1] / "lib/libmoe-runtime.so"

    def open_session(text, **options):
        return Session(tools.compile(text).read_bytes(), library=library,
                       **options)

    return open_session


def check(report, runs, cases):
    print(f"{len(cases)} cases: {report}")
    assert not report.differences, report.differences[:5]
    assert report.total("runs") == runs * len(cases)
    assert report.total("faults") > 0.3 * report.total("runs")
    assert report.total("values") > 0.3 * report.total("runs")


def test_faults_or_right_values(start):
    with start(module(), guard_bytes=GUARD_BYTES) as session:
        report = run_cases(session, RUNS)
    check(report, RUNS, CASES)
    assert report.total("runs") > 10000
    for name, counts in report.counts.items():
        assert counts["values"] > 20, name
        assert counts["faults"] > 5 or name == "dropping_plan", name


def test_in_order(start):
    """Under the layer that knows which dispatch waits for which."""
    with start(module(), guard_bytes=GUARD_BYTES, validate="sync") as session:
        check(run_cases(session, 20, seed=1), 20, CASES)


def test_no_address_outside(start):
    """Under the layer that sees reads as well; it is slow."""
    cases = CASES[::6]
    with start(module(), validate="gpu") as session:
        check(run_cases(session, 8, seed=2, cases=cases), 8, cases)


def test_that_other_positions_are_found(start):
    """A gather one row further on is another value or fault."""
    cases = [case for case in gathers.CASES + fused.CASES
             if "%at = arith.index_cast" in case.text]
    bent = re.sub(r"%at = (arith.index_cast %\w : i32 to index)",
                  r"%was = \1\n    %one = arith.constant 1 : index\n"
                  r"    %at = arith.addi %was, %one : index", module(cases))
    with start(bent) as session:
        for case in cases:
            assert run_cases(session, 20, cases=[case]).differences, case.name
