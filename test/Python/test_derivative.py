"""The derivative of a printed layer, and the number of bytes it saves."""

import re

import pytest
from moe.config import LayerConfig
from moe.derivative import vjp_module
from moe.find import find_tool
from moe.layer import layer_module, main
from native import run

ARGUMENTS = ["--hidden=64", "--experts=8", "--top-k=2", "--intermediate=32"]
SIGNATURE = (
    "func.func @layer_vjp(%arg0: tensor<?x64xf32>, %arg1: tensor<64x8xf32>, "
    "%arg2: tensor<8x64x64xf32>, %arg3: tensor<8x64x32xf32>, "
    "%arg4: tensor<?x64xf32>) -> (tensor<?x64xf32>, tensor<?x64xf32>, "
    "tensor<64x8xf32>, tensor<8x64x64xf32>, tensor<8x64x32xf32>) {")


def test_command_line(moe_opt, monkeypatch, capsys):
    monkeypatch.setenv("MOE_BUILD", str(moe_opt.parents[1]))
    assert find_tool("moe-opt").resolve() == moe_opt
    main([*ARGUMENTS, "--vjp"])
    text = capsys.readouterr().out
    assert SIGNATURE in text and text.count("func.func") == 1


def test_without_the_tool(monkeypatch, tmp_path, capsys):
    monkeypatch.setenv("MOE_BUILD", str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SystemExit, match="expected the tool moe-opt in"):
        main([*ARGUMENTS, "--vjp"])
    assert not capsys.readouterr().out


def test_float_results_alone_have_a_gradient(moe_opt):
    config = LayerConfig(64, 8, 2, 32, return_routing=True)
    text = vjp_module(config, moe_opt)
    assert ("%arg4: tensor<?x64xf32>, %arg5: tensor<?x2xf32>) -> "
            "(tensor<?x64xf32>, tensor<?x2xf32>, tensor<?x2xi32>, ") in text


@pytest.mark.parametrize("experts, top_k, intermediate", [
    (8, 2, 96), (16, 4, 48), (32, 8, 24)])
@pytest.mark.parametrize("renormalize", [False, True])
def test_minimal_saves_the_input_and_the_hidden_values(
        moe_opt, experts, top_k, intermediate, renormalize):
    config = LayerConfig(64, experts, top_k, intermediate,
                         renormalize=renormalize)
    text = run(moe_opt, "--moe-differentiate=mode=split save=minimal",
               data=layer_module(config))
    results = re.search(r"@layer_fwd\(.*?\) -> \((.*)\) \{", text)[1]
    residuals = results.split(", ")[1:]
    # weights, indices, offsets, slot_to_row, row_to_slot: the routing
    routing = [f"tensor<?x{top_k}xf32>", f"tensor<?x{top_k}xi32>",
               f"tensor<{experts + 1}xi32>", f"tensor<?x{top_k}xi32>",
               "tensor<?xi32>"]
    assert residuals == [*routing, f"tensor<?x{2 * intermediate}xf32>"]
    # T·K rows of 2·I hidden values, and x: 4 · (H + 2·K·I) bytes for a token.
    hidden = int(re.search(r"x(\d+)xf32", residuals[-1])[1])
    assert 4 * (64 + top_k * hidden) == 4 * (64 + 2 * 192)


@pytest.mark.parametrize("save", ["all", "minimal"])
@pytest.mark.parametrize("options", [
    {}, {"renormalize": True, "bias": True},
    {"scoring": "sigmoid", "correction_bias": True, "groups": 2,
     "selected_groups": 1, "shared_experts": 1, "return_routing": True}])
def test_plan_1_backward_uses_the_saved_plan(moe_opt, save, options):
    text = layer_module(LayerConfig(64, 8, 2, 32, **options))
    split = run(moe_opt, f"--moe-differentiate=mode=split save={save}",
                data=text)
    backward = split.split("@layer_bwd(")[1]
    joint = run(moe_opt, f"--moe-differentiate=save={save}",
                data=text).split("@layer_vjp(")[1]
    for op in ("moe.route %", "moe.plan %"):
        assert op not in backward
        assert joint.count(op) == 1
    # Rows move by offsets that the function is given.
    offsets = set(re.findall(r"moe\.(?:dispatch|combine) %\w+, (%\w+),",
                             backward))
    assert len(offsets) == 1 and offsets.pop().startswith("%arg")
