"""Random functions with state, over runs of which some end with a fault."""

import numpy as np
import pytest
from moe.runtime import StatusError
from random_functions import Function
from stateful import open_session

FAULTS = [False, True, True, False, False]


@pytest.mark.parametrize("seed", range(40))
def test_runs_and_faults(tools, seed):
    function, draw = Function(seed), np.random.default_rng(seed)
    shapes = {function.square: (function.size,) * 2,
              function.flat: function.size**2, function.row: function.size}
    given = [draw.integers(-8, 8, shapes[function.types[name]]).astype(
        np.float32) for name in function.arguments]
    with open_session(tools, function.text()) as session:
        for run, fault in enumerate(FAULTS):
            inputs = [None if run and update is not None else value
                      for value, update in zip(given, function.updates)]
            inputs.append(np.int32([[0, 1], [2, 4 if fault else 3]]))
            if fault:
                with pytest.raises(StatusError, match="but got 4 at token 1"):
                    session.run("f", inputs)
                continue
            expected = function.values(given)
            for got, wanted in zip(session.run("f", inputs), expected):
                np.testing.assert_array_equal(got, wanted)
            given = [value if update is None else expected[update]
                     for value, update in zip(given, function.updates)]
