"""What a run asks of Vulkan, as a layer below the runtime counts it."""

import json
import sys
from pathlib import Path

import numpy as np
from moe.config import LayerConfig
from moe.derivative import vjp_module
from moe.layer import layer_module
from moe.random import normal
from moe.reference import layer_vjp
from moe.testing import check_layer, check_values, layer_inputs

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


def test_sync_1_a_thousand_routings_need_one_recording(tools, count, build,
                                                       tmp_path):
    # Forward and backward of 8 tokens each. All that the host does for a run is
    # copy to and from memory that stays mapped, submit and wait once.
    config = LayerConfig(16, 6, 2, 12, return_routing=True)
    inputs = layer_inputs(config, 8000, 7)
    given = {**inputs, "dout": normal((8, 16), 1),
             "dweights": normal((8, 2), 2)}
    np.savez(tmp_path / "inputs.npz", **given)
    bundle = tools.compile(vjp_module(config, tools.moe_opt))
    counted = []
    for runs in (1, 1000):
        calls, printed = count(
            sys.executable, Path(__file__).with_name("session.py"),
            build / "lib/libmoe-runtime.so", bundle, tmp_path / "inputs.npz",
            ",".join(f"{8 * i}:{8 * i + 8}" for i in range(runs)),
            tmp_path / "outputs.npz")
        counted.append(calls)
        statistics = json.loads(printed.splitlines()[-1])
        assert statistics["recordings"] == 1
        assert statistics["submits"] == statistics["waits"] == runs
        assert calls["submits"] == calls["waits"] == runs
    assert counted[0]["maps"] == counted[1]["maps"]
    assert counted[0]["pipelines"] == counted[1]["pipelines"]

    with np.load(tmp_path / "outputs.npz") as outputs:
        routings = {outputs[f"{i}_2"].tobytes() for i in range(1000)}
        assert len(routings) == 1000
        for i in range(0, 1000, 50):
            own = {**inputs, "x": inputs["x"][8 * i:8 * i + 8]}
            results, gradients = layer_vjp(config, own, given["dout"],
                                           outputs[f"{i}_2"], given["dweights"])
            check_values(outputs[f"{i}_0"], results.out)
            for j, gradient in enumerate(gradients.values()):
                check_values(outputs[f"{i}_{3 + j}"], gradient,
                             row_tolerance=1e-3)
