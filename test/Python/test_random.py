"""moe.random is moe-run's random(SEED), bit by bit."""

import os
import subprocess
from pathlib import Path
from statistics import NormalDist

import numpy as np
import pytest

from moe.random import normal, ppnd16

_BUILD = Path(os.environ.get("MOE_BUILD",
                             Path(__file__).resolve().parents[2] / "build"))

# The unit test of moe-run has the same.
_GOLDEN = {0: 0x3f165b1c, 1: 0xbf817815, 2: 0x3f92d979, 3: 0x3fdd0f46,
           1000: 0xbde5769f, 999999: 0x3f567cb5}


def test_the_stream_of_seed_7_is_fixed():
    bits = normal(1000000, 7).view(np.uint32)
    assert {i: int(bits[i]) for i in _GOLDEN} == _GOLDEN


def test_an_element_depends_on_its_index_alone():
    assert np.array_equal(normal((7, 5), 3), normal(100, 3)[:35].reshape(7, 5))


def test_the_distribution_is_normal():
    values = np.sort(normal(200000, 11))
    expected = ppnd16((np.arange(values.size) + 0.5) / values.size)
    assert np.max(np.abs(values - expected)[100:-100]) < 0.1
    assert abs(values.mean()) < 0.01
    assert abs(values.std() - 1) < 0.01


def test_streams_differ():
    assert abs(np.corrcoef(normal(100000, 1), normal(100000, 2))[0, 1]) < 0.02


@pytest.mark.parametrize("u", [1e-300, 1e-20, 0.01, 0.075, 0.3, 0.5, 0.95,
                               1 - 1e-12])
def test_the_quantile_is_that_of_the_standard_library(u):
    expected = NormalDist().inv_cdf(u)
    assert abs(ppnd16(np.array([u]))[0] - expected) <= 1e-14 * max(
        1, abs(expected))


def test_scale_and_empty_shapes():
    assert np.array_equal(normal(9, 5, 0.5), normal(9, 5) * np.float32(0.5))
    assert normal((0, 4), 1).shape == (0, 4)


def test_moe_run_draws_the_same(tmp_path):
    tool, maker = _BUILD / "bin/moe-run", _BUILD / "bin/moe-test-bundle"
    if not tool.exists() or not maker.exists():
        pytest.skip("moe-run is not built")
    bundle, output = tmp_path / "test.moeb", tmp_path / "y.npy"
    subprocess.run([maker, bundle], check=True)
    done = subprocess.run(
        [tool, bundle, "--entry=double", "--input=1000000xf32=random(42)",
         f"--output={output}"], capture_output=True, text=True, timeout=60,
        check=False)
    if done.returncode == 3:
        pytest.skip("no Vulkan device")
    assert done.returncode == 0, done.stderr
    assert np.array_equal(np.load(output), normal(1000000, 42) * np.float32(2))
