"""Measures all rows, and writes the tables of the page."""

import argparse
import sys
from pathlib import Path

from . import ROWS, __doc__ as about, measure
from .floats import ROWS as FLOATS
from .page import render, shown

_PAGE = Path(__file__).resolve().parents[3] / "docs/accuracy.md"


def main():
    parser = argparse.ArgumentParser(prog="moe.accuracy",
                                     description=about.splitlines()[0])
    parser.add_argument("--build", default="build", help="the build folder")
    parser.add_argument("--page", type=Path, default=_PAGE,
                        help="the page whose tables are written")
    parser.add_argument("--ops", nargs="+", metavar="OP",
                        help="measure these ops alone, and write nothing")
    options = parser.parse_args()
    errors, beyond = {}, 0
    for row in ROWS:
        if options.ops and row.op not in options.ops:
            continue
        error, worst = measure(options.build, row)
        errors[row.op] = shown(error) if row in FLOATS else error
        beyond += not error <= row.bound
        if options.ops or not error <= row.bound:
            print(f"{row.op}: {error:.6g} ulp, at "
                  f"{', '.join(f'{x:.9g}' for x in worst)}; "
                  f"bound {row.bound:g}")
    if not options.ops and not beyond:
        page = options.page.read_text(encoding="utf-8")
        options.page.write_text(render(page, errors), encoding="utf-8")
    return 1 if beyond else 0


if __name__ == "__main__":
    sys.exit(main())
