"""Finds the package, the tools and a device."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

_ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(_ROOT / "python"))
# The functions of upstream ops, and what compiles them for the CPU.
sys.path.append(str(_ROOT / "test/Python"))

from harness import Tools, run_tool  # noqa: E402, after the path is set
from session import Session  # noqa: E402


@pytest.fixture(scope="session")
def build():
    path = Path(os.environ.get("MOE_BUILD", _ROOT / "build")).resolve()
    if not (path / "bin/moe-run").exists():
        pytest.skip(f"there is no moe-run in {path / 'bin'}")
    return path


@pytest.fixture(scope="session")
def tools(build, tmp_path_factory):
    """The tools, on a machine that has a Vulkan device."""
    listed = subprocess.run([build / "bin/moe-run", "--list-devices"],
                            capture_output=True, text=True, check=False)
    if listed.returncode:
        pytest.skip(f"there is no Vulkan device: {listed.stderr.strip()}")
    return Tools(build, tmp_path_factory.mktemp("tools"))


@pytest.fixture
def count(build, tmp_path):
    """Runs a command and gives the calls that it made."""
    layer = build / "test/Runtime/CountingLayer"
    if not (layer / "libVkLayer_moe_counting.so").exists():
        pytest.skip(f"there is no counting layer in {layer}")

    def run(*command):
        counts = tmp_path / "counts.json"
        counts.unlink(missing_ok=True)
        env = {**os.environ, "VK_LAYER_PATH": str(layer),
               "VK_INSTANCE_LAYERS": "VK_LAYER_MOE_counting",
               "MOE_COUNTING_LAYER_FILE": str(counts)}
        env["PYTHONPATH"] = os.pathsep.join(sys.path)
        printed = run_tool(command, env=env)
        return json.loads(counts.read_text(encoding="utf-8")), printed

    return run


@pytest.fixture
def session(tools, build):
    """Gives a session of a module, under validation, until the test ends."""
    sessions = []

    def start(text):
        sessions.append(Session(build / "lib/libmoe-runtime.so",
                                tools.compile(text), validate=True))
        return sessions[-1]

    yield start
    for each in sessions:
        each.close()
