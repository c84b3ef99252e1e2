"""The training demonstration, as its users start it."""

import re
import sys

import numpy as np
import pytest
from moe.train import learning_rate, main

pytest.importorskip("sklearn", reason="the digits come with scikit-learn")

SMALL = ["--hidden=32", "--intermediate=32", "--batch=128"]


@pytest.fixture(scope="module")
def bundle(tools, tmp_path_factory):
    """A compiled step of the small model."""
    path = tmp_path_factory.mktemp("train") / "step.moeb"
    assert main([*SMALL, "--epochs=1", "--least-accuracy=0",
                 f"--emit-bundle={path}"]) == 0
    return path


def test_reaches_95_percent(tools, tmp_path, capsys):
    plot, losses = tmp_path / "plot.png", tmp_path / "losses.npy"
    assert main([f"--plot={plot}", f"--losses={losses}"]) == 0
    out, err = capsys.readouterr()
    accuracy = float(re.search(r"held-out accuracy: (\d+\.\d)%", out)[1])
    assert accuracy >= 95
    low, high = re.search(r"last epoch's slots: (\d+\.\d)% to (\d+\.\d)%",
                          out).groups()
    # No expert is left out and none has it all: the balancing loss works.
    assert float(low) > 5 and float(high) < 25
    assert "460 steps and 20 evaluations took" in out and "480 submits" in out
    assert len(err.splitlines()) == 20 and "epoch  20/20 [####" in err
    assert np.load(losses).shape == (460,)
    assert plot.read_bytes().startswith(b"\x89PNG")
    assert plot.stat().st_size > 20_000


def test_one_submit_a_step(count, bundle):
    command = [sys.executable, "-m", "moe.train", *SMALL, "--epochs=2",
               "--quiet", "--least-accuracy=0", f"--bundle={bundle}"]
    calls, _ = count(*command)
    steps, evaluations = 2 * 12, 2
    assert calls["submits"] == calls["waits"] == steps + evaluations


def test_validation_is_clean(bundle, capsys):
    assert main([*SMALL, "--epochs=1", "--least-accuracy=0",
                 f"--bundle={bundle}", "--validate=sync"]) == 0
    assert "held-out accuracy" in capsys.readouterr().out


def test_low_accuracy_is_a_failure(bundle, capsys):
    assert main([*SMALL, "--epochs=1", f"--bundle={bundle}",
                 "--rate=0", "--least-accuracy=0.5"]) == 1
    assert "expected a held-out accuracy of at least 50.0%, but got" in \
        capsys.readouterr().err


@pytest.mark.parametrize("options, message", [
    (["--epochs=0"], "expected epochs to be at least 1, but got 0"),
    (["--bundle=a.moeb", "--target=lavapipe"],
     "expected a bundle or a target to compile for, but got both"),
    (["--batch=-3"], "expected batch to be at least 1, but got -3"),
    (["--top-k=9"], "expected top_k to be between 1 and 8 (experts), but got 9"),
])
def test_wrong_options(options, message, capsys):
    with pytest.raises(SystemExit) as raised:
        main(options)
    assert raised.value.code == 2
    assert message in capsys.readouterr().err


def test_missing_files(tools, capsys):
    assert main(["--bundle=/nowhere.moeb"]) == 2
    assert main(["--data=/nowhere.npz"]) == 2
    assert capsys.readouterr().err.count("No such file or directory") == 2


def test_learning_rate():
    rates = [learning_rate(step, 100, 0.5) for step in range(100)]
    assert rates[0] == pytest.approx(0.025) and max(rates) == 0.5
    assert np.diff(rates[:20]).min() > 0 > np.diff(rates[20:]).max()
    assert rates[-1] < 0.001
