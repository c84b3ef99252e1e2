"""Finds the package in the source tree, and the tools in the build tree."""

import os
import sys
from pathlib import Path

import pytest
from hypothesis import settings

_ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(_ROOT / "python"))

# The same examples in each run, however slow the machine.
settings.register_profile("moe", deadline=None, derandomize=True,
                          database=None)
settings.load_profile("moe")


@pytest.fixture(scope="session")
def moe_opt():
    path = Path(os.environ.get("MOE_BUILD", _ROOT / "build")) / "bin/moe-opt"
    if not path.exists():
        pytest.skip(f"there is no {path}")
    return path.resolve()
