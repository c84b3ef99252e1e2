"""Runs programs with state: several runs of one session against NumPy."""

import numpy as np
from moe.runtime import Session


def open_session(tools, program):
    """A session of a module's text or of a bundle, under validation."""
    if isinstance(program, str):
        program = tools.compile(program)
    library = tools.moe_run.parents[1] / "lib/libmoe-runtime.so"
    return Session(program.read_bytes(), validate="sync", library=library)


def check_steps(tools, program, inputs, step, runs=3, session=open_session):
    """Compare each of several runs with what NumPy makes of the last state.

    Parameters
    ----------
    tools : Tools
    program : str or Path
        Of the function `f`.
    inputs : sequence of numpy.ndarray
        Those that are state are given to the first run only.
    step : callable
        Gives the results for the values of all inputs.
    runs : int
    session : callable
        As `open_session`.
    """
    values = [np.asarray(value) for value in inputs]
    with session(tools, program) as opened:
        updates = opened.programs["f"].updates
        for run in range(runs):
            results = opened.run("f", [
                None if run and output is not None else value
                for value, output in zip(inputs, updates)])
            expected = step(*values)
            assert len(results) == len(expected)
            for got, wanted in zip(results, expected):
                np.testing.assert_array_equal(got, wanted)
            values = [value if output is None else expected[output]
                      for value, output in zip(values, updates)]


def state(output):
    """The attribute of an argument that the result of a number updates."""
    return f"{{moe.aliases_result = {output} : i64}}"
