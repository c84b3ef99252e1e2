"""Runs on the same inputs give the same bytes."""

from moe.config import LayerConfig
from moe.layer import layer_module
from moe.random import normal
from moe.testing import layer_inputs
from session import Session

CONFIG = LayerConfig(64, 16, 4, 96, scoring="sigmoid", renormalize=True,
                     shared_experts=1, bias=True, return_routing=True)


def test_twenty_processes_agree(tools):
    program = tools.compile(layer_module(CONFIG))
    inputs = layer_inputs(CONFIG, 257, 3).values()
    # One run in four has a pipeline cache; one is the last of several.
    options = [["--pipeline-cache=off"], [], ["--repeat=3"], ["--profile"]]
    results = {
        tuple(array.tobytes() for array in tools.run(
            program, *inputs, results=3, options=options[i % 4]))
        for i in range(20)}
    assert len(results) == 1


def test_a_hundred_runs_of_a_session_agree(tools, build):
    session = Session(build / "lib/libmoe-runtime.so",
                      tools.compile(layer_module(CONFIG)))
    inputs = layer_inputs(CONFIG, 257, 3)
    results = set()
    for i in range(100):
        if i % 10 == 9:  # leave other values behind
            session.run(normal((300, CONFIG.hidden), i),
                        *list(inputs.values())[1:])
        results.add(tuple(array.tobytes()
                          for array in session.run(*inputs.values())))
    session.close()
    assert len(results) == 1
