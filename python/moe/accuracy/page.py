"""The tables of docs/accuracy.md."""

import math
import re

from . import OUTSIDE
from .exact import ROWS as EXACT
from .floats import ROWS as FLOATS

_TABLE = re.compile(r"(<!-- table: (\w+) -->\n).*?(<!-- end -->\n)", re.S)


def shown(error):
    """A measured error as the page has it: rounded up to tenths."""
    return f"{math.ceil(round(error, 6) * 10) / 10:g}"


def _floats(errors):
    yield "| op | bound (ulp) | measured |\n|---|---|---|"
    for row in FLOATS:
        yield f"| `{row.op}` | {row.bound:g} | {errors[row.op]} |"


def _exact(_):
    yield "| op | where MLIR leaves the result open, and what else to know |"
    yield "|---|---|"
    for row in EXACT:
        yield f"| `{row.op}` | {row.note} |"


def _outside(_):
    yield "| op | |\n|---|---|"
    for op, reason in OUTSIDE.items():
        yield f"| `{op}` | {reason} |"


def render(page, errors):
    """The text of a page with its tables written anew.

    Parameters
    ----------
    page : str
    errors : dict
        What the page shows for each row of floats.
    """
    tables = {"floats": _floats, "exact": _exact, "outside": _outside}
    return _TABLE.sub(
        lambda match: match[1] + "\n".join(tables[match[2]](errors)) + "\n" +
        match[3], page)


def read_errors(page):
    """What a page shows for each row of floats."""
    return dict(re.findall(r"^\| `([\w.]+)` \| [\d.]+ \| ([\d.]+) \|$", page,
                           re.M))
