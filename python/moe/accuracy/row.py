"""One op of the table of accuracy: its text, and what is right."""

from typing import Callable, NamedTuple

import numpy as np

TYPES = {"f": "tensor<?x4xf32>", "i": "tensor<?x4xi32>", "b": "tensor<?x4xi1>"}


class Row(NamedTuple):
    """An op, or a few of a kind that are measured together.

    Attributes
    ----------
    op : str
        The name that the table lists.
    function : callable
        The right results for arrays of the operands: floats in long double,
        integers in int64. One array, or a tuple where there are several
        results. Integers wrap to 32 bits.
    bound : float
        Of the error, in units in the last place; 0: exact.
    operands, results : str
        Their kinds: f for f32, i for i32.
    lines : str
        MLIR on whole tensors %x0, %x1, … that gives %y0, %y1, …; where there is
        none, the op alone.
    defined : callable
        Of the operands, where MLIR defines a value; everywhere if None.
    note : str
        What the page says about the rest.
    """

    op: str
    function: Callable
    bound: float = 0
    operands: str = "f"
    results: str = "f"
    lines: str = ""
    defined: Callable | None = None
    note: str = ""

    def text(self):
        """A module with the row's function @f."""
        names = ", ".join(f"%x{i}" for i in range(len(self.operands)))
        lines = self.lines or f"  %y0 = {self.op} {names} : " + (
            TYPES[self.operands[0]])
        head = ", ".join(f"%x{i}: {TYPES[kind]}"
                         for i, kind in enumerate(self.operands))
        types = ", ".join(TYPES[kind] for kind in self.results)
        values = ", ".join(f"%y{i}" for i in range(len(self.results)))
        return (f"func.func @f({head}) -> ({types}) {{\n{lines}\n"
                f"  return {values} : {types}\n}}\n")

    def error(self, got, inputs):
        """The largest error of all results, and the operands that have it.

        Parameters
        ----------
        got, inputs : list of numpy.ndarray

        Returns
        -------
        float
            In units in the last place. It is infinite where a NaN, an infinity,
            the sign of a zero or an integer is wrong.
        list
            The operands.
        """
        with np.errstate(all="ignore"):
            right = self.function(*(
                x.astype(np.longdouble if kind == "f" else np.int64)
                for x, kind in zip(inputs, self.operands)))
            right = right if isinstance(right, tuple) else (right,)
            errors = [_float_error(*pair) if kind == "f" else
                      _integer_error(*pair)
                      for kind, *pair in zip(self.results, got, right)]
            error = np.maximum.reduce(errors)
            if self.defined:
                error = np.where(self.defined(*inputs), error, 0)
        worst = np.unravel_index(error.argmax(), error.shape)
        return float(error[worst]), [x[worst].item() for x in inputs]


def _float_error(got, exact):
    right = exact.astype(np.float32)
    unit = np.spacing(np.abs(np.where(np.isfinite(right), right, 1)))
    error = np.abs(got.astype(np.longdouble) - exact) / unit
    wrong = (np.isnan(got) != np.isnan(right)) | \
        (np.isinf(got) != np.isinf(right)) | \
        (~np.isnan(right) & (np.signbit(got) != np.signbit(right)))
    error = np.where(np.isnan(right) | np.isinf(right), 0, error)
    return np.where(wrong, np.inf, error)


def _integer_error(got, right):
    return np.where(got == np.asarray(right).astype(np.int32), 0, np.inf)
