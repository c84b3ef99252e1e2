"""Runs one layer of a published geometry and checks it against NumPy.

    /usr/bin/python3 -m moe.demo --moe-run=build/bin/moe-run

The default is the expert layer of granite-3.0-1b-a400m: 1024 features, 32
experts of 512 hidden units, 8 for each token, weights normalised over those 8.
"""

import argparse
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager

from .compare import ROW_TOLERANCE, SCORE_GAP, TOLERANCE, compare_layer
from .config import LayerConfig
from .layer import parse_integer
from .testing import layer_command, layer_inputs, load_outputs

_STEPS = 4


def main(arguments=None):
    """Run the demonstration; gives the exit status."""
    options = _parser().parse_args(arguments)
    try:
        config = LayerConfig(options.hidden, options.experts, options.top_k,
                             options.intermediate, renormalize=True,
                             return_routing=True)
        if options.tokens < 0:
            raise ValueError("expected tokens to be at least 0, "
                             f"but got {options.tokens}")
    except ValueError as error:
        _parser().error(str(error))
    print(f"layer: {options.tokens} tokens of {config.hidden} features, "
          f"{config.experts} experts of {config.intermediate} hidden units, "
          f"{config.top_k} for each token, f32", flush=True)

    with tempfile.TemporaryDirectory(prefix="moe-demo-") as directory:
        with _step(1, "generating inputs"):
            inputs = layer_inputs(config, options.tokens, options.seed)
        with _step(2, "writing inputs"):
            command = layer_command(options.moe_run, config, inputs, directory,
                                    validate=options.validate)
        # The first run pays for the driver's own compilation.
        command += ["--profile", "--warmup=1", "--repeat=3", *options.run_options]
        if options.device is not None:
            command.append(f"--device={options.device}")
        with _step(3, "compiling and running", ends_line=True):
            try:
                status = subprocess.run(command, check=False).returncode
            except OSError as error:
                print(f"cannot run {options.moe_run}: {error.strerror}",
                      file=sys.stderr)
                return 2
        if status:
            print(f"moe-run ended with exit status {status}", file=sys.stderr)
            return status
        outputs = load_outputs(config, directory)

    with _step(4, "computing the NumPy reference in float64"):
        report = compare_layer(outputs, inputs, config)
    return _print_report(report)


def _print_report(report):
    print("\ncomparison with the reference          got        allowed")
    for name, got, allowed in (
            ("max error / max value", report.relative_error, TOLERANCE),
            ("the same, worst row", report.row_error, ROW_TOLERANCE),
            ("the same, routing weights", report.weight_error, TOLERANCE),
            ("largest score gap of a difference", report.largest_gap,
             SCORE_GAP)):
        print(f"  {name:<34}{got:>9.2e}{allowed:>13.0e}")
    print(f"  {'tokens routed differently':<34}{report.differing_tokens:>9}")
    for failure in report.failures[:10]:
        print(f"error: {failure}", file=sys.stderr)
    print("FAILED" if report.failures else "passed")
    return 1 if report.failures else 0


@contextmanager
def _step(number, title, *, ends_line=False):
    """Announce a long step, and say how long it took."""
    print(f"[{number}/{_STEPS}] {title} ...",
          end="\n" if ends_line else " ", flush=True)
    start = time.monotonic()
    yield
    took = f"{time.monotonic() - start:.1f} s"
    print(f"[{number}/{_STEPS}] took {took}" if ends_line else took, flush=True)


def _parser():
    parser = argparse.ArgumentParser(
        prog="moe.demo", allow_abbrev=False,
        description="Runs a mixture-of-experts layer and checks it.")
    parser.add_argument("--moe-run", required=True, metavar="PATH",
                        help="the moe-run tool")
    for name, default, meaning in (
            ("tokens", 512, "number of tokens"),
            ("hidden", 1024, "features of a token"),
            ("experts", 32, "number of experts"),
            ("top-k", 8, "experts for each token"),
            ("intermediate", 512, "hidden units of an expert"),
            ("seed", 7, "of the random inputs")):
        parser.add_argument(f"--{name}", type=parse_integer, default=default,
                            metavar="N", help=f"{meaning} (default: {default})")
    parser.add_argument("--device", type=parse_integer, metavar="N",
                        help="device number, as moe-run --list-devices counts")
    parser.add_argument("--validate", metavar="MODE",
                        help="validation mode of moe-run")
    parser.add_argument("--run-option", action="append", default=[],
                        dest="run_options", metavar="OPTION",
                        help="a further option for moe-run; may be repeated")
    return parser


if __name__ == "__main__":
    sys.exit(main())
