"""Arrays of bounds: where the result of arithmetic in f32 must lie.

The reference of a random function computes in float64, and carries with each
element the lowest and the highest value that a device may give: IEEE's rounding
for sums, differences and products, a number of ulps for the others, and all that
follows from earlier roundings. An element of which nothing can be said, as behind
a jump that rounding may cross or where an infinity meets another by chance, is
`loose`: it is counted, and not compared.
"""

import itertools

import numpy as np

SMALLEST_NORMAL = 2.0**-126
LARGEST = float(np.finfo(np.float32).max)
_OVERFLOW = LARGEST * (1 + 2.0**-25)  # what rounds to infinity


class Bounds:
    """Lowest and highest values of an array.

    Attributes
    ----------
    low, high : numpy.ndarray
        float64 for floats; int64 for integers and truth values, which are exact:
        both are one array. A NaN that is certain is NaN in both.
    loose : numpy.ndarray of bool
    """

    def __init__(self, low, high=None, loose=None):
        self.low = np.asarray(low)
        self.high = self.low if high is None else np.asarray(high)
        self.loose = (np.zeros(self.low.shape, bool) if loose is None
                      else np.broadcast_to(loose, self.low.shape))

    @property
    def shape(self):
        return self.low.shape

    @property
    def is_float(self):
        return self.low.dtype.kind == "f"

    @property
    def exact(self):
        """Whether all elements are known to the bit."""
        return not self.loose.any() and (
            self.high is self.low
            or bool((same(self.low, self.high)).all()))

    def take(self, positions):
        """The elements at these positions of the flat array."""
        low = self.low.reshape(-1)[positions]
        high = low if self.high is self.low else \
            self.high.reshape(-1)[positions]
        return Bounds(low, high, self.loose.reshape(-1)[positions])

    def reshape(self, shape):
        high = None if self.high is self.low else self.high.reshape(shape)
        return Bounds(self.low.reshape(shape), high, self.loose.reshape(shape))

    def where(self, mask, other):
        """These elements where the mask holds, else those of `other`."""
        return Bounds(np.where(mask, self.low, other.low),
                      np.where(mask, self.high, other.high),
                      np.where(mask, self.loose, other.loose))

    def loosened(self, mask):
        return Bounds(self.low, self.high, self.loose | mask)


def same(a, b):
    """Equal, also NaN and NaN; zeros with one sign."""
    equal = (a == b) & (np.signbit(a) == np.signbit(b)) \
        if a.dtype.kind == "f" else a == b
    return equal | ((a != a) & (b != b))


def given(values):
    """The bounds of an input, to the bit."""
    if values.dtype.kind != "f":
        return Bounds(values.astype(np.int64))
    return Bounds(values.astype(np.float64))


def constant(value, shape):
    return Bounds(np.full(shape, float(value)))


def zeros(shape):
    return constant(0.0, shape)


def ulp(values):
    """The distance of f32 numbers around these, at least the least normal's."""
    size = np.clip(np.abs(values), SMALLEST_NORMAL, LARGEST)
    size = np.where(np.isnan(values), 1.0, size)
    return np.exp2(np.floor(np.log2(size)) - 23)


def rounded(low, high, loose, ulps):
    """What f32 makes of exact results between `low` and `high`.

    Without `ulps` the op rounds as IEEE has it. A device may take a number below
    the least normal for a zero of its sign, so that one may be either.
    """
    with np.errstate(all="ignore"):
        if not callable(ulps) and np.ndim(ulps) == 0 and ulps == 0:
            low = low.astype(np.float32).astype(np.float64)
            high = (low if high is low
                    else high.astype(np.float32).astype(np.float64))
        else:
            low, high = low - ulps * ulp(low), high + ulps * ulp(high)
            low = np.where(low >= _OVERFLOW, np.inf, np.where(
                low < -LARGEST, -np.inf, low))
            high = np.where(high <= -_OVERFLOW, -np.inf, np.where(
                high > LARGEST, np.inf, high))
        return Bounds(*flushed(low, high), loose)


def flushed(low, high):
    """Let numbers below the least normal be zeros as well."""
    # [a, b] with a tiny a > 0 begins at +0; with a tiny b < 0 it ends at -0.
    down = (low > 0) & (low < SMALLEST_NORMAL)
    up = (high < 0) & (high > -SMALLEST_NORMAL)
    if not (down.any() or up.any()):
        return low, high
    return np.where(down, 0.0, low), np.where(up, -0.0, high)


def apply(function, arguments, ulps=0, cut=None, monotone=False):
    """Map a function of numbers over bounds.

    Parameters
    ----------
    function : callable
        Of float64 arrays; elementwise.
    arguments : list of Bounds
    ulps : float or callable
        The error of a device's op beside that of its operands; a callable is
        given the values of the arguments in the middle and gives an array.
    cut : callable, optional
        Given lists of lows and highs, says where a jump, a kink or a pole lies
        between them.
    monotone : bool
        In each argument.
    """
    with np.errstate(all="ignore"):
        arguments = [Bounds(*flushed(a.low, a.high), a.loose)
                     for a in arguments]
        loose = np.zeros(np.broadcast_shapes(*(a.shape for a in arguments)),
                         bool)
        open_ = loose
        for a in arguments:
            loose = loose | a.loose
            open_ = open_ | ~same(a.low, a.high)
        lows, highs = ([a.low for a in arguments], [a.high for a in arguments])
        if not open_.any():
            low = high = np.asarray(function(*lows), np.float64)
            # A number that is computed exactly may lie at a cut all the same.
            middle = lows
        else:
            middle = [np.where(same(a, b), a, a / 2 + b / 2)
                      for a, b in zip(lows, highs)]
            samples = [np.asarray(function(*corner), np.float64)
                       for corner in itertools.product(*zip(lows, highs))]
            samples.append(np.asarray(function(*middle), np.float64))
            samples = np.stack(samples)
            nan = np.isnan(samples)
            loose = loose | (nan.any(0) & ~nan.all(0))
            low, high = samples.min(0), samples.max(0)
            # Zeros of both signs: the lower is -0.
            negative = (np.signbit(samples) & (samples == 0)).any(0)
            positive = (~np.signbit(samples) & (samples == 0)).any(0)
            low = np.where((low == 0) & negative, -0.0, low)
            high = np.where((high == 0) & positive, 0.0, high)
            if not monotone:
                slack = np.where(np.isfinite(high - low) & (high > low),
                                 (high - low) / 4, 0.0)
                low, high = (np.where(slack > 0, low - slack, low),
                             np.where(slack > 0, high + slack, high))
            if cut is not None:
                loose = loose | (open_ & cut(lows, highs))
        if callable(ulps):
            ulps = ulps(*middle)
        return rounded(low, high, loose, ulps)


def contains(point):
    """A cut at one value of the first argument."""
    return lambda lows, highs: (lows[0] <= point) & (highs[0] >= point)


def add(a, b):
    return apply(np.add, [a, b], monotone=True)


def multiply(a, b, ulps=0):
    return apply(np.multiply, [a, b], ulps, monotone=True)


def total(terms, axis, roundings=2, start=None):
    """A sum in any order, of terms of which each has some more roundings.

    Parameters
    ----------
    terms : Bounds
    axis : int
    roundings : float
        Of a term, in units of 2**-24, beside those of its bounds.
    start : Bounds, optional
        What is added to.
    """
    with np.errstate(all="ignore"):
        low, high = terms.low.sum(axis), terms.high.sum(axis)
        size = np.maximum(np.abs(terms.low), np.abs(terms.high))
        finite = np.where(np.isfinite(size), size, 0).sum(axis)
        size = size.sum(axis)
        loose = terms.loose.any(axis)
        count = terms.shape[axis]
        if start is not None:
            low, high = low + start.low, high + start.high
            first = np.maximum(np.abs(start.low), np.abs(start.high))
            size = size + first
            finite = finite + np.where(np.isfinite(first), first, 0)
            loose = loose | start.loose
            count += 1
        # Zeros and one more number are exact in any order.
        exact = (low == high) & (size == np.abs(low))
        steps = np.maximum(count - 1, 0) + roundings
        error = np.where(exact & (count <= 2), 0, steps) * 2.0**-24 * size
        error = error + np.where(size == 0, 0.0, count * 2.0**-149)
        nan = np.isnan(low) | np.isnan(high)
        certain = np.isnan(low) & np.isnan(high)
        loose = loose | (nan & ~certain)
        # A sum of part of the terms may be beyond the range.
        infinite = np.isinf(low) & (low == high)
        loose = loose | (~certain & (finite * (1 + 1e-5) > LARGEST))
        error = np.where(infinite | nan, 0, error)
        return rounded(low - error, high + error, loose, 0)


def truth(certainly, possibly, loose=False):
    """Truth values: loose where both are possible."""
    return Bounds(certainly.astype(np.int64), None,
                  loose | (certainly != possibly))


def choose(condition, a, b):
    """A select; where the condition is open, the hull of both."""
    result = a.where(condition.low != 0, b)
    if not condition.loose.any():
        return result
    if not a.is_float:
        return result.loosened(condition.loose & (a.low != b.low))
    low, high = np.minimum(a.low, b.low), np.maximum(a.high, b.high)
    low = np.where((a.low == 0) & (b.low == 0) & (
        np.signbit(a.low) | np.signbit(b.low)), -0.0, low)
    loose = a.loose | b.loose | (np.isnan(low) & ~(
        np.isnan(a.low) & np.isnan(b.low)))
    hull = Bounds(low, high, loose)
    return hull.where(condition.loose, result)
