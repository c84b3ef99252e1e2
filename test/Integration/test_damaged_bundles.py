"""Bundles that were cut or changed are refused, and nothing crashes."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from harness import run_to_fault

TEXT = """
func.func @f(%x: tensor<?x8xf32>) -> (tensor<8xf32>, tensor<?x8xf32>) {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<8xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<8xf32>)
    -> tensor<8xf32>
  %s = linalg.reduce { arith.addf } ins(%x : tensor<?x8xf32>)
    outs(%init : tensor<8xf32>) dimensions = [0]
  %y = arith.mulf %x, %x : tensor<?x8xf32>
  return %s, %y : tensor<8xf32>, tensor<?x8xf32>
}
"""
RUN = ["--input=4x8xf32=ones"]
SPIRV_MAGIC = (0x07230203).to_bytes(4, "little")


@pytest.fixture(scope="module")
def good(tools):
    return tools.compile(TEXT).read_bytes()


@pytest.fixture
def fault(tools, tmp_path):
    """Writes a bundle and gives the line that refuses it."""
    def run(data):
        path = tmp_path / "bad.moeb"
        path.write_bytes(data)
        message = run_to_fault([tools.moe_run, path, *RUN], 2)
        return message.replace(str(path), "bad.moeb")

    return run


@pytest.mark.parametrize("part", [0.02, 0.3, 0.5, 0.9, 0.999])
def test_a_cut_bundle_is_refused(fault, good, part):
    kept = int(len(good) * part)
    assert fault(good[:kept]) == (
        f"expected a well-formed bundle, but got {kept} bytes that are "
        "truncated or damaged")


def test_a_changed_bit_is_seen_by_the_checksum(fault, good):
    place = good.index(SPIRV_MAGIC) + 200
    changed = good[:place] + bytes([good[place] ^ 4]) + good[place + 1:]
    assert fault(changed) == ("expected a bundle with the checksum it was "
                              "sealed with, but got damaged content")


@pytest.mark.parametrize("data", [b"", bytes(100), b"\x00MOEB" * 50],
                         ids=["empty", "zeros", "marks"])
def test_another_kind_of_file_is_refused(fault, data):
    assert fault(data) == ("expected a bundle or a .mlir file, but 'bad.moeb' "
                           "is neither")


def test_random_bytes_after_the_mark_are_refused(fault, good):
    noise = np.random.default_rng(1).bytes(4000)
    assert fault(good[:8] + noise).startswith("expected a well-formed bundle")


# Loads bundles without a checksum, so that all other checks must hold.
LOAD = """
import sys
from pathlib import Path
from session import Session
refused = 0
for path in sorted(Path(sys.argv[2]).iterdir()):
    try:
        Session(sys.argv[1], path).close()
    except RuntimeError as error:
        assert str(error) and chr(10) not in str(error)
        refused += 1
print(refused)
"""


def without_checksum(data):
    """Set the checksum to 0, which stands for none."""
    words = np.frombuffer(data + bytes(-len(data) % 8), np.uint64)
    # Every word in turn is taken for the place of the checksum.
    hashes = np.full(len(words), 0xCBF29CE484222325 ^ len(data), np.uint64)
    for place, word in enumerate(words):
        step = np.full(len(words), word)
        step[place] = 0
        hashes = (hashes ^ step) * np.uint64(0x9E3779B97F4A7C15)
        hashes ^= hashes >> np.uint64(29)
    place, = np.flatnonzero(hashes == words)
    return data[:8 * place] + bytes(8) + data[8 * place + 8:]


def kernel_bytes(data):
    """Mark the words of kernels: a driver may do anything with wrong ones."""
    marked = np.zeros(len(data), bool)
    at = data.find(SPIRV_MAGIC)
    while at >= 0:
        words = int.from_bytes(data[at - 4:at], "little")
        marked[at:at + 4 * words] = True
        at = data.find(SPIRV_MAGIC, at + 4 * words)
    return marked


def test_no_change_outside_of_kernels_crashes_the_loader(build, good,
                                                         tmp_path):
    unsealed = without_checksum(good)
    places = np.flatnonzero(~kernel_bytes(unsealed))
    random = np.random.default_rng(2)
    folder = tmp_path / "bundles"
    folder.mkdir()
    for i in range(400):
        changed = bytearray(unsealed)
        for place in random.choice(places, random.integers(1, 4)):
            changed[place] = random.choice([0, 1, 127, 128, 255,
                                            random.integers(0, 256)])
        (folder / f"{i:03}").write_bytes(changed)
    done = subprocess.run(
        [sys.executable, "-c", LOAD, build / "lib/libmoe-runtime.so", folder],
        capture_output=True, text=True, timeout=300, check=False,
        cwd=Path(__file__).parent,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)})
    assert done.returncode == 0, done.stderr
    assert 20 < int(done.stdout) < 400
