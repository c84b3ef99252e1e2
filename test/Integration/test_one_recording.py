"""What a run asks of Vulkan, as a layer below the runtime counts it."""

import json
import sys
from pathlib import Path

import numpy as np
from moe.config import LayerConfig
from moe.layer import layer_module
from moe.testing import check_layer, layer_inputs

CONFIG = LayerConfig(64, 4, 2, 128, return_routing=True)


def test_a_run_is_one_submit_and_one_wait(tools, count):
    # Without the validation layer's own calls.
    program = tools.compile(layer_module(CONFIG))
    pipelines = set()
    for tokens in (7, 513):
        inputs = layer_inputs(CONFIG, tokens, 7).values()
        command = tools.command(program, *inputs, validate=False)
        once, _ = count(*command)
        often, _ = count(*command, "--repeat=6", "--warmup=3")
        assert (once["submits"], once["waits"]) == (1, 1)
        assert (often["submits"], often["waits"]) == (9, 9)
        assert often["maps"] == once["maps"]
        pipelines |= {once["pipelines"], often["pipelines"]}
    assert len(pipelines) == 1


def test_another_number_of_tokens_needs_no_pipeline(tools, count, build,
                                                    tmp_path):
    bundle = tools.compile(layer_module(CONFIG))
    inputs = layer_inputs(CONFIG, 513, 7)
    np.savez(tmp_path / "inputs.npz", **inputs)
    runs = [7, 513, 7, 513, 7, 0, 513]
    calls, printed = count(
        sys.executable, Path(__file__).with_name("session.py"),
        build / "lib/libmoe-runtime.so", bundle, tmp_path / "inputs.npz",
        ",".join(map(str, runs)), tmp_path / "outputs.npz")
    statistics = [json.loads(line) for line in printed.splitlines()]
    every_run = list(range(1, len(runs) + 1))
    assert [s["submits"] for s in statistics] == every_run
    assert [s["waits"] for s in statistics] == every_run
    # One recording for each number of tokens, replayed once memory has grown.
    assert [s["recordings"] for s in statistics][1:] == [2, 3, 3, 3, 4, 4]
    assert len({s["pipelines"] for s in statistics}) == 1
    assert calls["pipelines"] == statistics[0]["pipelines"]
    assert calls["submits"] == calls["waits"] == len(runs)

    names = [name for name, _, _ in CONFIG.results()]
    with np.load(tmp_path / "outputs.npz") as outputs:
        for i, tokens in enumerate(runs):
            got = {name: outputs[f"{i}_{j}"] for j, name in enumerate(names)}
            check_layer(got, {**inputs, "x": inputs["x"][:tokens]}, CONFIG)
