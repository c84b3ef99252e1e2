"""The printed module: its whole text once, and what each option changes."""

import subprocess
from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest
from moe.layer import LayerConfig, layer_module, main
from moe.printer import f64

BASE = LayerConfig(hidden=64, experts=8, top_k=2, intermediate=128)
SIGNATURE = ("func.func @layer(%x: tensor<?x64xf32>, %router: tensor<64x8xf32>,"
             " %w_gate_up: tensor<8x256x64xf32>,"
             " %w_down: tensor<8x64x128xf32>) -> tensor<?x64xf32> {")
EVERYTHING = replace(
    BASE, bias=True, correction_bias=True, shared_experts=2, groups=4,
    selected_groups=2, scoring="sigmoid", renormalize=True, scale=2.5,
    renormalize_epsilon=1e-20, renormalize_floor=1e-12,
    interleaved_gate_up=True, return_routing=True)


@pytest.mark.parametrize("name, config", [("swiglu", BASE),
                                          ("every-option", EVERYTHING)])
def test_whole_module(name, config):
    golden = Path(__file__).parent / "golden" / f"{name}.golden"
    assert layer_module(config) == golden.read_text(encoding="utf-8")


def signature(**options):
    text = layer_module(replace(BASE, **options))
    return next(s for s in text.splitlines() if s.startswith("func.func"))


def test_plain_signature():
    assert signature() == SIGNATURE


@pytest.mark.parametrize("options, arguments", [
    ({"activation": "gelu", "bias": True},
     "%w_gate_up: tensor<8x128x64xf32>, %w_down: tensor<8x64x128xf32>, "
     "%b_gate_up: tensor<8x128xf32>, %b_down: tensor<8x64xf32>)"),
    ({"bias": True, "correction_bias": True, "shared_experts": 3},
     "%b_gate_up: tensor<8x256xf32>, %b_down: tensor<8x64xf32>, "
     "%correction_bias: tensor<8xf32>, "
     "%w_shared_gate_up: tensor<768x64xf32>, "
     "%w_shared_down: tensor<64x384xf32>)"),
    ({"activation": "relu2", "shared_experts": 1},
     "%w_shared_gate_up: tensor<128x64xf32>, %w_shared_down: "
     "tensor<64x128xf32>)"),
    ({"return_routing": True},
     "-> (tensor<?x64xf32>, tensor<?x2xf32>, tensor<?x2xi32>) {"),
])
def test_options_extend_the_signature(options, arguments):
    assert arguments in signature(**options)


@pytest.mark.parametrize("options, attributes", [
    ({}, "{top_k = 2 : i64}"),
    ({"renormalize": True}, "{top_k = 2 : i64, renormalize}"),
    ({"renormalize": True, "renormalize_epsilon": 1e-20},
     "{top_k = 2 : i64, renormalize, epsilon = 1.0e-20 : f64}"),
    ({"renormalize": True, "renormalize_floor": 0.5},
     "{top_k = 2 : i64, renormalize, floor = 0.5 : f64}"),
    ({"scoring": "sigmoid", "scale": 2.5},
     "{top_k = 2 : i64, scoring = #moe.scoring<sigmoid>, scale = 2.5 : f64}"),
    ({"groups": 4, "selected_groups": 2},
     "{top_k = 2 : i64, groups = 4 : i64, selected_groups = 2 : i64, "
     "group_score = #moe.group_score<top2_sum>}"),
    ({"groups": 8, "selected_groups": 2, "group_score": "max"},
     "{top_k = 2 : i64, groups = 8 : i64, selected_groups = 2 : i64}"),
])
def test_route_attributes(options, attributes):
    text = layer_module(replace(BASE, **options))
    assert f"moe.route %logits {attributes}\n" in text


def test_interleaved_rows_are_strided_slices():
    text = layer_module(replace(BASE, interleaved_gate_up=True))
    assert "%hidden[0, 0] [%slots, 128] [1, 2]" in text
    assert "%hidden[0, 1] [%slots, 128] [1, 2]" in text


def test_float_literals_have_a_point():
    assert [f64(x) for x in (1, 2.5, 1e-5, 1e30)] == [
        "1.0 : f64", "2.5 : f64", "1.0e-05 : f64", "1.0e+30 : f64"]


def test_command_line_prints_the_module(capsys):
    main(["--hidden=64", "--experts=8", "--top-k=2", "--intermediate=128"])
    assert capsys.readouterr().out == layer_module(BASE)
    main(["--hidden=64", "--experts=8", "--top-k=2", "--intermediate=128",
          "--bias", "--correction-bias", "--shared-experts=2", "--groups=4",
          "--selected-groups=2", "--scoring=sigmoid", "--renormalize",
          "--renormalize-epsilon=1e-20", "--renormalize-floor=1e-12",
          "--scale=2.5", "--interleaved-gate-up", "--return-routing"])
    assert capsys.readouterr().out == layer_module(EVERYTHING)


@pytest.mark.parametrize("activation", ["swiglu", "gelu", "relu2"])
def test_every_combination_verifies(moe_opt, activation):
    modules = []
    for bias, correction, shared, grouped, interleaved, routing, sigmoid in \
            product([False, True], repeat=7):
        if interleaved and activation != "swiglu":
            continue
        modules.append(layer_module(replace(
            BASE, activation=activation, bias=bias, correction_bias=correction,
            shared_experts=2 * shared, interleaved_gate_up=interleaved,
            groups=4 if grouped else None, return_routing=routing,
            selected_groups=2 if grouped else None, renormalize=sigmoid,
            scoring="sigmoid" if sigmoid else "softmax")))
    # One process for all of them: most of the time is its start.
    done = subprocess.run([moe_opt, "-split-input-file", "-verify-each"],
                          input="// -----\n".join(modules), text=True,
                          capture_output=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("name, limit, fault", [
    ("MAX_TOP_K", {"top_k": 32}, "(dim 1) in [1, 32], but got 33"),
    ("MAX_EXPERTS", {"experts": 1024}, "(dim 1) in [1, 1024], but got 1025")])
def test_limits_are_those_of_the_compiler(moe_opt, monkeypatch, name, limit,
                                          fault):
    (option, most), = limit.items()
    config = replace(BASE, **{"experts": 64, **limit})
    subprocess.run([moe_opt], input=layer_module(config), text=True,
                   capture_output=True, check=True)
    monkeypatch.setattr(f"moe.config.{name}", most + 1)
    config = replace(config, **{option: most + 1})
    done = subprocess.run([moe_opt], input=layer_module(config), text=True,
                          capture_output=True, check=False)
    assert done.returncode == 1 and fault in done.stderr
