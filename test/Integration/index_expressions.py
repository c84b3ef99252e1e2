"""Prints bodies of index arithmetic, random ones too, and what NumPy makes of them."""

import random

import numpy as np

PREDICATES = {
    "eq": np.equal, "ne": np.not_equal, "slt": np.less, "sle": np.less_equal,
    "sgt": np.greater, "sge": np.greater_equal}
UNSIGNED = {"ult": np.less, "ule": np.less_equal, "ugt": np.greater,
            "uge": np.greater_equal}
LEAST = np.iinfo(np.int64).min


def unsigned(value):
    return value.astype(np.int64).view(np.uint64)


def signed(value):
    return value.astype(np.uint64).view(np.int64)


def floor_divide(x, y):
    return x // y


def ceil_divide(x, y):
    return x // y + (x % y != 0)


def divide(x, y):
    """Towards 0."""
    quotient, rest = x // y, x % y
    return quotient + ((rest != 0) & ((x < 0) != (y < 0)))


BINARY = {
    "addi": lambda x, y: x + y,
    "subi": lambda x, y: x - y,
    "muli": lambda x, y: x * y,
    "andi": lambda x, y: x & y,
    "ori": lambda x, y: x | y,
    "xori": lambda x, y: x ^ y,
    "minsi": np.minimum,
    "maxsi": np.maximum,
    "minui": lambda x, y: signed(np.minimum(unsigned(x), unsigned(y))),
    "maxui": lambda x, y: signed(np.maximum(unsigned(x), unsigned(y))),
}
DIVISIONS = {
    "divsi": divide,
    "floordivsi": floor_divide,
    "ceildivsi": ceil_divide,
    "remsi": lambda x, y: x - divide(x, y) * y,
    "divui": lambda x, y: signed(unsigned(x) // unsigned(y)),
    "remui": lambda x, y: signed(unsigned(x) % unsigned(y)),
    "ceildivui": lambda x, y: signed(unsigned(x) // unsigned(y) +
                                     (unsigned(x) % unsigned(y) != 0)),
}
SHIFTS = {
    "shli": lambda x, y: x << y,
    "shrsi": lambda x, y: x >> y,
    "shrui": lambda x, y: signed(unsigned(x) >> unsigned(y)),
}


def function(lines, names, size, dynamic=False):
    """A function of an i32 tensor whose elements `lines` make indices of.

    They read `%a`, the element; `%i`, its index; `%n`, the size. Two results
    for each of `names`: the lower word and the upper one.
    """
    shape = "?" if dynamic else size
    tensor, count = f"tensor<{shape}xi32>", 2 * len(names)
    words, yielded = [], []
    for k, name in enumerate(names):
        words += [f"%low{k} = arith.index_cast {name} : index to i32",
                  f"%shifted{k} = arith.shrsi {name}, %bits : index",
                  f"%high{k} = arith.index_cast %shifted{k} : index to i32"]
        yielded += [f"%low{k}", f"%high{k}"]

    def repeat(text):
        return ", ".join([text] * count)

    body = "\n".join(lines + words)
    arguments = ", ".join(f"%o{k}: i32" for k in range(count))
    results = ", ".join(f"%y#{k}" for k in range(count))
    return f"""
#id = affine_map<(i) -> (i)>
func.func @f(%s: {tensor}) -> ({repeat(tensor)}) {{
  %c0 = arith.constant 0 : index
  %n = tensor.dim %s, %c0 : {tensor}
  %e = tensor.empty({"%n" if dynamic else ""}) : {tensor}
  %y:{count} = linalg.generic {{indexing_maps = [#id, {repeat("#id")}],
                               iterator_types = ["parallel"]}}
      ins(%s : {tensor}) outs({repeat("%e")} : {repeat(tensor)}) {{
  ^bb0(%a: i32, {arguments}):
    %bits = arith.constant 32 : index
    %i = linalg.index 0 : index
{body}
    linalg.yield {", ".join(yielded)} : {repeat("i32")}
  }} -> ({repeat(tensor)})
  return {results} : {repeat(tensor)}
}}
"""


def wide(words):
    """The values whose words the results of a function hold, one a row."""
    low = np.array(words[::2]).view(np.uint32).astype(np.int64)
    return low | np.array(words[1::2], np.int64) << 32


class Expressions:
    """Lines of a body that start from indices of the names in `values`.

    Attributes
    ----------
    lines : list of str
    values : dict of str to numpy.ndarray
        All indices, with their values for each element.
    """

    def __init__(self, seed, values, count=12):
        self.random = random.Random(seed)
        self.values = {name: np.asarray(value, np.int64)
                       for name, value in values.items()}
        self.size = next(iter(self.values.values())).size
        self.lines = []
        with np.errstate(all="ignore"):
            for _ in range(count):
                self.random.choice([self.binary, self.binary, self.division,
                                    self.shift, self.select, self.cast,
                                    self.apply])()

    def name(self):
        return f"%v{len(self.lines)}"

    def add(self, name, text, value):
        self.lines.append(text)
        self.values[name] = np.broadcast_to(
            np.asarray(value, np.int64), self.size)
        return name

    def constant(self, value):
        name = self.name()
        return self.add(name, f"{name} = arith.constant {value} : index", value)

    def operand(self):
        """An index: mostly a late one, sometimes a constant."""
        if self.random.random() < 0.25:
            bits = self.random.choice([3, 8, 17, 31, 33, 40, 62])
            return self.constant(self.random.randint(-2**bits, 2**bits))
        names = list(self.values)
        return self.random.choice(names + 2 * names[-4:])

    def binary(self):
        op = self.random.choice(list(BINARY))
        x, y = self.operand(), self.operand()
        name = self.name()
        self.add(name, f"{name} = arith.{op} {x}, {y} : index",
                 BINARY[op](self.values[x], self.values[y]))

    def division(self):
        op, x = self.random.choice(list(DIVISIONS)), self.operand()
        y = self.operand()
        if self.random.random() < 0.7 or (self.values[y] == 0).any():
            y = self.constant(self.random.choice([1, 2, 3, 7, 64, 1000, -5,
                                                  10**9, 3 * 10**9, -2**40]))
        if ((self.values[x] == LEAST) & (self.values[y] == -1)).any():
            return  # means nothing
        name = self.name()
        self.add(name, f"{name} = arith.{op} {x}, {y} : index",
                 DIVISIONS[op](self.values[x], self.values[y]))

    def shift(self):
        op, x = self.random.choice(list(SHIFTS)), self.operand()
        amount = self.constant(self.random.choice([0, 1, 4, 15, 31, 32, 63]))
        if self.random.random() < 0.3:
            mask, y = self.constant(self.random.choice([7, 31, 63])), amount
            y, amount = self.operand(), self.name()
            self.add(amount, f"{amount} = arith.andi {y}, {mask} : index",
                     self.values[y] & self.values[mask])
        name = self.name()
        self.add(name, f"{name} = arith.{op} {x}, {amount} : index",
                 SHIFTS[op](self.values[x], self.values[amount]))

    def select(self):
        x, y, z, w = (self.operand() for _ in range(4))
        predicate = self.random.choice([*PREDICATES, *UNSIGNED])
        which = PREDICATES[predicate](self.values[x], self.values[y]) \
            if predicate in PREDICATES else \
            UNSIGNED[predicate](unsigned(self.values[x]),
                                unsigned(self.values[y]))
        name = self.name()
        self.add(name, f"{name}_c = arith.cmpi {predicate}, {x}, {y} : index\n"
                 f"{name} = arith.select {name}_c, {z}, {w} : index",
                 np.where(which, self.values[z], self.values[w]))

    def cast(self):
        """To an integer and back."""
        x, kind = self.operand(), self.random.choice(["i32", "i64", "i1"])
        there, back = (self.random.choice(["index_cast", "index_castui"])
                       for _ in range(2))
        value = self.values[x]
        if kind == "i32":
            value = value.astype(np.int32)
            value = value.astype(np.int64) if back == "index_cast" else \
                value.view(np.uint32).astype(np.int64)
        if kind == "i1":
            value = value & 1
            value = -value if back == "index_cast" else value
        name = self.name()
        self.add(name, f"{name}_k = arith.{there} {x} : index to {kind}\n"
                 f"{name} = arith.{back} {name}_k : {kind} to index", value)

    def apply(self):
        x, y = self.operand(), self.operand()
        a, b = (self.random.choice([1, 2, 3, 100, 5 * 10**4]) for _ in range(2))
        c = self.random.randint(-2**self.random.choice([3, 17, 33]), 2**17)
        d = self.random.choice([2, 3, 100, 7 * 10**9])
        left = a * self.values[x] - b * self.values[y] + c
        exact = a * self.values[x].astype(object) - \
            b * self.values[y].astype(object)
        if (abs(exact) > 2**62).any():
            return  # its parts may come in another order
        op, value = self.random.choice([
            ("floordiv", floor_divide(left, d)), ("mod", left % d),
            ("ceildiv", ceil_divide(left, d))])
        name = self.name()
        self.add(name, f"{name} = affine.apply affine_map<(i, j) -> "
                 f"((i * {a} - j * {b} + {c}) {op} {d})>({x}, {y})", value)
