"""The rules of upstream ops, compiled in f64, against central differences."""

import numpy as np
import pytest
from derivative_cases import CASES, module, shapes
from native import call, compile_module

STEP = 1e-6


@pytest.fixture(scope="module")
def library(moe_opt, tmp_path_factory):
    passes = [f"--moe-differentiate=function=f_{name}" for name in CASES]
    return compile_module(moe_opt, module(), [*passes, "--moe-normalize-ops"],
                          tmp_path_factory.mktemp("rules"))


@pytest.mark.parametrize("name", list(CASES))
def test_against_central_differences(library, name):
    arguments, results = shapes(name)
    random = np.random.default_rng(1)
    inputs = [random.uniform(0.5, 2.0, shape) for shape in arguments]
    cotangents = [random.normal(size=shape) for shape in results]
    got = call(library, f"f_{name}_vjp", [*inputs, *cotangents],
               [*results, *arguments])
    for value, expected in zip(got, call(library, f"f_{name}", inputs, results)):
        np.testing.assert_array_equal(value, expected)
    for number, gradient in enumerate(got[len(results):]):
        for at in np.ndindex(*gradient.shape):
            ends = []
            for sign in (1, -1):
                moved = [a.copy() for a in inputs]
                moved[number][at] += sign * STEP
                ends.append(sum((v * c).sum() for v, c in zip(
                    call(library, f"f_{name}", moved, results), cotangents)))
            difference = (ends[0] - ends[1]) / (2 * STEP)
            assert gradient[at] == pytest.approx(difference, rel=1e-6,
                                                 abs=1e-6), (number, at)


def test_equal_maxima_share_the_gradient(library):
    x = np.ones((3, 4))
    _, gradient = call(library, "f_reduce_max_vjp", [x, np.full(4, 6.0)],
                       [(4,), (3, 4)])
    np.testing.assert_array_equal(gradient, np.full((3, 4), 2.0))


def test_a_vanished_gradient_stays_zero_where_exp_overflows(library):
    x = np.full((3, 4), 1000.0)
    _, gradient = call(library, "f_exp_vjp", [x, np.zeros((3, 4))],
                       [(3, 4), (3, 4)])
    np.testing.assert_array_equal(gradient, 0.0)


def test_the_slope_of_an_exponentials_gradient_where_that_is_0(second):
    x, none = np.full((3, 4), 1.5), np.zeros((3, 4))
    *_, dx, dg = call(second, "f_exp_vjp_vjp", [x, none, none, none + 1],
                      [(3, 4)] * 4)
    np.testing.assert_array_equal(dx, 0)
    np.testing.assert_allclose(dg, np.exp(x), rtol=1e-15)


@pytest.fixture(scope="module")
def second(moe_opt, tmp_path_factory):
    """The derivatives of derivatives: f_<name>_vjp_vjp."""
    passes = [f"--moe-differentiate=function=f_{name}{end}"
              for end in ("", "_vjp") for name in CASES]
    return compile_module(moe_opt, module(), [*passes, "--moe-normalize-ops"],
                          tmp_path_factory.mktemp("second"))


@pytest.mark.parametrize("name", list(CASES))
def test_second_derivative(second, name):
    arguments, results = shapes(name)
    taken, given = [*arguments, *results], [*results, *arguments]
    random = np.random.default_rng(2)
    inputs = [random.uniform(0.5, 2.0, shape) for shape in taken]
    cotangents = [random.normal(size=shape) for shape in given]
    got = call(second, f"f_{name}_vjp_vjp", [*inputs, *cotangents],
               [*given, *taken])[len(given):]

    def first(values):
        return sum((v * c).sum() for v, c in zip(
            call(second, f"f_{name}_vjp", values, given), cotangents))

    # Along some directions, by the larger step that two differences allow.
    for _ in range(3):
        along = [random.normal(size=shape) for shape in taken]
        ends = [first([v + sign * STEP * d for v, d in zip(inputs, along)])
                for sign in (1, -1)]
        difference = (ends[0] - ends[1]) / (2 * STEP)
        slope = sum((g * d).sum() for g, d in zip(got, along))
        size = sum(np.abs(g * d).sum() for g, d in zip(got, along))
        assert abs(slope - difference) <= 1e-6 * (size + 1)
