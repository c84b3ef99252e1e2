"""Finds the package in the source tree, and the tools by option."""

import sys
from pathlib import Path

import pytest

_ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(_ROOT / "python"))


def pytest_addoption(parser):
    parser.addoption("--moe-opt", default=_ROOT / "build" / "bin" / "moe-opt",
                     type=Path, help="the moe-opt tool")


@pytest.fixture(scope="session")
def moe_opt(request):
    path = request.config.getoption("--moe-opt")
    if not path.exists():
        pytest.skip(f"there is no {path}")
    return path
