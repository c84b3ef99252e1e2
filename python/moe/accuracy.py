"""How exact functions of f32 are on a device: makes docs/accuracy.md.

Run as `python3 -m moe.accuracy --build=build`, which prints the page. The
arguments are special values, magnitudes spread over all exponents, ranges in
which functions cancel, and random bits; they are the same in each run. The
right answers are NumPy's in long double, those of erf and erfc the standard
library's in double. An error is counted in units in the last place of the
right answer. NaN, infinities and the sign of zero have to be as they should.
"""

import argparse
import math
import subprocess
import tempfile
from pathlib import Path

import numpy as np

SPECIAL = np.float32([
    0, -0.0, np.inf, -np.inf, np.nan, 1e-45, -1e-45, 1e-40, 1.1754944e-38, 1e-20,
    1e-8, 1e-6, 1, -1, 2, 3, -2, -3, .5, -.5, 1.5, -8, 2**24, 2**24 + 2, 88.5,
    -88, -103.5, 90, 1e30, -1e30, 3.4028235e38, -3.4028235e38])


def _elementwise(function):
    return np.vectorize(lambda x: function(float(x)), otypes=[np.longdouble])


def _round(x):
    return np.copysign(np.trunc(np.abs(x) + np.longdouble(.5)), x)


# Op -> the right function and the bound of its error.
UNARY = {
    "arith.negf": (np.negative, 0), "math.absf": (np.abs, 0),
    "math.acos": (np.arccos, 2), "math.acosh": (np.arccosh, 3),
    "math.asin": (np.arcsin, 2), "math.asinh": (np.arcsinh, 2),
    "math.atan": (np.arctan, 2), "math.atanh": (np.arctanh, 2),
    "math.cbrt": (np.cbrt, 1), "math.ceil": (np.ceil, 0),
    "math.cos": (np.cos, 3), "math.cosh": (np.cosh, 2),
    "math.erf": (_elementwise(math.erf), 2),
    "math.erfc": (_elementwise(math.erfc), 4), "math.exp": (np.exp, 2),
    "math.exp2": (np.exp2, 2), "math.expm1": (np.expm1, 2),
    "math.floor": (np.floor, 0), "math.log": (np.log, 2),
    "math.log10": (np.log10, 2), "math.log1p": (np.log1p, 2),
    "math.log2": (np.log2, 2), "math.round": (_round, 0),
    "math.roundeven": (np.rint, 0), "math.rsqrt": (lambda x: 1 / np.sqrt(x), 2),
    "math.sin": (np.sin, 3), "math.sinh": (np.sinh, 2),
    "math.sqrt": (np.sqrt, .5), "math.tan": (np.tan, 4),
    "math.tanh": (np.tanh, 2), "math.trunc": (np.trunc, 0)}


def _ordered(choose, other, ignores_nan):
    """A maximum or minimum, where -0 is below 0."""
    def function(x, y):
        zeros = (x == 0) & (y == 0)
        signs = choose(np.copysign(1, x), np.copysign(1, y))
        return np.where(zeros, np.copysign(np.longdouble(0), signs),
                        (other if ignores_nan else choose)(x, y))
    return function


BINARY = {
    "arith.addf": (np.add, .5), "arith.divf": (np.divide, .5),
    "arith.maximumf": (_ordered(np.maximum, np.fmax, False), 0),
    "arith.maxnumf": (_ordered(np.maximum, np.fmax, True), 0),
    "arith.minimumf": (_ordered(np.minimum, np.fmin, False), 0),
    "arith.minnumf": (_ordered(np.minimum, np.fmin, True), 0),
    "arith.mulf": (np.multiply, .5), "arith.remf": (np.fmod, 0),
    "arith.subf": (np.subtract, .5), "math.atan2": (np.arctan2, 3),
    "math.copysign": (np.copysign, 0), "math.powf": (np.power, 2)}


def arguments(count=8192, seed=1):
    """Special values and others, [N, 4]."""
    random = np.random.default_rng(seed)
    spread = np.float32(10)**random.uniform(-38, 38, count).astype(np.float32)
    parts = [SPECIAL, spread * random.choice(np.float32([-1, 1]), count)]
    for low, high in [(-1.2, 1.2), (.5, 2), (-100, 100), (-10, 10)]:
        parts.append(random.uniform(low, high, count).astype(np.float32))
    parts.append(random.integers(0, 2**32, count, np.uint32).view(np.float32))
    return np.concatenate(parts).reshape(-1, 4)


def pairs():
    """All pairs of special values, and random ones."""
    x = arguments().ravel()
    y = np.random.default_rng(2).permutation(x)
    return (np.concatenate([np.repeat(SPECIAL, SPECIAL.size), x]).reshape(-1, 4),
            np.concatenate([np.tile(SPECIAL, SPECIAL.size), y]).reshape(-1, 4))


def function_text(op, operands):
    """A module that applies the op to whole tensors."""
    tensor = "tensor<?x4xf32>"
    names = [f"%x{i}" for i in range(operands)]
    head = ", ".join(f"{name}: {tensor}" for name in names)
    return (f"func.func @f({head}) -> {tensor} {{\n"
            f"  %y = {op} {', '.join(names)} : {tensor}\n"
            f"  return %y : {tensor}\n}}\n")


def compare(got, function, *inputs):
    """The largest error in units in the last place, and its arguments.

    It is infinite where a NaN, an infinity or the sign of a zero is wrong.
    """
    with np.errstate(all="ignore"):
        exact = function(*(x.astype(np.longdouble) for x in inputs))
        right = exact.astype(np.float32)
        unit = np.spacing(np.abs(np.where(np.isfinite(right), right, 1)))
        error = np.abs(got.astype(np.longdouble) - exact) / unit
        wrong = (np.isnan(got) != np.isnan(right)) | \
            (np.isinf(got) != np.isinf(right)) | \
            (~np.isnan(right) & (np.signbit(got) != np.signbit(right)))
        error = np.where(np.isnan(right) | np.isinf(right), 0, error)
        error = np.where(wrong, np.inf, error)
    worst = np.unravel_index(error.argmax(), error.shape)
    return float(error[worst]), [float(x[worst]) for x in inputs]


def measure(build, op, *inputs):
    """The op's values on the device."""
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        (folder / "f.mlir").write_text(function_text(op, len(inputs)),
                                       encoding="utf-8")
        command = [Path(build) / "bin/moe-run", folder / "f.mlir",
                   f"--output={folder / 'y.npy'}"]
        for i, x in enumerate(inputs):
            np.save(folder / f"x{i}.npy", x)
            command.append(f"--input={folder / f'x{i}.npy'}")
        subprocess.run(command, check=True, capture_output=True)
        return np.load(folder / "y.npy")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default="build", help="the build folder")
    build = parser.parse_args().build
    print("| op | bound (ulp) | measured | worst arguments |\n|---|---|---|---|")
    for table, inputs in ((UNARY, [arguments()]), (BINARY, pairs())):
        for op, (function, bound) in sorted(table.items()):
            error, worst = compare(measure(build, op, *inputs), function,
                                   *inputs)
            # One of many exact ones says nothing.
            where = ", ".join(f"{x:.9g}" for x in worst) if error else ""
            print(f"| `{op}` | {bound:g} | {error:.2f} | {where} |")


if __name__ == "__main__":
    main()
