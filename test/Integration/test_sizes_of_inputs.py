"""Dynamic sizes that operations tie together are checked before a run."""

import modules
import numpy as np
import pytest
from moe.reference import plan

PLAN = plan(np.random.default_rng(1).integers(0, 4, (8, 2), np.int32), 4)
MAPS = (PLAN.offsets, PLAN.slot_to_row, PLAN.row_to_slot)
X, ROWS = np.ones((8, 4), np.float32), np.ones((16, 4), np.float32)
WEIGHTS = np.ones((8, 2), np.float32)

CASES = {
    "dispatch": (modules.dispatch(4, 4, 2, weighted=True),
                 (X, *MAPS, WEIGHTS)),
    "combine": (modules.combine(4, 4, 2), (ROWS, *MAPS, WEIGHTS)),
}


@pytest.mark.parametrize("name, position, message", [
    ("dispatch", 0, "dim 0 of input 2 to equal 7 (dim 0 of input 0), "
     "but got 8"),
    ("dispatch", 1, "dim 0 of input 1 to equal 5, but got 4"),
    ("dispatch", 2, "dim 0 of input 2 to equal 8 (dim 0 of input 0), "
     "but got 7"),
    ("dispatch", 3, "dim 0 of input 3 to equal 16, but got 15"),
    ("dispatch", 4, "dim 0 of input 4 to equal 8 (dim 0 of input 0), "
     "but got 7"),
    ("combine", 0, "dim 0 of input 0 to equal 16, but got 15"),
    ("combine", 3, "dim 0 of input 3 to equal 16, but got 15"),
    ("combine", 4, "dim 0 of input 4 to equal 8 (dim 0 of input 2), "
     "but got 7")])
def test_an_input_that_is_too_short_is_named(tools, name, position, message):
    text, inputs = CASES[name]
    inputs = list(inputs)
    inputs[position] = inputs[position][:-1]
    assert tools.fault(text, *inputs, status=2) == f"expected {message}"


@pytest.mark.parametrize("name", CASES)
def test_sizes_that_agree_are_taken(tools, name):
    text, inputs = CASES[name]
    tools.run(text, *inputs)
