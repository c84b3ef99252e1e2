"""Operands for the rows: the same in each run."""

import numpy as np

SPECIAL = np.float32([
    0, -0.0, np.inf, -np.inf, np.nan, 1e-45, -1e-45, 1e-40, 1.1754944e-38, 1e-20,
    1e-8, 1e-6, 1, -1, 2, 3, -2, -3, .5, -.5, 1.5, -8, 2**24, 2**24 + 2, 88.5,
    -88, -103.5, 90, 1e30, -1e30, 3.4028235e38, -3.4028235e38])
WHOLE = np.array([
    0, 1, -1, 2, -2, 3, -3, 7, 31, 32, 33, 63, 64, 65535, 65536, -65536, 46341,
    2**24 - 1, 2**24 + 1, -2**24 - 1, 2**30, -2**30, 2**31 - 64, 2**31 - 1,
    2**31 - 2, -2**31, -2**31 + 1, 0x55555555], np.int64).astype(np.int32)
COUNT = 8192


def floats():
    """Special values, all magnitudes, ranges that cancel, and random bits."""
    random = np.random.default_rng(1)
    spread = np.float32(10)**random.uniform(-38, 38, COUNT).astype(np.float32)
    parts = [SPECIAL, spread * random.choice(np.float32([-1, 1]), COUNT)]
    for low, high in [(-1.2, 1.2), (.5, 2), (-100, 100), (-10, 10)]:
        parts.append(random.uniform(low, high, COUNT).astype(np.float32))
    parts.append(random.integers(0, 2**32, COUNT, np.uint32).view(np.float32))
    # Halves, and whole numbers up to the largest that integers hold.
    parts.append(random.integers(-2**20, 2**20, COUNT).astype(np.float32) / 2)
    parts.append(random.uniform(-2**32, 2**32, COUNT).astype(np.float32))
    return np.concatenate(parts)


def integers():
    """Special values, small ones, and random bits."""
    random = np.random.default_rng(3)
    return np.concatenate([
        WHOLE, random.integers(-40, 40, 2 * COUNT, np.int32),
        random.integers(-2**31, 2**31, 4 * COUNT).astype(np.int32)])


def _paired(special, others, seed):
    """All pairs of special values, and the others in two orders."""
    shuffled = np.random.default_rng(seed).permutation(others)
    return (np.concatenate([np.repeat(special, special.size), others]),
            np.concatenate([np.tile(special, special.size), shuffled]))


def _triples():
    """Pairs, and a third operand that is near their product's opposite, or any.
    """
    x, y = _paired(SPECIAL, floats(), 2)
    random = np.random.default_rng(4)
    with np.errstate(all="ignore"):
        near = -(x.astype(np.float64) * y)
        near *= 1 + random.choice([0, 2e-8, -1e-7, 1e-3, 3], x.size)
        near = near.astype(np.float32)
    any_at_all = random.permutation(x)
    some = np.repeat(SPECIAL, -(-x.size // SPECIAL.size))[:x.size]
    return [np.concatenate([x, x, x]), np.concatenate([y, y, y]),
            np.concatenate([near, any_at_all, some])]


def operands_of(kinds):
    """Arrays [N, 4] for operands of these kinds."""
    if kinds == "fff":
        arrays = _triples()
    elif kinds == "fi":
        powers = np.random.default_rng(5).permutation(integers())
        x, y = np.tile(floats(), 2), np.tile(np.concatenate(
            [np.arange(-5, 6, dtype=np.int32), powers]), 2)
        size = max(x.size, y.size)
        arrays = [np.concatenate([np.repeat(SPECIAL, WHOLE.size),
                                  np.resize(x, size)]),
                  np.concatenate([np.tile(WHOLE, SPECIAL.size),
                                  np.resize(y, size)])]
    elif len(kinds) == 1:
        arrays = [floats() if kinds == "f" else integers()]
    else:
        special, others = ((SPECIAL, floats()) if kinds == "ff" else
                           (WHOLE, integers()))
        arrays = _paired(special, others, 2)
    return [np.resize(x, (-(-x.size // 4), 4)) for x in arrays]
