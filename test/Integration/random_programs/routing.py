"""Routing: the selection of experts, their weights, and the weights' gradient."""

import numpy as np
from moe import reference
from moe.printer import attributes

from . import bounds
from .bounds import Bounds
from .values import Dim, Value, integers

_EXTREME = [0, 1, -1, 17, 20, -15, -60, -84, -88, -88.5, -90, -95, -97, 88, 95,
            104, -104, 300, -300, 1e4]


def operation(program, kinds, texts, results, uses):
    """Add an op of several results."""
    program.kinds.append(kinds)
    sizes = [s for r in results for s in r.sizes]
    program.emit(texts, [*uses, *sizes], results)
    return results


def tokens_of(program):
    """The dimension of the tokens."""
    return program.rows() if program.dynamic else program.random.choice(
        program.sizes)


def _logits(program, tokens, experts):
    """An argument: usual scores, or those where exponentials leave f32."""
    shape = (tokens.size, experts)
    draw = np.random.default_rng(program.random.getrandbits(32))
    values = draw.normal(size=shape) * program.random.choice([1, 4])
    if program.random.random() < 0.5:
        values = draw.choice(_EXTREME, shape) + draw.normal(size=shape) / 4
        if program.random.random() < 0.5:  # a whole row that is low
            values = draw.choice([-80, -88, -92, -97, 90], (
                shape[0], 1)) + draw.normal(size=shape)
    return program.argument("f", (tokens, Dim(experts)),
                            array=values.astype(np.float32))


class Routing:
    """The attributes of a routing, as text and for the reference."""

    def __init__(self, program, experts):
        random = program.random
        self.scoring = random.choice(["softmax", "sigmoid"])
        self.renormalize = random.random() < 0.5
        self.scale = random.choice([1.0, 1.0, 2.5, 0.125])
        self.entries = {}
        if self.scoring == "sigmoid":
            self.entries["scoring"] = "#moe.scoring<sigmoid>"
        if self.renormalize:
            self.entries["renormalize"] = None
        if self.scale != 1.0:
            self.entries["scale"] = f"{self.scale} : f64"

    @property
    def options(self):
        return {"scoring": self.scoring, "renormalize": self.renormalize,
                "scale": self.scale}


def _log_scores(logits, scoring):
    """log of the scores, which does not underflow."""
    if scoring == "sigmoid":
        return -np.logaddexp(0, -logits)
    largest = logits.max(1, keepdims=True, initial=-np.inf)
    return logits - largest - np.log(np.exp(logits - largest).sum(
        1, keepdims=True))


def weigh(limits, indices, routing):
    """Bounds of the weights of a selection.

    Ratios of scores are taken of their logarithms, so that they are right where
    the scores themselves leave f32.
    """
    logits, width = _middle(limits)
    kept = (indices >= 0) & (indices < logits.shape[1])
    at = np.where(kept, indices, 0)
    with np.errstate(all="ignore"):
        picked = np.where(kept, np.take_along_axis(
            _log_scores(logits, routing.scoring), at, 1), -np.inf)
        weights = picked
        if routing.renormalize:
            weights = picked - np.logaddexp.reduce(picked, 1, keepdims=True)
        weights = np.where(kept, routing.scale * np.exp(weights), 0.0)
        error = weights * (_relative(logits) + 2 * width) + np.where(
            kept, 2.0**-126 * routing.scale, 0)
        # Where all scores are below f32 a device may have none.
        loose = np.broadcast_to((width > 0.01) | limits.loose.any(
            1, keepdims=True), weights.shape)
        return bounds.rounded(weights - error, weights + error, loose, 0)


def _middle(limits):
    """Values, and the widest half width of each row."""
    with np.errstate(all="ignore"):
        width = ((limits.high - limits.low) / 2).max(1, keepdims=True,
                                                     initial=0)
        return limits.low / 2 + limits.high / 2, width


def _relative(logits):
    # Of exponentials of differences, which are rounded before: of |x − max|.
    span = np.abs(logits).max(1, keepdims=True, initial=0)
    return 2.0**-24 * (40 + logits.shape[1] + np.minimum(span, 104) * 2)


def unweigh(limits, indices, cot, routing):
    """Bounds of the gradient of the logits: that of `weigh`."""
    logits, width = _middle(limits)
    tokens, experts = logits.shape
    kept = (indices >= 0) & (indices < experts)
    at = np.where(kept, indices, 0)
    with np.errstate(all="ignore"):
        log = _log_scores(logits, routing.scoring)
        chosen = np.where(kept, np.take_along_axis(log, at, 1), -np.inf)
        grad = np.where(kept, cot.low / 2 + cot.high / 2, 0)
        spread = np.where(kept, (cot.high - cot.low) / 2, 0)
        size = np.abs(grad)
        share = np.exp(chosen - (np.logaddexp.reduce(
            chosen, 1, keepdims=True) if routing.renormalize else 0))
        share = np.where(kept, share, 0) * routing.scale
        # d log s_e / d x_f: for sigmoid 1 − s on the diagonal alone.
        slope = share * grad
        bound = share * size
        doubt = share * spread
        if routing.renormalize:
            mean = (share / routing.scale * grad).sum(1, keepdims=True)
            slope = share * (grad - mean)
            bound = share * (size + (share / routing.scale * size).sum(
                1, keepdims=True))
            doubt = share * (spread + (share / routing.scale * spread).sum(
                1, keepdims=True))
        rows = np.broadcast_to(np.arange(tokens)[:, None], at.shape)

        def collect(values):
            result = np.zeros(logits.shape)
            np.add.at(result, (rows, at), values)
            return result
        slope, bound, doubt = collect(slope), collect(bound), collect(doubt)
        if routing.scoring == "sigmoid":
            rest = np.exp(_log_scores(-logits, "sigmoid"))
            slope, bound, doubt = slope * rest, bound * rest, doubt * rest
        else:
            p = np.exp(log)
            if not routing.renormalize:  # else their sum is 0
                slope = slope - p * slope.sum(1, keepdims=True)
            bound = bound + p * bound.sum(1, keepdims=True)
            doubt = doubt + p * doubt.sum(1, keepdims=True)
        error = doubt + bound * (2 * _relative(logits) + 4 * width) \
            + 2.0**-120 * (1 + size.max(1, keepdims=True, initial=0))
        loose = (width > 0.01) | limits.loose.any(1, keepdims=True) | \
            (cot.loose & kept).any(1, keepdims=True) | ~np.isfinite(
                bound).all(1, keepdims=True)
        loose = np.broadcast_to(loose, slope.shape)
        return bounds.rounded(slope - error, slope + error, loose, 0)


def _decided(limits, routing, top_k, bias, groups):
    """The selection, or None where rounding might change it."""
    if not limits.exact:
        return None
    logits = limits.low.astype(np.float32)
    options = {**routing.options, "bias": bias, **groups}
    chosen = reference.route(logits, top_k, **options)
    if bias is None and not groups:
        return chosen.indices
    # By scores: right if no small change of them changes it.
    for sign in (1, -1, 2):
        draw = np.random.default_rng(sign + 1)
        moved = logits + draw.choice([-1, 1], logits.shape) * (
            2e-6 + np.abs(logits) * 1e-6)
        other = reference.route(moved.astype(np.float32), top_k, **options)
        if (other.indices != chosen.indices).any():
            return None
    values = reference.selection_values(
        logits, scoring=routing.scoring, bias=bias, dtype=np.float64,
        groups=groups.get("groups"))
    ranked = np.sort(values, 1)
    if values.shape[1] > 1 and values.size and (
            np.diff(ranked, axis=1) < 1e-5).any():
        return None
    return chosen.indices


def route(program, pick):
    """`moe.route`, whose results are values like others."""
    random, experts = program.random, program.random.choice([1, 2, 4, 8, 12])
    tokens = tokens_of(program)
    logits = _logits(program, tokens, experts)
    routing, entries = Routing(program, experts), {}
    groups = random.choice([g for g in (1, 1, 2, 4) if experts % g == 0])
    options, most = {}, experts
    if groups > 1:
        selected = random.randint(1, groups)
        kind = random.choice(["max", "top2_sum"]) if experts // groups > 1 \
            else "max"
        options = {"groups": groups, "selected_groups": selected,
                   "group_score": kind}
        entries = {"groups": f"{groups} : i64",
                   "selected_groups": f"{selected} : i64"}
        if kind != "max":
            entries["group_score"] = f"#moe.group_score<{kind}>"
        most = selected * experts // groups
    top_k = random.randint(1, min(most, 6))
    bias, head, uses = None, "", [logits]
    if random.random() < 0.4:
        array = np.float32([random.choice([0, 0.1, 0.25, 0.5]) + random.random()
                            / 8 for _ in range(experts)])
        bias = program.argument("f", (Dim(experts),), array=array)
        head, uses = f" bias {bias.name}", [logits, bias]
    indices = _decided(logits.bounds, routing, top_k,
                       None if bias is None else bias.bounds.low, options)
    if indices is None:
        return None
    dims = (tokens, Dim(top_k))
    weights = weigh(logits.bounds, indices, routing)
    results = [Value(program.name(), "f", dims, weights),
               Value(program.name(), "i", dims,
                     Bounds(indices.astype(np.int64)))]
    attributes_ = attributes({"top_k": f"{top_k} : i64", **routing.entries,
                              **entries})
    program.link([logits], results[:1], lambda cots: [unweigh(
        logits.bounds, indices, cots[0], routing)])
    return operation(
        program, f"moe.route {routing.scoring}",
        f"{results[0].name}, {results[1].name} = moe.route {logits.name}{head}"
        f"{attributes_} : {', '.join(u.type for u in uses)} -> "
        f"{results[0].type}, {results[1].type}", results, uses)


def route_weights(program, pick):
    """`moe.route_weights` of indices from data, of which some are none."""
    experts, top_k = program.random.choice([2, 4, 8]), 3
    tokens, routing = tokens_of(program), Routing(program, 0)
    logits = _logits(program, tokens, experts)
    array = integers(program.random, (tokens.size, top_k), experts + 1) \
        - program.random.choice([0, 1])
    indices = program.argument("i", (tokens, Dim(top_k)), array=array)
    limits = weigh(logits.bounds, array, routing)
    program.kinds.append(f"moe.route_weights {routing.scoring}")
    return program.define(
        "f", (tokens, Dim(top_k)), limits,
        f"$ = moe.route_weights {logits.name}, {indices.name}"
        f"{attributes(routing.entries)} : {logits.type}, {indices.type} -> "
        f"{Value('', 'f', (tokens, Dim(top_k)), limits).type}",
        [logits, indices],
        ([logits], lambda cots: [unweigh(logits.bounds, array, cots[0],
                                         routing)]))
