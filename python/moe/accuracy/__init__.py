"""How exact ops of math and arith are on a device: makes docs/accuracy.md.

Run as `python3 -m moe.accuracy --build=build`, which writes the tables of the
page anew. The operands are special values, magnitudes spread over all
exponents, ranges in which functions cancel, and random bits; they are the same
in each run. NaN, infinities, the sign of zero and integers have to be as they
should.
"""

from . import exact, floats
from .measure import measure
from .operands import operands_of
from .row import Row

ROWS = floats.ROWS + exact.ROWS
# Ops that are no row, and why.
OUTSIDE = {
    "arith.constant": "the f32 nearest to what is written",
    "arith.scaling_extf": "no kernel holds types of 8 bits or fewer",
    "arith.scaling_truncf": "no kernel holds types of 8 bits or fewer"}

__all__ = ["OUTSIDE", "ROWS", "Row", "measure", "operands_of"]
