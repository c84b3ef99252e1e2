"""Prints functions of random elementwise ops, views and reductions."""

import random

import numpy as np
from stateful import state

MAPS = {"#i": lambda value: value, "#r": lambda value: value.T}


class Function:
    """Text of a function with state and a plan, and what NumPy makes of it.

    Attributes
    ----------
    arguments : list of str
        All but the last, `%i`, whose indices of 4 experts are planned.
    types : dict of str to str
        Of the values.
    updates : list of int or None
        For each argument the result that updates it.
    """

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.size = self.random.choice([3, 4, 8, 17])
        n = self.size
        self.square, self.flat, self.row = (
            f"tensor<{shape}xf32>" for shape in (f"{n}x{n}", n * n, n))
        self.types, self.rules, self.lines = {}, [], []
        kinds = [self.square, self.square, self.flat, self.row]
        self.arguments = [f"%a{i}" for i in range(self.random.randint(1, 4))]
        for name in self.arguments:
            self.types[name] = self.random.choice(kinds)
        for _ in range(self.random.randint(1, 9)):
            self.random.choice([self.sum, self.sum, self.choose, self.reshape,
                                self.reduce, self.slice, self.generic,
                                self.generic])()
        self.choose_results()

    def pick(self, kind=None):
        # Late values are read more often, so that little is in vain.
        names = [name for name, other in self.types.items()
                 if kind in (None, other)]
        return self.random.choice(names + 2 * names[-3:])

    def add(self, kind, text, *rules):
        name = f"%v{len(self.lines)}"
        self.lines.append(text.replace("$", name))
        for i, rule in enumerate(rules):
            result = name if len(rules) == 1 else f"{name}#{i}"
            self.types[result] = kind
            self.rules.append((result, rule))

    def pick_two(self):
        x = self.pick()
        return x, self.pick(self.types[x]), self.types[x]

    def sum(self):
        x, y, kind = self.pick_two()
        self.add(kind, f"$ = arith.addf {x}, {y} : {kind}",
                 lambda at: at[x] + at[y])

    def choose(self):
        x, y, kind = self.pick_two()
        mask = kind.replace("f32", "i1")
        self.add(kind, f"$_p = arith.cmpf ogt, {x}, {y} : {kind}\n"
                 f"$ = arith.select $_p, {y}, {x} : {mask}, {kind}",
                 lambda at: np.minimum(at[x], at[y]))

    def reshape(self):
        n, x = self.size, self.pick()
        if self.types[x] == self.square:
            self.add(self.flat, f"$ = tensor.collapse_shape {x} [[0, 1]] : "
                     f"{self.square} into {self.flat}",
                     lambda at: at[x].ravel())
        elif self.types[x] == self.flat:
            self.add(self.square, f"$ = tensor.expand_shape {x} [[0, 1]] "
                     f"output_shape [{n}, {n}] : {self.flat} into "
                     f"{self.square}", lambda at: at[x].reshape(n, n))

    def reduce(self):
        x, row = self.pick(), self.row
        if self.types[x] != self.square:
            return
        self.add(row, f"$_e = arith.constant dense<-99.0> : {row}\n"
                 f"$ = linalg.reduce {{ arith.maximumf }} ins({x} : "
                 f"{self.square}) outs($_e : {row}) dimensions = [1]",
                 lambda at: at[x].max(axis=1).clip(-99))

    def slice(self):
        n, (x, y, square) = self.size, self.pick_two()
        if square != self.square:
            return
        i, j = self.random.sample(range(n), 2)
        rows = [j if row == i else row for row in range(n)]
        self.add(square, f"$_r = tensor.extract_slice {x}[{j}, 0] [1, {n}] "
                 f"[1, 1] : {square} to tensor<1x{n}xf32>\n"
                 f"$ = tensor.insert_slice $_r into {y}[{i}, 0] [1, {n}] "
                 f"[1, 1] : tensor<1x{n}xf32> into {square}",
                 lambda at: np.where(np.arange(n)[:, None] == i, at[x][rows],
                                     at[y]))

    def generic(self):
        x, y, square = self.pick_two()
        if square != self.square:
            return
        maps = self.random.choices(list(MAPS), k=4)
        a, b, c, d = (MAPS[name] for name in maps)
        self.add(square, f"$_e = tensor.empty() : {square}\n"
                 f"$:2 = linalg.generic {{indexing_maps = "
                 f"[{', '.join(maps)}], iterator_types = "
                 f'["parallel", "parallel"]}} ins({x}, {y} : {square}, '
                 f"{square}) outs($_e, $_e : {square}, {square}) {{\n"
                 "^bb0(%p: f32, %q: f32, %x: f32, %y: f32):\n"
                 "%s = arith.addf %p, %q : f32\n%d = arith.subf %p, %q : f32\n"
                 f"linalg.yield %s, %d : f32, f32 }} -> ({square}, {square})",
                 lambda at: c(a(at[x]) + b(at[y])),
                 lambda at: d(a(at[x]) - b(at[y])))

    def choose_results(self):
        self.updates, self.results = [], [self.pick()]
        for name in self.arguments:
            self.updates.append(None)
            if self.random.random() < 0.8:
                self.updates[-1] = len(self.results)
                self.results.append(self.pick(self.types[name]))

    def text(self):
        plan = ("%o:4 = moe.plan %i {experts = 4 : i64} : tensor<?x2xi32> -> "
                "tensor<5xi32>, tensor<?x2xi32>, tensor<?xi32>, tensor<?xi32>")
        lines = self.lines.copy()
        lines.insert(self.random.randint(0, len(lines)), plan)
        types = ", ".join(self.types[name] for name in self.results)
        arguments = [f"{name}: {self.types[name]} " + (
            "" if update is None else state(update))
            for name, update in zip(self.arguments, self.updates)]
        return ("#i = affine_map<(i, j) -> (i, j)>\n"
                "#r = affine_map<(i, j) -> (j, i)>\n"
                f"func.func @f({', '.join(arguments)}, %i: tensor<?x2xi32>) "
                f"-> ({types}) {{\n" + "\n".join(lines) +
                f"\nreturn {', '.join(self.results)} : {types}\n}}\n")

    def values(self, given):
        at = dict(zip(self.arguments, given))
        for name, rule in self.rules:
            at[name] = rule(at)
        return [at[name] for name in self.results]
