"""Judges a layer's results against the float64 reference."""

from dataclasses import dataclass, field
from itertools import combinations
from typing import List

import numpy as np

from .reference import layer, selection_values
from .reference.layer import routing_of
from .reference.route import group_scores, route

# Errors relative to the largest magnitude of the whole result, and of a row.
TOLERANCE = 2e-5
ROW_TOLERANCE = 1e-4
# Scores nearer than this may be ranked either way by f32 arithmetic.
SCORE_GAP = 1e-5


@dataclass
class LayerReport:
    """How far a layer's results are from the reference.

    Attributes
    ----------
    relative_error : float
        max |error| over max |reference|; 0 without tokens.
    row_error : float
        The largest of max |error in row| over max |reference row|.
    weight_error : float
        max |error| of the routing weights over their largest.
    differing_tokens : int
        Tokens whose experts or their order differ from float64's own.
    largest_gap : float
        The largest score gap among those tokens; infinite where no rounding
        explains the difference.
    failures : list of str
        One line for each tolerance that is exceeded; empty if all is well.
    """

    relative_error: float = 0.0
    row_error: float = 0.0
    weight_error: float = 0.0
    differing_tokens: int = 0
    largest_gap: float = 0.0
    failures: List[str] = field(default_factory=list)


def compare_layer(outputs, inputs, config):
    """Compare a layer's results with float64 fed the same routing.

    Parameters
    ----------
    outputs : mapping of str to numpy.ndarray
        "out" [T, H], "weights" [T, K] and "indices" [T, K].
    inputs : mapping of str to numpy.ndarray
        What the layer was given.
    config : LayerConfig

    Returns
    -------
    LayerReport
    """
    report = LayerReport()
    report.failures = _form_faults(outputs, inputs, config)
    if report.failures:
        return report
    expected = layer(config, inputs, outputs["indices"])
    if expected.out.size:
        _compare_values(report, outputs, expected)
        _compare_routing(report, outputs["indices"], expected.logits, inputs,
                         config)
    return report


def selection_gap(values, chosen, config, tolerance=SCORE_GAP):
    """Measure how much better a token's best selection is than a given one.

    Parameters
    ----------
    values : numpy.ndarray, float64 [E]
        What the experts are compared by.
    chosen : numpy.ndarray of int, [K]
    config : LayerConfig
        Says whether groups limit the selection.
    tolerance : float
        Groups whose scores differ by less count as tied.

    Returns
    -------
    float
        The largest difference between the best value and the chosen one, place
        by place; infinite for a repeated expert, or one of a group that could
        not have been selected.
    """
    if len(set(chosen.tolist())) < len(chosen):
        return np.inf
    if config.groups is None:
        return _gap_among(values, chosen, np.arange(len(values)))
    # Tied groups may be selected in any combination, and the experts alone
    # don't tell which it was: any one that explains the choice will do.
    size = config.experts // config.groups
    scores = group_scores(values[None], config.groups, config.group_score)[0]
    cut = np.sort(scores)[::-1][config.selected_groups - 1]
    sure = np.flatnonzero(scores > cut + tolerance)
    tied = np.flatnonzero(np.abs(scores - cut) <= tolerance)
    gap = np.inf
    for rest in combinations(tied, config.selected_groups - len(sure)):
        allowed = np.isin(np.arange(len(values)) // size, [*sure, *rest])
        if allowed[chosen].all():
            gap = min(gap, _gap_among(values, chosen, np.flatnonzero(allowed)))
    return gap


def _gap_among(values, chosen, allowed):
    best = np.sort(values[allowed])[::-1][:len(chosen)]
    # Infinities of one sign are equal, although their difference is NaN.
    with np.errstate(invalid="ignore"):
        gaps = np.where(best == values[chosen], 0, best - values[chosen])
    return float(np.abs(gaps).max())


def _form_faults(outputs, inputs, config):
    tokens = inputs["x"].shape[0]
    faults = []
    for name, shape, element in config.results():
        if name not in outputs:
            faults.append(f"expected a result {name}, but got none")
            continue
        shape = tuple(tokens if size is None else size for size in shape)
        dtype = {"f32": np.float32, "i32": np.int32}[element]
        got = outputs[name]
        if got.shape != shape or got.dtype != dtype:
            faults.append(f"expected {name} to be {np.dtype(dtype)} {shape}, "
                          f"but got {got.dtype} {got.shape}")
    if not faults:
        indices = outputs["indices"]
        bad = indices[(indices < 0) | (indices >= config.experts)]
        if bad.size:
            faults.append("expected indices between 0 and "
                          f"{config.experts - 1}, but got {bad[0]}")
    return faults


def _compare_values(report, outputs, expected):
    error = np.abs(outputs["out"] - expected.out)
    report.relative_error = _ratio(error.max(), np.abs(expected.out).max())
    rows = [_ratio(*pair) for pair in zip(error.max(axis=1),
                                          np.abs(expected.out).max(axis=1))]
    worst = int(np.argmax(rows))  # a NaN counts as the largest
    report.row_error = rows[worst]
    weight_error = np.abs(outputs["weights"] - expected.weights).max()
    report.weight_error = _ratio(weight_error, np.abs(expected.weights).max())

    # Negated comparisons, so that a NaN fails.
    if not report.relative_error <= TOLERANCE:
        place = np.unravel_index(int(np.argmax(error)), error.shape)
        report.failures.append(
            f"expected a relative error of at most {TOLERANCE:g}, but got "
            f"{report.relative_error:.3g}; worst at "
            f"[{place[0]}, {place[1]}]: {outputs['out'][place]:.9g}, "
            f"reference {expected.out[place]:.9g}")
    if not report.row_error <= ROW_TOLERANCE:
        report.failures.append(
            f"expected each row's relative error to be at most "
            f"{ROW_TOLERANCE:g}, but got {report.row_error:.3g} in row {worst}")
    if not report.weight_error <= TOLERANCE:
        report.failures.append(
            "expected a relative error of the routing weights of at most "
            f"{TOLERANCE:g}, but got {report.weight_error:.3g}")


def _compare_routing(report, indices, logits, inputs, config):
    bias = inputs.get("correction_bias")
    own = route(logits, config.top_k, bias=bias, **routing_of(config)).indices
    values = selection_values(logits, scoring=config.scoring, bias=bias,
                              groups=config.groups, dtype=np.float64)
    differing = np.flatnonzero((own != indices).any(axis=1))
    report.differing_tokens = len(differing)
    for token in differing:
        gap = selection_gap(values[token], indices[token], config)
        if not gap <= report.largest_gap:
            report.largest_gap = gap
        if not gap < SCORE_GAP:
            report.failures.append(
                f"expected token {token} to go to experts "
                f"{own[token].tolist()}, but got {indices[token].tolist()} at "
                f"a score gap of {gap:.3g}")


def _ratio(error, magnitude):
    """error / magnitude, where no error over no magnitude is no error."""
    if error == 0:
        return 0.0
    return float(error / magnitude) if magnitude != 0 else np.inf
