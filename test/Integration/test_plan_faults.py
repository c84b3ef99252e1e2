"""Indices that name no expert."""

import modules
import numpy as np
import pytest


def indices_with(value, token, choice, shape=(100, 4)):
    indices = np.random.default_rng(3).integers(0, 8, shape, np.int32)
    indices[token, choice] = value
    return indices


@pytest.mark.parametrize("value", [-1, 8, 2**31 - 1, -2**31])
def test_a_bad_index_ends_the_run_and_is_named(tools, value):
    message = tools.fault(modules.plan(8, 4), indices_with(value, 57, 2),
                          status=3)
    assert message == ("kernel 'plan': expected an expert in [0, 8), but got "
                       f"{value} at token 57, slot 2")


def test_the_first_of_several_bad_indices_is_named(tools):
    indices = indices_with(-1, 2999, 3, (3000, 4))
    indices[1234, 1], indices[1234, 2], indices[2000, 0] = 9, 10, -7
    message = tools.fault(modules.plan(8, 4), indices, status=3)
    assert message.endswith("but got 9 at token 1234, slot 1")


def test_a_mask_is_no_fault_where_slots_may_be_dropped(tools):
    tools.run(modules.plan(8, 4, drop=True), indices_with(-1, 57, 2),
              results=4)


def test_a_fault_does_not_spoil_the_next_run(tools):
    program = tools.compile(modules.plan(8, 4))
    tools.fault(program, indices_with(8, 0, 0), status=3)
    tools.run(program, indices_with(7, 0, 0), results=4)
