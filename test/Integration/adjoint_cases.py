"""Each op of the dialect with each of its attributes, for the adjoint identity.

A case is a module; its arguments, of which integers are given as they are and
floats by their shape; and the op in float64.
"""

from itertools import product
from zlib import crc32

import modules
import numpy as np
from moe import reference as ref

CASES = {}
FLOOR = {}


def case(name, *flags, floor=0.0):
    """Add a case for each choice of the flags, pairs of a word and a value."""
    def add(build):
        for choice in product(*flags):
            words = [word for word, _ in choice if word]
            key = "-".join([name, *words])
            CASES[key] = (build, [value for _, value in choice])
            FLOOR[key] = floor
        return build
    return add


def flag(word):
    return [("", False), (word, True)]


def enum(attribute, *values):
    return [(v, f"#moe.{attribute}<{v}>") for v in values]


WEIGHTED = flag("weighted")
DIVISORS = [("", {}), ("renormalize", {"renormalize": True}),
            ("epsilon", {"renormalize": True, "epsilon": 0.25}),
            ("floor", {"renormalize": True, "floor": 0.75})]
SCORING = [enum("scoring", "softmax", "sigmoid"), DIVISORS,
           [("scaled", 2.5)]]


@case("dispatch", WEIGHTED)
def dispatch(p, e, k, n, weighted):
    return (modules.dispatch(n[0], e, k, weighted=weighted),
            [(p.slots[0], n[0]), *p.maps, *[p.slots] * weighted],
            lambda x, *a: [ref.dispatch(x, p.plan, *a[3:])])


@case("combine", WEIGHTED, enum("combine_order", "expert", "slot"),
      enum("combine_rounding", "once", "stepwise"))
def combine(p, e, k, n, weighted, order, rounding):
    return (modules.combine(n[0], e, k, weighted=weighted, order=order,
                            rounding=rounding),
            [(p.rows, n[0]), *p.maps, *[p.slots] * weighted],
            lambda y, *a: [ref.combine(y, p.plan, *a[3:])])


@case("combine_weight_grad", [("tree", "tree"), ("serial", "serial")])
def combine_weight_grad(p, e, k, n, strategy):
    return (modules.combine_weight_grad(n[0], e, k, strategy=strategy),
            [(p.slots[0], n[0]), (p.rows, n[0]), *p.maps],
            lambda g, y, *a: [ref.combine_weight_grad(g, y, p.plan)])


@case("grouped_matmul", flag("transposed"), flag("bias"))
def grouped_matmul(p, e, k, n, transposed, bias):
    matrix = n[::-1] if transposed else n
    return (modules.grouped_matmul(e, *n, transposed=transposed, bias=bias),
            [(p.rows, n[0]), (e, *matrix), p.maps[0], *[(e, n[1])] * bias],
            lambda a, w, o, *b: [ref.grouped_matmul(
                a, w, o, *b, transpose_rhs=transposed)])


@case("grouped_matmul-of_no_features", flag("transposed"))
def no_features(p, e, k, n, transposed):
    return grouped_matmul(p, e, k, (0, n[1]), transposed, True)


@case("grouped_outer", flag("init"))
def grouped_outer(p, e, k, n, init):
    return (modules.grouped_outer(e, *n, init=init),
            [(p.rows, n[0]), (p.rows, n[1]), p.maps[0], *[(e, *n)] * init],
            lambda a, b, o, *i: [ref.grouped_outer(a, b, o, *i)])


@case("grouped_reduce")
def grouped_reduce(p, e, k, n):
    return (modules.grouped_reduce(e, n[0]), [(p.rows, n[0]), p.maps[0]],
            lambda y, o: [ref.grouped_reduce(y, o)])


def routing(scoring, divisor, scale):
    printed = {name: None if value is True else f"{value} : f64"
               for name, value in divisor.items()}
    return ({"scoring": scoring, "scale": f"{scale} : f64", **printed},
            {"scoring": scoring[13:-1], "scale": scale, **divisor})


# Slopes of a softmax cancel: that of one renormalized slot is 0.
@case("route_weights", *SCORING, floor=1.0)
def route_weights(p, e, k, n, *options):
    printed, given = routing(*options)
    return (modules.route_weights(e, k, **printed),
            [(p.slots[0], e), p.indices],
            lambda x, i: [ref.route_weights(x, i, **given)])


# The selection is fixed, and nothing but the selection depends on a bias.
@case("route", *SCORING, flag("bias"), floor=1.0)
def route(p, e, k, n, *options):
    *options, bias = options
    printed, given = routing(*options)
    return (modules.route(e, k, bias=bias, indices=False, **printed),
            [(p.slots[0], e), *[(e,)] * bias],
            lambda x, *b: [ref.route(x, k, bias=b[0] if b else None,
                                     **given).weights])


@case("route_grad", *SCORING, floor=1.0)
def route_grad(p, e, k, n, *options):
    printed, given = routing(*options)
    return (modules.route_grad(e, k, **printed),
            [(p.slots[0], e), p.indices, p.slots],
            lambda x, i, g: [ref.route_grad(x, i, g, **given)])


class Routed:
    """Slots of some tokens: `kind` says which experts they name."""

    def __init__(self, kind, experts, top_k):
        random = np.random.default_rng(experts)
        tokens = {"none": 0, "one": 1}.get(kind, 13)
        # Slots are dropped and experts named twice; the last one has no rows.
        self.indices = random.integers(
            -1, experts - 1, (tokens, top_k)).astype(np.int32)
        if kind == "same":
            self.indices[:] = 1
        elif kind == "distinct":
            self.indices = np.stack([random.permutation(experts)[:top_k]
                                     for _ in range(tokens)]).astype(np.int32)
        self.plan = ref.plan(self.indices, experts, out_of_range="drop")
        self.maps = self.plan[:3]
        self.slots, self.rows = (tokens, top_k), tokens * top_k


def build_case(name, kind):
    """The op at sizes that depend on its name, on slots of that kind."""
    builder, options = CASES[name]
    random = np.random.default_rng(crc32(name.encode()))
    experts = int(random.integers(3, 8))
    top_k = int(random.choice([experts, random.integers(1, experts)]))
    widths = tuple(int(n) for n in random.integers(1, 40, 2))
    routed = Routed(kind, experts, top_k)
    return routed, *builder(routed, experts, top_k, widths, *options)
