"""Finds the project's tools and libraries."""

import os
import shutil
from pathlib import Path

__all__ = ["find_library", "find_tool"]


def _build_folder():
    tree = Path(__file__).resolve().parents[2] / "build"
    return Path(os.environ.get("MOE_BUILD", tree))


def find_tool(name):
    """Find a tool, `moe-opt` for example.

    Returns
    -------
    Path
        That of the build folder in MOE_BUILD; else of the folder `build` of the
        source tree that holds this package; else of the search path.

    Raises
    ------
    FileNotFoundError
        Where there is none; says where it was looked for.
    """
    folder = _build_folder() / "bin"
    tool = shutil.which(name, path=str(folder)) or shutil.which(name)
    if tool is None:
        raise FileNotFoundError(f"expected the tool {name} in {folder} or in "
                                "PATH, but got none")
    return Path(tool)


def find_library(name):
    """Find a library, `moe-runtime` for example.

    Returns
    -------
    str
        Its path in the build folder, found as by `find_tool`; else its file
        name, for the system's loader.
    """
    file = f"lib{name}.so"
    path = _build_folder() / "lib" / file
    return str(path) if path.exists() else file
