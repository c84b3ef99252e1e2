"""What `python3 -m moe.training` prints."""

import re

import pytest
from moe.training import main

SIZES = ["--features=6", "--classes=3", "--hidden=8", "--experts=4",
         "--top-k=2", "--intermediate=5"]


@pytest.fixture
def module(moe_opt, monkeypatch, capsys):
    """Gives the module for some options."""
    monkeypatch.setenv("MOE_BUILD", str(moe_opt.parents[1]))

    def run(*options):
        main([*SIZES, *options])
        return capsys.readouterr().out

    return run


def test_functions_and_state(module):
    text = module()
    assert re.findall(r"func\.func( private)? @(\w+)\(", text) == [
        ("", "train_step"), ("", "evaluate")]
    # n, then the parameters and their means in the order of the results.
    state = re.findall(r"moe\.aliases_result = (\d+) : i64, "
                       r'moe\.name = "(\w+)"', text)
    names = ["w_in", "b_in", "router", "w_gate_up", "w_down", "w_out", "b_out"]
    assert state == [(str(4 + i), name) for i, name in enumerate(
        ["n", *names, *(f"m_{n}" for n in names), *(f"v_{n}" for n in names)])]


@pytest.mark.parametrize("option, constant", [
    # 1 - β
    ("--beta1=0.28125", "7.187500e-01"), ("--beta2=0.34375", "6.562500e-01"),
    ("--epsilon=0.4375", "4.375000e-01"), ("--decay=0.375", "3.750000e-01"),
    ("--z=0.1875", "1.875000e-01"),
    ("--balance=0.15625", "6.250000e-01"),  # times the experts
])
def test_factors(module, option, constant):
    assert f"arith.constant {constant} : f32" in module(option)
    assert f"arith.constant {constant} : f32" not in module("--scale=1.25")


@pytest.mark.parametrize("option", ["--bias", "--shared-experts=1",
                                    "--correction-bias", "--return-routing"])
def test_layers_that_are_refused(option, capsys):
    with pytest.raises(SystemExit) as raised:
        main([*SIZES, option])
    assert raised.value.code == 2
    assert "expected a layer without bias" in capsys.readouterr().err
