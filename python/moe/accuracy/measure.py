"""Values of rows on a device."""

import subprocess
import tempfile
from pathlib import Path

import numpy as np

from .operands import operands_of


def measure(build, row):
    """The row's largest error on the best device, and its operands.

    Parameters
    ----------
    build : Path
        The build folder.
    row : Row
    """
    inputs = operands_of(row.operands)
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        (folder / "f.mlir").write_text(row.text(), encoding="utf-8")
        outputs = [folder / f"y{i}.npy" for i in range(len(row.results))]
        command = [Path(build) / "bin/moe-run", folder / "f.mlir",
                   *(f"--output={path}" for path in outputs)]
        for i, x in enumerate(inputs):
            np.save(folder / f"x{i}.npy", x)
            command.append(f"--input={folder / f'x{i}.npy'}")
        done = subprocess.run(command, capture_output=True, text=True,
                              check=False)
        if done.returncode:
            raise RuntimeError(f"{row.op}: {done.stderr.strip()}")
        return row.error([np.load(path) for path in outputs], inputs)
