"""Runs random positions: `python3 -m random_positions --runs=1000`."""

import argparse
import sys
import time
from pathlib import Path

from moe.compiler import compile_module
from moe.runtime import Session, devices

from .run import CASES, module, run_cases


def main():
    options = _options()
    cases = [case for case in CASES if options.only in case.name]
    if options.bundle:
        bundle = Path(options.bundle).read_bytes()
    else:
        bundle = compile_module(module(cases), **_target(options))
    if options.emit_bundle:
        Path(options.emit_bundle).write_bytes(bundle)
        return 0
    started = time.time()
    with Session(bundle, device=options.device, validate=options.validate,
                 guard_bytes=options.guard_bytes,
                 library=options.library) as session:
        print(f"on {session.device}")
        report = run_cases(session, options.runs, options.seed, cases)
    for name, counts in report.counts.items():
        print(f"  {name}: {counts['faults']} faults, {counts['values']} values")
    for difference in report.differences[:options.show]:
        print(f"  different: {difference}")
    print(f"{report}, {time.time() - started:.0f} s")
    return 1 if report.differences else 0


def _target(options):
    if options.target:
        return {"target": options.target}
    found, best = devices(library=options.library)
    return {"facts": found[best if options.device is None
                           else options.device].facts}


def _options():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=200, help="of each case")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", default="", help="cases of this name")
    parser.add_argument("--device", type=int,
                        help="as moe-run numbers them; the best by default")
    parser.add_argument("--validate", choices=["on", "sync", "gpu"])
    parser.add_argument("--guard-bytes", type=int, default=1024)
    parser.add_argument("--target", help="a named one, in place of the device")
    parser.add_argument("--emit-bundle", metavar="FILE",
                        help="compile alone, to run elsewhere")
    parser.add_argument("--bundle", metavar="FILE", help="compiled before")
    parser.add_argument("--library", help="the path of libmoe-runtime.so")
    parser.add_argument("--show", type=int, default=5,
                        help="differences to print")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
