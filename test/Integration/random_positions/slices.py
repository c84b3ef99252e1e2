"""tensor.extract_slice and tensor.insert_slice, also downwards, in any dim."""

import dataclasses

import numpy as np

from .case import FAR, Case, Fault, numbers
from .text import index_of, limit_of, tensor_type


def check_slice(op, start, size, stride, total, dim, limit,
                kernel="elementwise"):
    """Raise the fault of a slice that leaves its tensor along a dim."""
    start, size, stride = int(start), int(size), int(stride)
    last = start + (size - 1) * stride
    good = 0 <= start < total and 0 <= last < total if size else \
        0 <= start <= total
    if op == "tensor.insert_slice" and stride == 0 and size > 1:
        good = False  # two elements in one place
    if not good:
        raise Fault(f"kernel '{kernel}': expected '{op}' to start and end in "
                    f"[0, {limit}) along dim {dim}, but got start {start}")


@dataclasses.dataclass
class Dim:
    """A dim of a slice: what is a number here is a constant.

    Attributes
    ----------
    total : int or None
        The size of the tensor, None if it is dynamic.
    start, stride : int or None
        None where it is data.
    size : int or None
        None where it is the size of another tensor.
    dropped : bool
    """

    total: int = None
    start: int = None
    size: int = None
    stride: int = None
    dropped: bool = False

    @property
    def is_data(self):
        return self.start is None or self.stride is None


# At most one size of a tensor is dynamic.
FORMS = [
    [Dim(stride=1)],
    [Dim(stride=-1)],
    [Dim()],
    [Dim(total=9, size=3, stride=-2)],
    [Dim(total=9, size=4, start=4)],
    [Dim(stride=-1), Dim(total=6, size=4, stride=-1)],
    [Dim(size=2), Dim(total=8, start=0, size=8, stride=1)],
    [Dim(total=6, start=5, size=6, stride=-1), Dim()],
    [Dim(size=1, stride=1, dropped=True), Dim(total=8, size=4, stride=-1)],
    [Dim(total=4, size=2), Dim(size=3), Dim(total=3, size=2)],
    [Dim(total=7, size=3, stride=-2), Dim(total=5, stride=-2),
     Dim(size=2, stride=-3)],
]


def make(number, insert, dims):
    """x, p, y -> the slice of x, or x with y in it.

    The sizes of y are those of the slice; p holds starts and strides.
    """
    op = "tensor.insert_slice" if insert else "tensor.extract_slice"
    name = f"{'insert' if insert else 'extract'}_slice{number}"
    slots = [(dim, kind) for dim, each in enumerate(dims)
             for kind in ("start", "stride") if getattr(each, kind) is None]
    body = "".join(index_of(f"{kind}{dim}", "%p", len(slots), at)
                   for at, (dim, kind) in enumerate(slots))
    source = tensor_type([each.total for each in dims])
    kept = [each for each in dims if not each.dropped]
    piece = tensor_type([each.size for each in kept])
    for dim, each in enumerate(dims):
        if each.size is None:
            at = sum(not other.dropped for other in dims[:dim])
            body += (f"  %d{dim} = arith.constant {at} : index\n"
                     f"  %size{dim} = tensor.dim %y, %d{dim} : {piece}\n")
    operands = " ".join("[" + ", ".join(
        f"%{kind}{dim}" if getattr(each, kind) is None
        else str(getattr(each, kind)) for dim, each in enumerate(dims)) + "]"
        for kind in ("start", "size", "stride"))
    body += (f"  %r = {op} %y into %x{operands} : {piece} into {source}\n"
             if insert else
             f"  %r = {op} %x{operands} : {source} to {piece}\n")
    result = source if insert else piece
    text = (f"func.func @{name}(%x: {source}, %p: tensor<{len(slots)}xi32>, "
            f"%y: {piece}) -> {result} {{\n{body}  return %r : {result}\n}}\n")

    def draw(random):
        totals, sizes, data = [], [], []
        wrong = random.integers(len(dims)) if random.integers(2) else None
        for dim, each in enumerate(dims):
            total, size, start, stride = _draw(random, each, dim == wrong)
            totals.append(total)
            sizes.append(size)
            data += [start] * (each.start is None)
            data += [stride] * (each.stride is None)
        shape = [size for size, each in zip(sizes, dims) if not each.dropped]
        return (numbers(random, *totals), np.array(data, np.int32),
                numbers(random, *shape))

    def expect(x, p, y):
        result, places, data = x.copy(), [], iter(map(int, p))
        shape = iter(y.shape)
        values = []
        for each in dims:
            start = next(data) if each.start is None else each.start
            stride = next(data) if each.stride is None else each.stride
            values.append((start, 1 if each.dropped else next(shape), stride))
        for dim, (each, value) in enumerate(zip(dims, values)):
            if each.is_data:
                check_slice(op, *value, x.shape[dim], dim, limit_of(
                    [other.total for other in dims], dim))
        places = np.ix_(*(start + stride * np.arange(size)
                          for start, size, stride in values))
        if not insert:
            return [x[places].reshape(y.shape)]
        result[places] = y.reshape([size for _, size, _ in values])
        return [result]

    return Case(name, text, draw, expect, lambda x, p, y: p.size)


def _draw(random, dim, wrong):
    """Total, size, start and stride, which fit unless they shall not."""
    total = dim.total if dim.total is not None else \
        int(random.choice([3, 7]))
    size = dim.size if dim.size is not None else \
        int(random.choice([0, 3] if wrong else [0, 1, 3]))
    size = min(size, total) if dim.size is None else size
    for _ in range(50):
        stride = dim.stride if dim.stride is not None else \
            int(random.integers(-3, 4))
        start = dim.start if dim.start is not None else \
            int(random.integers(0, max(total, 1)))
        last = start + (size - 1) * stride
        if size == 0 or (0 <= last < total and (stride or size == 1)):
            break
    if wrong and dim.stride is None and random.integers(2):
        stride = _far(random, total)
    elif wrong and dim.start is None:
        start = _far(random, total)
    return total, size, start, stride


def _far(random, total):
    if random.integers(2):
        return int(random.choice(FAR))
    return int(random.integers(-total - 2, 2 * total + 2))


CASES = [make(number, insert, dims) for number, dims in enumerate(FORMS)
         for insert in (False, True)]
