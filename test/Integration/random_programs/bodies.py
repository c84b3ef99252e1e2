"""`linalg.generic`: any maps, `linalg.index`, gathers, reductions, several results.

The body of an op is drawn like a function: its values have the shape of the loops.
"""

import numpy as np

from . import bounds, elements
from .bounds import Bounds
from .reductions import REDUCERS, combiner, reduce_bounds
from .values import Dim, Value, shape_of


class Loops:
    """The loops of a generic op, and positions of operands in them."""

    def __init__(self, program):
        choices = list(program.sizes)
        if program.dynamic:
            choices += [program.rows()] * 2
        rank = program.random.choice([1, 2, 2, 2, 3])
        self.dims = [program.random.choice(choices) for _ in range(rank)]
        # One dynamic dimension each.
        for i, dim in enumerate(self.dims):
            if dim.value and any(d.value for d in self.dims[:i]):
                self.dims[i] = program.sizes[0]
        while np.prod(shape_of(self.dims)) > 1500:
            self.dims = self.dims[:-1]
        self.shape = shape_of(self.dims)
        self.grid = np.indices(self.shape) if self.shape else []
        self.names = [f"d{i}" for i in range(len(self.dims))]

    def map(self, results):
        return (f"affine_map<({', '.join(self.names)}) -> "
                f"({', '.join(results)})>")


def operand_map(program, loops):
    """A random map: expressions, dimensions of the operand, positions."""
    random = program.random
    axes = list(range(len(loops.dims)))
    random.shuffle(axes)
    axes = axes[:random.choice([len(axes)] * 3 + [random.randint(
        0, len(axes))])]
    results, dims, at = [], [], []
    for axis in axes:
        dim, grid, name = loops.dims[axis], loops.grid[axis], f"d{axis}"
        form = random.random()
        if dim.value is None and form < 0.12:
            results.append(f"-{name} + {dim.size - 1}")
            at.append(dim.size - 1 - grid)
            dims.append(dim)
        elif form < 0.2:
            # One fixed place of a dimension that no loop runs over.
            other = random.choice(program.sizes)
            place = random.randrange(other.size)
            results.append(str(place))
            at.append(np.full(loops.shape, place))
            dims.append(other)
        elif form < 0.3 and dim.value is None:
            window = random.choice(axes)
            other = loops.dims[window]
            if other.value is None:
                results.append(f"{name} + d{window}")
                at.append(grid + loops.grid[window])
                dims.append(Dim(dim.size + other.size - 1))
            else:
                results.append(name)
                at.append(grid)
                dims.append(dim)
        else:
            results.append(name)
            at.append(grid)
            dims.append(dim)
    return results, tuple(dims), at


def _flat(at, dims, shape):
    if not dims:
        return np.zeros(shape, np.int64)
    return np.ravel_multi_index([np.broadcast_to(a, shape) for a in at],
                                shape_of(dims), mode="clip") \
        if np.prod(shape) else np.zeros(shape, np.int64)


def _moved(program, source, positions, kind=None):
    """A value of the body that reads a tensor at positions."""
    limits, pull = program.assemble([source], positions)
    value = Value(program.name(), kind or source.kind,
                  tuple(Dim(n) for n in positions.shape), limits)
    program.link([source], [value], pull)
    return value


class Body:
    """The lines of a body in the making, and its values."""

    def __init__(self, program, loops, values):
        self.program, self.loops, self.values = program, loops, values
        self.lines, self.uses, self.read = [], [], set()

    def _scalar(self, kind, limits, text):
        dims = tuple(Dim(n) for n in self.loops.shape)
        value = Value(self.program.name(), kind, dims, limits)
        self.lines.append(text.replace("$", value.name))
        self.values.append(value)
        return value

    def place(self):
        """The number of a loop."""
        axis = self.program.random.randrange(len(self.loops.dims))
        self.program.kinds.append("linalg.index")
        return self._scalar("x", Bounds(self.loops.grid[axis].astype(np.int64)),
                            f"$ = linalg.index {axis} : index")

    def number(self, kind, choices=None):
        random, shape = self.program.random, self.loops.shape
        if kind == "f":
            value = np.float32(random.choice([0.5, -1.5, 2.0, 0.0, 3.0]))
            bits = int(value.view(np.uint32))
            return self._scalar("f", bounds.given(np.full(shape, value)),
                                f"$ = arith.constant 0x{bits:08X} : f32")
        if kind == "x":
            value = random.choice([1, 2, 3, 7, 1000, 50000, 3000000000, -1, -5,
                                   10**10])
        else:
            value = random.choice(choices or [1, 2, 5, -3, 31])
        return self._scalar(kind, Bounds(np.full(shape, value)),
                            f"$ = arith.constant {value} : "
                            + ("index" if kind == "x" else "i32"))

    def gather(self):
        """An element of a tensor, at positions from data or from loops."""
        program = self.program
        tables = [v for v in program.values if v.dims and 0 not in shape_of(
            v.dims) and len(v.dims) <= 2 and v.kind in "fi"]
        if not tables:
            return
        table = program.random.choice(tables)
        at, names = [], []
        for dim in table.dims:
            raw = self._position(dim)
            if raw is None:
                return
            names.append(raw.name)
            at.append(raw.bounds.low)
        positions = _flat(at, table.dims, self.loops.shape)
        value = _moved(program, table, positions)
        self.lines.append(f"{value.name} = tensor.extract {table.name}"
                          f"[{', '.join(names)}] : {table.type}")
        self.uses.append(table)
        self.values.append(value)
        program.kinds.append("gather")

    def _position(self, dim):
        """An index that lies within a dimension."""
        raw = [v for v in self.values if v.kind in "ix"
               and not v.bounds.loose.any()]
        if not raw:
            raw = [self.place()]
        index = self.program.random.choice(raw)
        if index.kind == "i":
            index = self._scalar("x", index.bounds, "$ = arith.index_cast "
                                 f"{index.name} : i32 to index")
        low = index.bounds.low
        if low.size and 0 <= low.min() and low.max() < dim.size:
            return index
        zero = self._scalar("x", Bounds(np.zeros(self.loops.shape, np.int64)),
                            "$ = arith.constant 0 : index")
        if dim.value is None:
            last = self._scalar(
                "x", Bounds(np.full(self.loops.shape, dim.size - 1)),
                f"$ = arith.constant {dim.size - 1} : index")
            last = last.name
        else:
            value = self.program.size("subi", dim.value, self.program.index(1))
            self.uses.append(value)
            last = value.name
        index = self._scalar("x", Bounds(np.minimum(low, dim.size - 1)),
                             f"$ = arith.minsi {index.name}, {last} : index")
        return self._scalar("x", Bounds(np.maximum(index.bounds.low, 0)),
                            f"$ = arith.maxsi {index.name}, {zero.name} : "
                            "index")

    def step(self, table):
        """One random op."""
        random = self.program.random
        form = random.random()
        if form < 0.08 and self.loops.dims:
            self.place()
        elif form < 0.16:
            self.number(random.choice("fxi"))
        elif form < 0.24 and self.loops.dims:
            self.gather()
        else:
            self.operation(random.choice(table))

    def operation(self, op):
        operands = elements.choose_operands(
            self.program, op, self.choose, self.number, self.lines)
        if operands is None:
            return
        value = elements.apply_op(self.program, op, operands, self.lines)
        if value is not None:
            self.values.append(value)
            self.read |= {id(v) for v in operands}

    def choose(self, kind, taken):
        choices = [v for v in self.values if v.kind == kind
                   and all(v is not t for t in taken)]
        if not choices:
            if kind == "b" or self.program.random.random() < 0.3:
                return None
            return self.place() if kind == "x" and self.loops.dims and \
                self.program.random.random() < 0.6 else self.number(kind)
        return self.program.random.choice(choices + 3 * self.unread(choices))

    def unread(self, values):
        return [v for v in values if id(v) not in self.read]

    def close(self):
        """Make what only the body can hold a number that a result can be."""
        for value in self.unread(list(self.values)):
            if value.kind in elements.TO_NUMBERS:
                op = self.program.random.choice(
                    elements.TO_NUMBERS[value.kind])
                made = elements.apply_op(self.program, op, [value], self.lines)
                if made is not None:
                    self.values.append(made)
                    self.read.add(id(value))


def generic(program, pick):
    """A generic op, parallel or with a reduction."""
    random, loops = program.random, Loops(program)
    inputs, maps = [], []
    reduced = random.randrange(len(loops.dims)) \
        if random.random() < 0.35 else None
    for i in range(random.randint(1, 3)):
        results, dims, at = operand_map(program, loops)
        if i == 0:
            # Upstream asks for an operand that shows each loop's size.
            order = list(range(len(loops.dims)))
            random.shuffle(order)
            results = [f"d{a}" for a in order]
            dims = tuple(loops.dims[a] for a in order)
            at = [loops.grid[a] for a in order]
        if sum(d.value is not None for d in dims) > 1:
            continue
        value = pick(kind=random.choice("fffi"), dims=dims)
        inputs.append((value, _flat(at, dims, loops.shape)))
        maps.append(loops.map(results))
    values = [_moved(program, v, at) for v, at in inputs]
    given = len(values)
    head = [f"{moved.name}: {'f32' if moved.kind == 'f' else 'i32'}"
            for moved in values]
    body = Body(program, loops, values)
    table = elements.SMOOTH if program.tame else elements.TABLE
    for _ in range(random.randint(1, 6)):
        body.step(table if random.random() < 0.8 else elements.TABLE)
    body.close()
    usable = [v for v in body.values if v.kind in "fi"
              and (v.kind == "f" or not v.bounds.loose.any())]
    if not usable:
        return None
    count = random.choice([1, 2, 2, 3])
    ends = body.unread([v for v in body.values[given:]
                        if any(v is u for u in usable)]) or usable[-2:]
    chosen = random.sample(ends, min(count, len(ends)))
    return _finish(program, loops, inputs, maps, head, body, chosen, reduced)


def _finish(program, loops, inputs, maps, head, body, chosen, reduced):
    random, outs, results, yields, uses = program.random, [], [], [], []
    parallel = [a for a in range(len(loops.dims)) if a != reduced]
    keep = reduced is not None and random.random() < 0.2
    for value in chosen:
        order = list(parallel)
        random.shuffle(order)
        dims = [loops.dims[a] for a in order]
        texts = [f"d{a}" for a in order]
        if keep:
            place = random.randint(0, len(order))
            dims.insert(place, Dim(1))
            texts.insert(place, "0")
        dims, shape = tuple(dims), shape_of(dims)
        name = f"%o{len(outs)}"
        if reduced is None:
            start = program.empty(value.kind, dims)
            limits = Bounds(value.bounds.low.transpose(order),
                            value.bounds.high.transpose(order),
                            value.bounds.loose.transpose(order))
            back = np.argsort(order)

            def pull(cots, back=back):
                return [Bounds(*(x.transpose(back) for x in (
                    cots[0].low, cots[0].high, cots[0].loose)))]
            node, yielded = ([value], pull), value.name
        else:
            reducer = random.choice([r for r in REDUCERS
                                     if r.kind == value.kind])
            start = program.splat(reducer.start(random), dims, value.kind)
            limits, node = reduce_bounds(program, reducer, value, start,
                                         reduced, order, shape)
            yielded = combiner(program, reducer, value.name, name, body.lines)
        program.kinds.append("linalg.generic" if reduced is None
                             else "generic " + reducer.name)
        result = Value(program.name(), value.kind, dims, limits)
        program.link(node[0], [result], node[1])
        results.append(result)
        outs.append((start, loops.map(texts), name))
        yields.append(yielded)
        uses += [start]
    kinds = ", ".join('"reduction"' if a == reduced else '"parallel"'
                      for a in range(len(loops.dims)))
    text = (f"{', '.join(r.name for r in results)} = linalg.generic "
            f"{{indexing_maps = [{', '.join(maps + [o[1] for o in outs])}], "
            f"iterator_types = [{kinds}]}} "
            f"ins({', '.join(v.name for v, _ in inputs)} : "
            f"{', '.join(v.type for v, _ in inputs)}) "
            f"outs({', '.join(o[0].name for o in outs)} : "
            f"{', '.join(o[0].type for o in outs)}) {{\n^bb0("
            + ", ".join(head + [f"{o[2]}: {'f32' if o[0].kind == 'f' else 'i32'}"
                                for o in outs]) + "):\n"
            + "\n".join(body.lines)
            + f"\nlinalg.yield {', '.join(yields)} : "
            + ", ".join("f32" if o[0].kind == "f" else "i32" for o in outs)
            + f"\n}} -> ({', '.join(r.type for r in results)})")
    sizes = [s for r in results for s in r.sizes]
    program.emit(text, [*(v for v, _ in inputs), *uses, *body.uses, *sizes],
                 results)
    return results
