"""Products of matrices: named ops and generic ones, with all transpositions."""

import numpy as np

from . import bounds
from .bounds import Bounds

NAMED = {"linalg.matmul": "mk,kn->mn", "linalg.batch_matmul": "bmk,bkn->bmn",
         "linalg.matvec": "mk,k->m", "linalg.vecmat": "k,kn->n",
         "linalg.dot": "k,k->"}
GENERIC = ["mk,kn->mn", "km,kn->mn", "mk,nk->mn", "km,nk->mn", "mk,kn->nm",
           "bmk,bkn->bmn", "bkm,bnk->bmn", "mbk,kbn->bmn", "bmk,kn->bmn",
           "mk,mk->m", "mkl,kln->mn"]


def contract(spec, left, right, start=None):
    """Bounds of a sum of products, given by an einsum of two operands."""
    inputs, result = spec.split("->")
    first, second = inputs.split(",")
    summed = "".join(sorted(set(first + second) - set(result)))
    wide = result + summed
    sizes = dict(zip(first, left.shape))
    sizes.update(zip(second, right.shape))
    shape = tuple(sizes[x] for x in wide)

    def spread(array, letters):
        order = [letters.index(x) for x in wide if x in letters]
        view = array.transpose(order).reshape(
            [sizes[x] if x in letters else 1 for x in wide])
        return np.broadcast_to(view, shape)
    a, b = (Bounds(spread(v.low, letters), spread(v.high, letters),
                   spread(v.loose, letters))
            for v, letters in ((left, first), (right, second)))
    count = int(np.prod([sizes[x] for x in summed]))
    terms = bounds.multiply(a, b, 1)
    # Beyond the range only where it is rounded apart from the sum.
    finite = np.isfinite(a.low) & np.isfinite(a.high) & np.isfinite(
        b.low) & np.isfinite(b.high)
    terms = terms.loosened(finite & ~(np.isfinite(terms.low)
                                      & np.isfinite(terms.high)))
    flat = tuple(sizes[x] for x in result) + (count,)
    return bounds.total(terms.reshape(flat), -1, 2, start)


def _node(spec, left, right):
    """The rule of a product: each operand's is a product as well."""
    inputs, result = spec.split("->")
    first, second = inputs.split(",")

    def spread(letters, other):
        # What neither the cotangent nor the other operand has is not there.
        assert set(letters) <= set(result) | set(other)
        return f"{result},{other}->{letters}"

    def pull(cots):
        return [contract(spread(first, second), cots[0], right.bounds),
                contract(spread(second, first), cots[0], left.bounds)]
    return [left, right], pull


def product(program, pick):
    random = program.random
    named = random.random() < 0.5
    name = random.choice(list(NAMED)) if named else "linalg.generic"
    spec = NAMED[name] if named else random.choice(GENERIC)
    inputs, result = spec.split("->")
    first, second = inputs.split(",")
    letters = sorted(set(first + second))
    sizes = {x: random.choice(program.sizes) for x in letters}
    if program.dynamic:
        sizes[random.choice(letters)] = program.rows()
    transposed = name == "linalg.matmul" and random.random() < 0.5
    if transposed:
        first, second = random.choice([("km", "kn"), ("mk", "nk"),
                                       ("km", "nk")])
        spec = f"{first},{second}->{result}"
    left = pick(kind="f", dims=tuple(sizes[x] for x in first))
    right = pick(kind="f", dims=tuple(sizes[x] for x in second))
    dims = tuple(sizes[x] for x in result)
    start = program.splat(random.choice([0.0, 0.0, 0.0, 1.5]), dims)
    limits = contract(spec, left.bounds, right.bounds, start.bounds)
    summed = [x for x in letters if x not in result]
    order = list(result) + summed
    maps = ""
    if transposed or not named:
        names = ", ".join(order)
        maps = ", ".join(f"affine_map<({names}) -> ({', '.join(x)})>"
                         for x in (first, second, result))
        maps = f"indexing_maps = [{maps}]"
    types = (f"ins({left.name}, {right.name} : {left.type}, {right.type}) "
             f"outs({start.name} : {start.type})")
    program.kinds.append(f"{name} {spec}")
    if named:
        text = f"$ = {name} {maps} {types} -> {start.type}"
    else:
        kinds = ", ".join('"reduction"' if x in summed else '"parallel"'
                          for x in order)
        text = (f"$ = linalg.generic {{{maps}, iterator_types = [{kinds}]}} "
                f"{types} {{\n^bb0(%x: f32, %y: f32, %z: f32):\n"
                "%p = arith.mulf %x, %y : f32\n%s = arith.addf %z, %p : f32\n"
                f"linalg.yield %s : f32\n}} -> {start.type}")
    return program.define("f", dims, limits, text, [left, right, start],
                          _node(spec, left, right))


def softmax(program, pick):
    """`linalg.softmax`: from float64, and what roundings of its operand do."""
    value = pick(kind="f", rank=(1, 3))
    axis = program.random.randrange(len(value.dims))
    limits = softmax_bounds(value.bounds, axis)
    start = program.empty("f", value.dims)

    def pull(cots):
        y, cot = limits, cots[0]
        size = np.maximum(np.abs(cot.low), np.abs(cot.high))
        middle = cot.low / 2 + cot.high / 2
        center = (y.low + y.high) / 2
        mean = (center * middle).sum(axis, keepdims=True)
        result = center * (middle - mean)
        spread = np.abs(cot.high - cot.low) / 2
        relative = 2.0**-24 * (32 + value.bounds.shape[axis]) + _spread(
            value.bounds, axis)
        error = center * ((center * (spread + relative * size)).sum(
            axis, keepdims=True) + spread + relative * size) + 2.0**-126 * (
                1 + size)
        loose = (cot.loose | y.loose | ~np.isfinite(result)
                 | (relative > 0.01)).any(axis, keepdims=True)
        loose = np.broadcast_to(loose, result.shape)
        return [bounds.rounded(result - error, result + error, loose, 0)]
    program.kinds.append("linalg.softmax")
    return program.define("f", value.dims, limits,
                          f"$ = linalg.softmax dimension({axis}) ins("
                          f"{value.name} : {value.type}) outs({start.name} : "
                          f"{start.type}) -> {value.type}", [value, start],
                          ([value], pull))


def _spread(limits, axis):
    """Twice the widest half width: what it does to a quotient of exponentials."""
    with np.errstate(all="ignore"):
        width = np.where(np.isfinite(limits.low), limits.high - limits.low, 0)
        return width.max(axis, keepdims=True, initial=0)


def softmax_bounds(limits, axis):
    with np.errstate(all="ignore"):
        middle = np.where(limits.low == limits.high, limits.low,
                          limits.low / 2 + limits.high / 2)
        if not middle.shape[axis]:
            return Bounds(middle, None, limits.loose)
        shifted = middle - middle.max(axis, keepdims=True)
        power = np.exp(shifted)
        y = power / power.sum(axis, keepdims=True)
        # The difference is rounded before the exponential.
        relative = 2.0**-24 * (16 + middle.shape[axis] + np.where(
            np.isfinite(shifted), np.abs(shifted), 0)) + _spread(limits, axis)
        loose = (limits.loose | (np.isinf(limits.high)
                                 & (limits.low != limits.high))).any(
            axis, keepdims=True) | (relative > 0.01)
        error = y * relative + 2.0**-148
        result = bounds.rounded(y - error, y + error,
                                np.broadcast_to(loose, y.shape), 0)
        return result


KINDS = [product, product, product, softmax]
