"""Measures what the project claims about speed, as ratios within one run.

    /usr/bin/python3 -m moe.bench --moe-run=build/bin/moe-run

Two measurements, each one process of moe-run after warm-up, medians of
several runs, random inputs:

* plan: the parallel counting sort against its one-thread form, both in one
  program over the same indices;
* matmul: the grouped products of a layer, in GFLOP/s.
"""

import argparse
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from .config import LayerConfig
from .layer import layer_module, parse_integer

_PLAN = """\
func.func @plans(%indices: tensor<?x{K}xi32>) -> ({results}, {results}) {{
  %parallel:3 = moe.kernel "plan" (%i = %indices : tensor<?x{K}xi32>) -> ({results}) {{
    %offsets, %slot_to_row, %row_to_slot, %row_expert = moe.plan %i {{experts = {E} : i64}}
      : tensor<?x{K}xi32> -> {all}
    moe.yield %slot_to_row, %row_to_slot, %row_expert : {results}
  }}
  %serial:3 = moe.kernel "plan" (%i = %indices : tensor<?x{K}xi32>) -> ({results})
      schedule(#moe.schedule<plan, workgroup = 1, chunks = 1>) {{
    %offsets, %slot_to_row, %row_to_slot, %row_expert = moe.plan %i {{experts = {E} : i64}}
      : tensor<?x{K}xi32> -> {all}
    moe.yield %slot_to_row, %row_to_slot, %row_expert : {results}
  }}
  return %parallel#0, %parallel#1, %parallel#2, %serial#0, %serial#1, %serial#2
      : {results}, {results}
}}
"""

_ROW = re.compile(r"^(?P<label>.+?)\s{2,}(?P<kernel>\S+)\s+(?P<ms>\d+\.\d+)\s+"
                  r"(?P<gflops>\d+\.\d+|-)\s+(?P<gbs>\d+\.\d+|-)\s*$")


def plan_module(experts, top_k):
    """A module that plans the same indices twice, in parallel and serially."""
    results = f"tensor<?x{top_k}xi32>, tensor<?xi32>, tensor<?xi32>"
    everything = f"tensor<{experts + 1}xi32>, {results}"
    return _PLAN.format(E=experts, K=top_k, results=results, all=everything)


def read_profile(text):
    """The rows of moe-run's profile: (label, kernel, milliseconds, GFLOP/s)."""
    rows = []
    for line in text.splitlines():
        match = _ROW.match(line)
        if match and not match["label"].startswith("total of"):
            gflops = None if match["gflops"] == "-" else float(match["gflops"])
            rows.append((match["label"], match["kernel"], float(match["ms"]), gflops))
    return rows


def _profile(options, directory, name, module, inputs):
    path = Path(directory, name + ".mlir")
    path.write_text(module)
    command = [options.moe_run, str(path), "--profile", f"--warmup={options.warmup}",
               f"--repeat={options.repeat}", *(f"--input={value}" for value in inputs)]
    if options.device is not None:
        command.append(f"--device={options.device}")
    run = subprocess.run(command, check=False, capture_output=True, text=True)
    if run.returncode:
        raise RuntimeError(run.stderr.strip() or f"moe-run ended with {run.returncode}")
    return read_profile(run.stdout)


def measure_plan(options, directory):
    """Milliseconds of both forms, and of parts of the parallel one.

    Returns
    -------
    parallel, serial, passes, writing : float
        `passes` are the counting and the scattering of the slots; a stable sort
        cannot do without either, since where the first slot of an expert goes
        depends on all slots before it. `writing` leaves out the counting too:
        what remains bumps a counter for each slot and writes the results.
    """
    import numpy as np
    tokens, top_k, experts = 65536, 8, 128
    indices = np.random.default_rng(7).integers(0, experts, (tokens, top_k))
    path = Path(directory, "indices.npy")
    np.save(path, indices.astype(np.int32))
    profile = _profile(options, directory, "plans", plan_module(experts, top_k), [path])
    rows = [row for row in profile if row[0].startswith("plan")]
    # The serial form starts where counting starts for the second time.
    starts = [i for i, row in enumerate(rows) if row[0] == "plan: count"]
    parallel, serial = rows[:starts[1]], rows[starts[1]:]

    def total(part, *steps):
        return sum(row[2] for row in part if not steps or row[0][6:] in steps)

    return (total(parallel), total(serial),
            total(parallel, "count", "scatter"),
            total(parallel, "scatter", "runs"))


def measure_matmul(options, directory):
    """Rows of the grouped products of (H, E, K, I) = (512, 8, 2, 1024), T = 512."""
    config = LayerConfig(hidden=512, experts=8, top_k=2, intermediate=1024)
    inputs = ["512x512xf32=random(1)", "512x8xf32=random(2,0.04)",
              "8x2048x512xf32=random(3,0.04)", "8x512x1024xf32=random(4,0.03)"]
    rows = _profile(options, directory, "layer", layer_module(config), inputs)
    return [row for row in rows if row[0] == "grouped_matmul"]


def main(arguments=None):
    """Measure and print; gives the exit status."""
    options = _parser().parse_args(arguments)
    try:
        with tempfile.TemporaryDirectory(prefix="moe-bench-") as directory:
            parallel, serial, passes, writing = measure_plan(options,
                                                             directory)
            print("plan of 65536 tokens, 8 of 128 experts each")
            print(f"  one thread                 {serial:9.3f} ms")
            print(f"  parallel                   {parallel:9.3f} ms, ratio of one "
                  f"thread {serial / parallel:.1f}")
            for what, time in (("count and scatter", passes),
                               ("write results", writing)):
                print(f"    of it, {what:<17} {time:9.3f} ms, ratio of one "
                      f"thread {serial / time:.1f}")
            print("grouped products of 512 tokens, 2 of 8 experts each, "
                  "512 -> 2 x 1024 -> 512 features, f32")
            for _, kernel, milliseconds, gflops in measure_matmul(options, directory):
                print(f"  {kernel:<18}{milliseconds:9.3f} ms {gflops:9.2f} GFLOP/s")
    except (OSError, RuntimeError) as error:
        print(f"moe.bench: error: {error}", file=sys.stderr)
        return 2
    return 0


def _parser():
    parser = argparse.ArgumentParser(prog="moe.bench", allow_abbrev=False,
                                     description="Measures plan and grouped matmul.")
    parser.add_argument("--moe-run", required=True, metavar="PATH", help="the moe-run tool")
    parser.add_argument("--device", type=parse_integer, metavar="N",
                        help="device number, as moe-run --list-devices counts")
    parser.add_argument("--warmup", type=parse_integer, default=3, metavar="N",
                        help="runs before those that count (default: 3)")
    parser.add_argument("--repeat", type=parse_integer, default=9, metavar="N",
                        help="runs whose median counts (default: 9)")
    return parser


if __name__ == "__main__":
    sys.exit(main())
