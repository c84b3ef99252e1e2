"""`run_layer`, `check_layer` and the demonstration, with a stand-in tool."""

import stat
import sys

import moe
import numpy as np
import pytest
from moe import demo
from moe.config import LayerConfig
from moe.testing import check_layer, layer_inputs, run_layer

pytest.importorskip("moe.random")  # the inputs' generator

CONFIG = LayerConfig(16, 4, 2, 8, renormalize=True, return_routing=True)
TOOL = """#!{python}
import sys
sys.path.insert(0, {package!r})
import numpy as np
from moe.config import LayerConfig
from moe.reference import layer
config = {config!r}
options = [a.split("=", 1) for a in sys.argv[2:] if "=" in a]
inputs = [np.load(v) for k, v in options if k == "--input"]
outputs = [v for k, v in options if k == "--output"]
inputs = dict(zip([name for name, _ in config.arguments()], inputs))
result = layer(config, inputs)
np.save(outputs[0], (result.out * {factor}).astype(np.float32))
np.save(outputs[1], result.weights.astype(np.float32))
np.save(outputs[2], result.indices)
print(" ".join(sys.argv[1:]))
sys.exit({status})
"""


@pytest.fixture
def make_tool(tmp_path):
    def make(config=CONFIG, factor=1.0, status=0):
        path = tmp_path / "moe-run"
        path.write_text(TOOL.format(
            python=sys.executable, package=f"{moe.__path__[0]}/..",
            config=config, factor=factor, status=status), encoding="utf-8")
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        return path
    return make


@pytest.mark.parametrize("tokens", [0, 5])
def test_good_layer_passes(make_tool, tmp_path, tokens):
    outputs = run_layer(make_tool(), CONFIG, tokens, 3, tmp_path)
    check_layer(outputs, layer_inputs(CONFIG, tokens, 3), CONFIG)
    assert (tmp_path / "layer.mlir").exists()


def test_wrong_layer_fails(make_tool, tmp_path):
    outputs = run_layer(make_tool(factor=1.001), CONFIG, 5, 3, tmp_path)
    with pytest.raises(AssertionError, match="expected a relative error"):
        check_layer(outputs, layer_inputs(CONFIG, 5, 3), CONFIG)


def test_failing_tool_is_reported(make_tool, tmp_path):
    with pytest.raises(RuntimeError, match="(?s)exit status 3.*--validate=gpu"):
        run_layer(make_tool(status=3), CONFIG, 5, 3, tmp_path, "gpu")


def test_bundle_and_options_reach_the_tool(make_tool, tmp_path):
    with pytest.raises(RuntimeError, match="(?s)layer.moeb.*--device=1"):
        run_layer(make_tool(status=1), CONFIG, 5, 3, tmp_path,
                  bundle=tmp_path / "layer.moeb", options=["--device=1"])
    assert not (tmp_path / "layer.mlir").exists()


def test_inputs_are_scaled_and_independent():
    config = LayerConfig(64, 4, 2, 32, bias=True, shared_experts=2)
    inputs = layer_inputs(config, 100, 1)
    assert list(inputs) == [name for name, _ in config.arguments()]
    assert all(array.dtype == np.float32 for array in inputs.values())
    for name, fan_in in (("x", 1), ("router", 64), ("w_gate_up", 64),
                         ("w_down", 32), ("w_shared_gate_up", 64),
                         ("w_shared_down", 64), ("b_gate_up", 100)):
        assert inputs[name].std() * fan_in**0.5 == pytest.approx(1, abs=0.15)
    again = layer_inputs(config, 7, 1)
    assert (again["w_down"] == inputs["w_down"]).all()
    assert not (layer_inputs(config, 7, 2)["w_down"] == inputs["w_down"]).any()


@pytest.mark.parametrize("factor, status, verdict", [
    (1.0, 0, "passed"), (1.001, 1, "FAILED")])
def test_demo(make_tool, capfd, factor, status, verdict):
    tool = make_tool(factor=factor)
    assert demo.main([f"--moe-run={tool}", "--tokens=5", "--hidden=16",
                      "--experts=4", "--top-k=2", "--intermediate=8"]) == status
    out = capfd.readouterr().out
    assert "--profile" in out and out.endswith(f"{verdict}\n")
    assert [f"[{n}/4]" in out for n in (1, 2, 3, 4)] == [True] * 4


def test_demo_passes_the_tools_status_on(make_tool):
    tool = make_tool(status=3)
    assert demo.main([f"--moe-run={tool}", "--tokens=5", "--hidden=16",
                      "--experts=4", "--top-k=2", "--intermediate=8"]) == 3


def test_demo_without_a_tool(tmp_path, capfd):
    assert demo.main([f"--moe-run={tmp_path / 'none'}", "--tokens=1",
                      "--hidden=4", "--experts=2", "--top-k=1",
                      "--intermediate=4"]) == 2
    assert "cannot run" in capfd.readouterr().err
