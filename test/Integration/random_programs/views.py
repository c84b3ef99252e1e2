"""Ops that move elements: slices, insertions, reshapes, what is put together."""

import numpy as np

from .values import Dim, Value, integers, shape_of

STRIDES = [1, 1, 2, 3, -1, -1, -2]


def positions_of(value, start=0):
    """The positions of all elements of a tensor, in its shape."""
    shape = shape_of(value.dims)
    return np.arange(start, start + int(np.prod(shape))).reshape(shape)


def _result(program, kind, sources, positions, dims, text, uses):
    limits, pull = program.assemble(sources, positions)
    program.kinds.append(kind)
    return program.define(sources[0].kind, dims, limits, text, uses,
                          (sources, pull))


def _index(program, number):
    """A start, in one of the forms that a program has it: text and uses."""
    form = program.random.random()
    if form < 0.5 or (program.row_count < 1 and form < 0.8):
        return str(number), []
    if form < 0.6:
        value = program.index(number)
    elif form < 0.8 and program.dynamic:
        rows = program.rows()
        value = program.size("addi", rows.value,
                             program.index(number - rows.size))
    else:
        value = from_data(program, number)
    return value.name, [value]


def from_data(program, number):
    """An index that is read from an argument."""
    count = program.random.choice([1, 3])
    at = program.random.randrange(count)
    array = integers(program.random, (count,))
    array[at] = number
    source = program.argument("i", (Dim(count),), array=array)
    where = program.index(at)
    element = program.define(
        "i", None, source.bounds.take(np.int64(at)),
        f"$ = tensor.extract {source.name}[{where.name}] : {source.type}",
        [source, where])
    return program.define(
        "x", None, element.bounds,
        f"$ = arith.index_cast {element.name} : i32 to index", [element])


class Region:
    """A random part of a tensor: text in brackets, and where it lies."""

    def __init__(self, program, dims):
        random = program.random
        self.dims, starts, sizes, strides = [], [], [], []
        self.uses, self.at = [], []
        for dim in dims:
            if dim.value is not None and random.random() < 0.6:
                start, text, uses, size, stride = self._of_rows(program, dim)
            else:
                most = dim.size
                size = Dim(random.randint(min(most, 1), most)
                           if random.random() < 0.8 else min(most, 1))
                stride = random.choice(STRIDES)
                while size.size > 1 and (size.size - 1) * abs(stride) >= most:
                    stride = 1 if stride > 0 else -1
                span = (max(size.size, 1) - 1) * abs(stride)
                start = random.randint(0, max(most - 1 - span, 0))
                start += span if stride < 0 else 0
                text, uses = _index(program, start)
            starts.append(text)
            sizes.append(size.text)
            strides.append(str(stride))
            self.dims.append(size)
            self.uses += uses + ([size.value] if size.value else [])
            self.at.append(start + stride * np.arange(size.size))
        self.text = (f"[{', '.join(starts)}] [{', '.join(sizes)}] "
                     f"[{', '.join(strides)}]")

    def _of_rows(self, program, dim):
        """All rows of a dynamic dimension, forward or back, or all but one."""
        one, form = program.index(1), program.random.random()
        if form < 0.4 or dim.size < 1:
            return 0, "0", [], dim, 1
        last = program.size("subi", dim.value, one)
        if form < 0.7:
            return dim.size - 1, last.name, [last], dim, -1
        rest = Dim(dim.size - 1, last)
        return (0, "0", [], rest, 1) if form < 0.85 else (1, "1", [], rest, 1)

    def positions(self, dims):
        """Of its elements in all of the tensor."""
        shape = shape_of(dims)
        return np.ravel_multi_index(
            np.meshgrid(*self.at, indexing="ij"), shape, mode="clip") \
            if self.at else np.zeros((), np.int64)

    def dropped(self, program):
        """Which dimensions of size 1 the slice's type lacks."""
        return [d.value is None and d.size == 1
                and program.random.random() < 0.5 for d in self.dims]


def extract_slice(program, pick):
    value = pick(rank=(1, 3))
    region = Region(program, value.dims)
    positions = region.positions(value.dims)
    dropped = region.dropped(program)
    dims = tuple(d for d, gone in zip(region.dims, dropped) if not gone)
    result = Value("", value.kind, dims, value.bounds.take(
        positions.reshape(shape_of(dims))))
    return _result(program, "tensor.extract_slice", [value],
                   positions.reshape(shape_of(dims)), dims,
                   f"$ = tensor.extract_slice {value.name}{region.text} : "
                   f"{value.type} to {result.type}", [value, *region.uses])


def insert_slice(program, pick):
    value = pick(rank=(1, 3))
    region = Region(program, value.dims)
    source = pick(kind=value.kind, dims=tuple(region.dims))
    positions = positions_of(value)
    flat = positions.reshape(-1)
    flat[region.positions(value.dims)] = positions_of(
        source, int(np.prod(shape_of(value.dims))))
    return _result(program, "tensor.insert_slice", [value, source], positions,
                   value.dims,
                   f"$ = tensor.insert_slice {source.name} into {value.name}"
                   f"{region.text} : {source.type} into {value.type}",
                   [value, source, *region.uses])


def _element(program, value):
    texts, uses, at = [], [], []
    for dim in value.dims:
        number = program.random.randrange(dim.size)
        text, used = _index(program, number)
        if not used:
            used = [program.index(number)]
            text = used[0].name
        texts.append(text)
        uses += used
        at.append(number)
    flat = int(np.ravel_multi_index(at, shape_of(value.dims))) if at else 0
    return f"[{', '.join(texts)}]", uses, flat


def extract(program, pick):
    """An element, and a tensor full of it."""
    value = pick(rank=(0, 3), full=True)
    where, uses, at = _element(program, value)
    program.kinds.append("tensor.extract")
    limits, pull = program.assemble([value], np.int64(at))
    scalar = program.define(value.kind, None, limits,
                            f"$ = tensor.extract {value.name}{where} : "
                            f"{value.type}", [value, *uses], ([value], pull))
    dims = program.shape()
    if program.random.random() < 0.5 or any(d.value for d in dims):
        return program.fill(scalar, dims)
    positions = np.zeros(shape_of(dims), np.int64)
    return _result(program, "tensor.splat", [scalar], positions, dims,
                   f"$ = tensor.splat {scalar.name} : "
                   + Value("", value.kind, dims, scalar.bounds.take(
                       positions)).type, [scalar])


def insert(program, pick):
    value, source = pick(rank=(0, 3), full=True), None
    source = pick(kind=value.kind, rank=(0, 2), full=True)
    where, uses, at = _element(program, source)
    limits, pull = program.assemble([source], np.int64(at))
    scalar = program.define(source.kind, None, limits,
                            f"$ = tensor.extract {source.name}{where} : "
                            f"{source.type}", [source, *uses],
                            ([source], pull))
    where, uses, at = _element(program, value)
    positions = positions_of(value)
    positions.reshape(-1)[at] = positions.size
    return _result(program, "tensor.insert", [value, scalar], positions,
                   value.dims,
                   f"$ = tensor.insert {scalar.name} into {value.name}{where} :"
                   f" {value.type}", [value, scalar, *uses])


def collapse(program, pick):
    value = pick(rank=(2, 3))
    first = program.random.randrange(len(value.dims) - 1)
    a, b = value.dims[first:first + 2]
    dim = Dim(a.size * b.size)
    uses = [value]
    if a.value or b.value:
        dim = Dim(dim.size, program.size("muli", program.extent(a),
                                         program.extent(b)))
    dims = value.dims[:first] + (dim,) + value.dims[first + 2:]
    groups, at = [], 0
    for i in range(len(dims)):
        width = 2 if i == first else 1
        groups.append(list(range(at, at + width)))
        at += width
    positions = positions_of(value).reshape(shape_of(dims))
    result = Value("", value.kind, dims, value.bounds.take(positions))
    return _result(program, "tensor.collapse_shape", [value], positions, dims,
                   f"$ = tensor.collapse_shape {value.name} {groups} : "
                   f"{value.type} into {result.type}", uses)


def _split(program, dim):
    """Two dimensions of a static one, or of any with a 1."""
    factors = [n for n in (1, 2, 3, 4, 5, 7, 8, 16, 17)
               if dim.value is None and n <= max(dim.size, 1)
               and dim.size % n == 0]
    factor = program.random.choice(factors) if factors else 1
    parts = [Dim(factor), Dim(dim.size // factor, dim.value)]
    program.random.shuffle(parts)
    return parts


def expand(program, pick):
    value = pick(rank=(1, 2))
    at = program.random.randrange(len(value.dims))
    parts = _split(program, value.dims[at])
    dims = value.dims[:at] + tuple(parts) + value.dims[at + 1:]
    groups, position = [], 0
    for i in range(len(value.dims)):
        width = 2 if i == at else 1
        groups.append(list(range(position, position + width)))
        position += width
    positions = positions_of(value).reshape(shape_of(dims))
    result = Value("", value.kind, dims, value.bounds.take(positions))
    sizes = ", ".join(d.text for d in dims)
    return _result(program, "tensor.expand_shape", [value], positions, dims,
                   f"$ = tensor.expand_shape {value.name} {groups} "
                   f"output_shape [{sizes}] : {value.type} into {result.type}",
                   [value, *result.sizes])


def reshape(program, pick):
    value = pick(rank=(1, 3), static=True)
    count = int(np.prod(shape_of(value.dims)))
    dims = tuple(_split(program, Dim(count)))
    positions = positions_of(value).reshape(shape_of(dims))
    result = Value("", value.kind, dims, value.bounds.take(positions))
    parts = [program.index(d.size) for d in dims]
    shape = Value(program.name(), "x", (Dim(2),), program.index(0).bounds.take(
        np.zeros(2, np.int64)))
    program.emit(f"{shape.name} = tensor.from_elements {parts[0].name}, "
                 f"{parts[1].name} : {shape.type}", parts, [shape])
    return _result(program, "tensor.reshape", [value], positions, dims,
                   f"$ = tensor.reshape {value.name}({shape.name}) : "
                   f"({value.type}, {shape.type}) -> {result.type}",
                   [value, shape])


def concat(program, pick):
    value = pick(rank=(1, 3))
    axis = program.random.randrange(len(value.dims))
    parts = [value]
    for _ in range(program.random.randint(1, 2)):
        dims = list(value.dims)
        if program.random.random() < 0.5:
            dims[axis] = program.random.choice(program.sizes)
        parts.append(pick(kind=value.kind, dims=tuple(dims)))
    size = sum(p.dims[axis].size for p in parts)
    dim = Dim(size)
    if any(p.dims[axis].value for p in parts):
        whole = program.extent(parts[0].dims[axis])
        for part in parts[1:]:
            whole = program.size("addi", whole, program.extent(
                part.dims[axis]))
        dim = Dim(size, whole)
    dims = value.dims[:axis] + (dim,) + value.dims[axis + 1:]
    start, places = 0, []
    for part in parts:
        places.append(positions_of(part, start))
        start += places[-1].size
    result = ", ".join(p.name for p in parts)
    types = ", ".join(p.type for p in parts)
    positions = np.concatenate(places, axis)
    typed = Value("", value.kind, dims, program.assemble(parts, positions)[0])
    return _result(program, "tensor.concat", parts, positions, dims,
                   f"$ = tensor.concat dim({axis}) {result} : ({types}) -> "
                   f"{typed.type}", parts)


def pad(program, pick):
    value = pick(rank=(1, 2), kind="f")
    edges, dims = [], []
    for dim in value.dims:
        low, high = program.random.choice([(0, 0), (1, 0), (0, 2), (2, 1)])
        edges.append((low, high))
        grown = Dim(dim.size + low + high)
        if dim.value is not None:
            grown = Dim(grown.size, dim.value if low + high == 0 else
                        program.size("addi", dim.value,
                                     program.index(low + high)))
        dims.append(grown)
    filler = program.number(program.random.choice([0.0, -1.0, 2.5, np.inf])
                            if not program.tame else 0.5)
    count = int(np.prod(shape_of(value.dims)))
    positions = np.pad(positions_of(value), edges, constant_values=count)
    typed = Value("", "f", tuple(dims),
                  program.assemble([value, filler], positions)[0])
    names = ", ".join(f"%i{i}: index" for i in range(len(dims)))
    low, high = ([e[i] for e in edges] for i in (0, 1))
    return _result(program, "tensor.pad", [value, filler], positions,
                   tuple(dims),
                   f"$ = tensor.pad {value.name} low{low} high{high} {{\n"
                   f"^bb0({names}):\ntensor.yield {filler.name} : f32\n}} : "
                   f"{value.type} to {typed.type}", [value, filler])


def transpose(program, pick):
    value = pick(rank=(2, 3))
    order = list(range(len(value.dims)))
    program.random.shuffle(order)
    dims = tuple(value.dims[i] for i in order)
    start = program.empty(value.kind, dims)
    return _result(program, "linalg.transpose", [value],
                   positions_of(value).transpose(order), dims,
                   f"$ = linalg.transpose ins({value.name} : {value.type}) "
                   f"outs({start.name} : {start.type}) permutation = {order}",
                   [value, start])


def broadcast(program, pick):
    value = pick(rank=(0, 2))
    axis = program.random.randint(0, len(value.dims))
    new = program.random.choice(program.sizes)
    dims = value.dims[:axis] + (new,) + value.dims[axis:]
    start = program.empty(value.kind, dims)
    return _result(program, "linalg.broadcast", [value],
                   np.repeat(np.expand_dims(positions_of(value), axis),
                             new.size, axis), dims,
                   f"$ = linalg.broadcast ins({value.name} : {value.type}) "
                   f"outs({start.name} : {start.type}) dimensions = [{axis}]",
                   [value, start])


def cast(program, pick):
    value = pick(rank=(1, 2), static=True)
    at = program.random.randrange(len(value.dims))
    dims = list(value.dims)
    dims[at] = Dim(dims[at].size, program.index(dims[at].size))
    typed = Value("", value.kind, tuple(dims), value.bounds)
    return _result(program, "tensor.cast", [value], positions_of(value),
                   tuple(dims), f"$ = tensor.cast {value.name} : {value.type} "
                   f"to {typed.type}", [value])


def from_elements(program, pick):
    value = pick(rank=(0, 2), full=True)
    scalars, at = [], []
    for _ in range(program.random.randint(1, 3)):
        where, uses, position = _element(program, value)
        limits, pull = program.assemble([value], np.int64(position))
        scalars.append(program.define(
            value.kind, None, limits,
            f"$ = tensor.extract {value.name}{where} : {value.type}",
            [value, *uses], ([value], pull)))
    at = np.arange(len(scalars))
    dims = (Dim(len(scalars)),)
    typed = Value("", value.kind, dims, program.assemble(scalars, at)[0])
    return _result(program, "tensor.from_elements", scalars, at, dims,
                   f"$ = tensor.from_elements "
                   f"{', '.join(s.name for s in scalars)} : {typed.type}",
                   scalars)


KINDS = [extract_slice, extract_slice, insert_slice, insert_slice, extract,
         insert, collapse, expand, reshape, concat, pad, transpose, broadcast,
         cast, from_elements]
