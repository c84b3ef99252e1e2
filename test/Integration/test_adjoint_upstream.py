"""The rules of upstream ops on a device, by the adjoint identity.

The same functions as those of the tests in f64, whose library gives J v.
"""

import numpy as np
import pytest
from adjoint import check_adjoint, differentiate
from derivative_cases import CASES, module, shapes
from native import call, compile_module
from session import Session

# Slopes of powers and logarithms have errors of several units.
_TOLERANCE = 4e-6


@pytest.fixture(scope="module")
def library(tools, tmp_path_factory):
    return compile_module(tools.moe_opt, module(), ["--moe-normalize-ops"],
                          tmp_path_factory.mktemp("adjoint"))


@pytest.fixture(scope="module")
def session(tools, build):
    """The derivatives of all functions: f_<name>_vjp."""
    bundle = tools.compile(differentiate(tools, module("f32")))
    session = Session(build / "lib/libmoe-runtime.so", bundle, validate=True)
    yield session
    session.close()


@pytest.mark.parametrize("name", list(CASES))
def test_adjoint(session, library, name):
    arguments, results = shapes(name)
    random = np.random.default_rng(1)
    inputs = [random.uniform(0.5, 2.0, shape).astype(np.float32)
              for shape in arguments]
    w = [random.normal(size=shape).astype(np.float32) for shape in results]
    got = session.run(*inputs, *w, entry=f"f_{name}_vjp")

    def function(*values):
        return call(library, f"f_{name}", values, results)

    for value, expected in zip(got, function(*inputs)):
        np.testing.assert_allclose(value, expected, rtol=2e-6, atol=1e-6)
    check_adjoint(function, inputs, w, dict(enumerate(got[len(results):])),
                  tolerance=_TOLERANCE)
