"""Each op of the dialect, with each attribute, by the adjoint identity."""

import re
from functools import partial

import numpy as np
import pytest
from adjoint import check_adjoint, differentiate
from adjoint_cases import CASES, FLOOR, build_case
from session import Session


def entry(name):
    return name.replace("-", "_")


@pytest.fixture(scope="module")
def session(tools, build):
    """The derivatives of all cases, by the name of each."""
    text = "".join(re.sub(r"@\w+\(", f"@{entry(name)}(",
                          build_case(name, "one")[1], count=1)
                   for name in CASES)
    session = Session(build / "lib/libmoe-runtime.so", tools.compile(
        differentiate(tools, text)), validate=True)
    yield session
    session.close()


@pytest.mark.parametrize("name", list(CASES))
def test_adjoint(session, name):
    run = partial(session.run, entry=f"{entry(name)}_vjp")
    random = np.random.default_rng(1)
    for kind in ("ragged", "none", "one", "same", "distinct"):
        routed, _, arguments, function = build_case(name, kind)
        check(run, routed, arguments, function, random, FLOOR[name])


def check(run, routed, arguments, function, random, floor):
    floats = [i for i, a in enumerate(arguments) if isinstance(a, tuple)]
    arguments = [random.normal(size=a).astype(np.float32)
                 if isinstance(a, tuple) else a for a in arguments]
    primal = function(*arguments)
    cotangents = [random.normal(size=r.shape).astype(np.float32)
                  for r in primal]
    given = [np.array(a) for a in arguments]
    for i in floats:
        if len(given[i]) == routed.rows > routed.slots[0] > 1:
            given[i][routed.plan.offsets[-1]:] = np.nan  # the tail isn't read
    got = run(*given, *cotangents)
    for value, expected in zip(got, primal):
        assert value.shape == expected.shape
        largest = max(np.abs(expected).max(initial=0), floor)
        assert (np.abs(value - expected) <= 1e-6 * largest).all()
    check_adjoint(function, arguments, cotangents,
                  dict(zip(floats, got[len(primal):])), floor=floor)
