"""Sessions of the runtime library for tests, which load it from a build.

As a program it runs one bundle on several inputs in one process, see `main`.
"""

import json
import sys

import numpy as np
from moe import runtime


class Session(runtime.Session):
    """Runs the programs of a bundle, given as bytes or as a file.

    With `validate`, any message of synchronization validation is an error.
    """

    def __init__(self, library, bundle, validate=False):
        data = bundle.read_bytes() if hasattr(bundle, "read_bytes") else bundle
        super().__init__(data, validate="sync" if validate else None,
                         library=library)

    def run(self, *inputs, entry=None):
        """Give the results for these arrays, as a list.

        Without an entry, the first function is run.
        """
        return super().run(entry or next(iter(self.programs)), inputs)


def main(library, bundle, inputs, runs, outputs):
    """Run on some rows of the first input, for each entry of `runs`.

    Parameters
    ----------
    library, bundle, inputs, outputs : str
        Files; both arrays are archives of NumPy.
    runs : str
        Separated by commas: "7" for the first seven rows, "7:9" for two more.

    Prints the statistics after each run, a JSON object a line.
    """
    with np.load(inputs) as archive:
        first, *others = archive.values()
    with open(bundle, "rb") as file:
        session = Session(library, file.read())
    results = {}
    for i, rows in enumerate(runs.split(",")):
        rows = slice(*map(int, rows.split(":")))
        given = [np.ascontiguousarray(first[rows]), *others]
        for j, result in enumerate(session.run(*given)):
            results[f"{i}_{j}"] = result
        print(json.dumps(session.statistics()), flush=True)
    session.close()
    np.savez(outputs, **results)


if __name__ == "__main__":
    main(*sys.argv[1:])
