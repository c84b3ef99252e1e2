"""Compiles the cases, runs them on a device, and counts."""

import collections

import numpy as np
from moe.runtime import StatusError

from . import arithmetic, elements, fused, gathers, maps, sizes, slices
from .case import Fault

CASES = [case for part in (elements, slices, sizes, gathers, arithmetic, fused,
                           maps) for case in part.CASES]


def module(cases=None):
    """The text of one module with the functions of all cases."""
    return "".join(case.text for case in cases or CASES)


class Report:
    """What came of many runs.

    Attributes
    ----------
    counts : dict of str to collections.Counter
        "runs", "positions", "faults" and "values", by the name of the case.
    differences : list of str
    """

    def __init__(self):
        self.counts = collections.defaultdict(collections.Counter)
        self.differences = []

    def total(self, what):
        return sum(each[what] for each in self.counts.values())

    def __str__(self):
        return ", ".join(f"{self.total(what)} {what}" for what in (
            "runs", "positions", "faults", "values")) + \
            f", {len(self.differences)} differences"


def run_cases(session, runs, seed=0, cases=None):
    """Run each case on random positions.

    Parameters
    ----------
    session : moe.runtime.Session
        Of the bundle of `module()`.
    runs : int
        Of each case.
    seed : int
    cases : list of Case, optional

    Returns
    -------
    Report
    """
    report = Report()
    for case in cases or CASES:
        random = np.random.default_rng(
            [seed, *case.name.encode()])
        for number in range(runs):
            inputs = case.draw(random)
            different = check(session, case, inputs, report)
            if different:
                report.differences.append(
                    f"{case.name}, run {number} of seed {seed}: {different}")
    return report


def check(session, case, inputs, report):
    """Run once and compare.

    Returns
    -------
    str or None
        How the run differs from what NumPy says.
    """
    counts = report.counts[case.name]
    counts["runs"] += 1
    counts["positions"] += case.positions(*inputs)
    want = fault = got = error = None
    try:
        want = case.expect(*inputs)
        counts["values"] += 1
    except Fault as caught:
        fault = caught
        counts["faults"] += 1
    try:
        got = session.run(case.name, inputs)
    except StatusError as caught:
        error = caught
    if fault or error:
        if fault and error and (fault.code, str(fault)) == (error.code,
                                                            str(error)):
            return None
        return f"expected {fault or 'a value'}, but got {error or 'a value'}"
    for number, (each, wanted) in enumerate(zip(got, want)):
        if not np.array_equal(each, wanted):
            return (f"result {number}: expected {np.asarray(wanted)}, but got "
                    f"{each}")
    return None
