"""Each wrong option has a message that says what was expected and got."""

import subprocess
import sys

import pytest
from moe.config import LayerConfig
from moe.layer import main

GOOD = {"hidden": 64, "experts": 8, "top_k": 2, "intermediate": 128}
FAULTS = [
    ({"hidden": 0}, "expected hidden to be at least 1, but got 0"),
    ({"experts": 0}, "expected experts to be between 1 and 1024, but got 0"),
    ({"experts": 1025},
     "expected experts to be between 1 and 1024, but got 1025"),
    ({"top_k": 0}, "expected top_k to be between 1 and 8 (experts), but got 0"),
    ({"top_k": 9}, "expected top_k to be between 1 and 8 (experts), but got 9"),
    ({"experts": 64, "top_k": 33},
     "expected top_k to be between 1 and 32, but got 33"),
    ({"renormalize": True, "renormalize_epsilon": -1e-20},
     "expected renormalize_epsilon to be 0, or positive and normal as an f32, "
     "but got -1e-20"),
    ({"renormalize": True, "renormalize_floor": 1e-40},
     "expected renormalize_floor to be 0, or positive and normal as an f32, "
     "but got 1e-40"),
    ({"renormalize": True, "renormalize_floor": float("nan")},
     "expected renormalize_floor to be 0, or positive and normal as an f32, "
     "but got nan"),
    ({"renormalize_epsilon": 1e-20},
     "expected renormalize with renormalize_epsilon, but got "
     "renormalize_epsilon = 1e-20 without it"),
    ({"intermediate": -1},
     "expected intermediate to be at least 1, but got -1"),
    ({"activation": "tanh"}, "expected activation to be one of swiglu, gelu, "
                             "relu2, but got tanh"),
    ({"scoring": "tanh"},
     "expected scoring to be one of softmax, sigmoid, but got tanh"),
    ({"scale": 0.0}, "expected scale to be finite and positive, but got 0.0"),
    ({"scale": float("nan")},
     "expected scale to be finite and positive, but got nan"),
    ({"shared_experts": -1},
     "expected shared_experts to be at least 0, but got -1"),
    ({"groups": 4},
     "expected both groups and selected_groups, but got only groups"),
    ({"selected_groups": 4},
     "expected both groups and selected_groups, but got only selected_groups"),
    ({"groups": 3, "selected_groups": 1},
     "expected groups to divide 8 (experts), but got 3"),
    ({"groups": 16, "selected_groups": 1},
     "expected groups to be between 1 and 8 (experts), but got 16"),
    ({"groups": 4, "selected_groups": 5},
     "expected selected_groups to be between 1 and 4 (groups), but got 5"),
    ({"groups": 4, "selected_groups": 1, "top_k": 3},
     "expected top_k to be at most 2 (experts of the selected groups), "
     "but got 3"),
    ({"groups": 8, "selected_groups": 2, "group_score": "top2_sum"},
     "expected at least 2 experts in a group for group_score top2_sum, "
     "but got 1"),
    ({"group_score": "mean"},
     "expected group_score to be one of max, top2_sum, but got mean"),
    ({"interleaved_gate_up": True, "activation": "gelu"},
     "expected activation swiglu with interleaved gate and up rows, "
     "but got gelu"),
]


@pytest.mark.parametrize("options, message", FAULTS)
def test_config_fault(options, message):
    with pytest.raises(ValueError) as caught:
        LayerConfig(**{**GOOD, **options})
    assert str(caught.value) == message


@pytest.mark.parametrize("value", [1.5, "64", None, True])
def test_size_that_is_no_integer(value):
    with pytest.raises(ValueError, match="expected hidden to be an integer, "
                                         f"but got {value!r}"):
        LayerConfig(**{**GOOD, "hidden": value})


@pytest.mark.parametrize("options, message", FAULTS)
def test_command_line_fault(options, message, capsys):
    arguments = []
    for name, value in {**GOOD, **options}.items():
        option = f"--{name.replace('_', '-')}"
        arguments.append(option if value is True else f"{option}={value}")
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    assert caught.value.code == 2
    assert f"error: {message}\n" in capsys.readouterr().err


@pytest.mark.parametrize("argument, message", [
    ("--hidden=many", "--hidden: expected an integer, but got 'many'"),
    ("--scale=big", "--scale: expected a number, but got 'big'"),
    ("--hid=64", "unrecognized arguments: --hid=64"),
])
def test_malformed_command_line(argument, message, capsys):
    with pytest.raises(SystemExit) as caught:
        main(["--hidden=64", "--experts=8", "--top-k=2", "--intermediate=128",
              argument])
    assert caught.value.code == 2 and message in capsys.readouterr().err


def test_module_runs_as_a_program():
    import moe
    done = subprocess.run(
        [sys.executable, "-m", "moe.layer", "--hidden=64", "--experts=8"],
        cwd=f"{moe.__path__[0]}/..", capture_output=True, text=True,
        check=False)
    assert done.returncode == 2 and not done.stdout
    assert "required: --top-k, --intermediate" in done.stderr
