"""Runs random functions: `python3 -m random_programs --count=1000`."""

import argparse
import multiprocessing
import sys
import time
import traceback

from . import batch
from .reduce import reduced


def main():
    options = _options()
    started, report = time.time(), batch.Report()
    seeds = list(range(options.seed, options.seed + options.count))
    for i in range(0, len(seeds), options.batch):
        report.merge(in_a_process(seeds[i:i + options.batch], options))
        if options.verbose:
            print(f"{i + options.batch}: {len(report.differences)} "
                  f"differences, {time.time() - started:.0f} s", flush=True)
    for seed, what in report.differences[:options.show]:
        print(f"\nseed {seed}: {what}")
        print(reduced(seed, options.derivative))
    print_report(report, options, time.time() - started)
    return 1 if report.differences else 0


def print_report(report, options, seconds):
    kind = "derivatives" if options.derivative else "functions"
    print(f"\n{kind} of seeds {options.seed} to "
          f"{options.seed + options.count - 1}, {seconds:.0f} s")
    for name, number in report.counts.items():
        print(f"  {name}: {number}")
    print(f"  differences: {len(report.differences)}")
    for message, seeds in sorted(report.refused.items(),
                                 key=lambda item: -len(item[1])):
        print(f"  refused {len(seeds)} times, as seed {seeds[0]}: {message}")
    if options.verbose:
        kinds = sorted(report.kinds.items(), key=lambda item: -item[1])
        print("  ops: " + ", ".join(f"{k} {n}" for k, n in kinds))
        for seed, what in report.differences:
            print(f"  different: seed {seed}: {what[:150]}")


def in_a_process(seeds, options):
    """Run a batch where a crash ends no more than that batch.

    Returns
    -------
    batch.Report
    """
    context = multiprocessing.get_context("fork")
    ours, theirs = context.Pipe(False)
    process = context.Process(target=_work, args=(theirs, seeds, options))
    process.start()
    theirs.close()
    try:
        report = ours.recv()
    except EOFError:
        report = None
    process.join()
    if isinstance(report, str):
        raise RuntimeError(f"in one of {seeds}:\n{report}")
    if report is not None:
        return report
    report = batch.Report()
    if len(seeds) == 1:
        report.counts["functions"] += 1
        report.differences.append(
            (seeds[0], f"crash: the process ended with {process.exitcode}"))
        return report
    half = len(seeds) // 2
    for part in (seeds[:half], seeds[half:]):
        report.merge(in_a_process(part, options))
    return report


def _work(pipe, seeds, options):
    try:
        jobs = [batch.Job(seed, options.derivative) for seed in seeds]
        pipe.send(batch.run_jobs(jobs, {"target": None}, options.validate))
    except Exception:  # no crash of the compiler or runtime, but our own
        pipe.send(traceback.format_exc())
    finally:
        pipe.close()


def _options():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=0, help="the first one")
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--batch", type=int, default=40,
                        help="functions in a module")
    parser.add_argument("--derivative", action="store_true",
                        help="differentiate each, and compare gradients")
    parser.add_argument("--validate", choices=["on", "sync", "gpu"])
    parser.add_argument("--show", type=int, default=5,
                        help="differences to reduce and print")
    parser.add_argument("--verbose", action="store_true")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
