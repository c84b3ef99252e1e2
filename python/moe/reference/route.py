"""Routing: which experts a token goes to, and with what weight."""

from typing import NamedTuple

import numpy as np

from .elementwise import sigmoid, softmax


class Routing(NamedTuple):
    """The result of `route`.

    Attributes
    ----------
    weights : numpy.ndarray, float64 [T, K]
    indices : numpy.ndarray, int32 [T, K]
        Expert ids in descending order of the value they were selected by.
    """

    weights: np.ndarray
    indices: np.ndarray


def route(logits, top_k, *, scoring="softmax", bias=None, renormalize=False,
          scale=1.0, epsilon=0.0, floor=0.0, groups=None,
          selected_groups=None, group_score="max"):
    """Select `top_k` experts for each token and weigh them.

    Parameters
    ----------
    logits : array_like, [T, E]
    top_k : int
        K, in 1 ... E; with groups at most the experts of the selected groups.
    scoring : {"softmax", "sigmoid"}
        Softmax over all experts, or a sigmoid of each logit.
    bias : array_like, [E], optional
        Added to the scores for the selection only, never in the weights.
    renormalize : bool
        Divide the weights of a token by max(sum + epsilon, floor), with the sum
        over its selection.
    scale : float
        Factor of all weights; finite and positive.
    epsilon, floor : float
        What keeps that sum away from 0; at least 0, and 0 unless `renormalize`.
    groups, selected_groups : int, optional
        Split the experts into `groups` equal parts of neighbouring ids, and
        select only from the best `selected_groups` of them. One group is the
        same as none.
    group_score : {"max", "top2_sum"}
        What a group is judged by: its best expert, or the sum of its best two.

    Returns
    -------
    Routing
    """
    logits = np.asarray(logits)
    _check_arguments(logits, top_k, scoring, bias, scale, groups,
                     selected_groups, group_score)
    check_guards(renormalize, epsilon, floor)
    values = selection_values(logits, scoring=scoring, bias=bias,
                              groups=groups)
    excluded = np.zeros(values.shape, bool)
    if groups is not None:
        excluded = _outside_best_groups(values, groups, selected_groups,
                                        group_score)
    indices = _ranked(values, excluded)[:, :top_k].astype(np.int32)
    weights = route_weights(logits, indices, scoring=scoring,
                            renormalize=renormalize, scale=scale,
                            epsilon=epsilon, floor=floor)
    return Routing(weights, indices)


def route_weights(logits, indices, *, scoring="softmax", renormalize=False,
                  scale=1.0, epsilon=0.0, floor=0.0):
    """Compute the routing weights of a given selection.

    Parameters
    ----------
    logits : array_like, [T, E]
    indices : array_like of int, [T, K]
        A slot whose index is not in [0, E), as -1, has weight 0 and stays out
        of the sums.
    scoring, renormalize, scale, epsilon, floor
        As in `route`.

    Returns
    -------
    numpy.ndarray, float64 [T, K]
    """
    check_guards(renormalize, epsilon, floor)
    logits, indices = np.asarray(logits), np.asarray(indices)
    if renormalize:
        return scale * renormalized(logits, indices, scoring, epsilon,
                                    floor).shares
    scores = _scores(logits, scoring)
    kept = (indices >= 0) & (indices < scores.shape[1])
    chosen = np.take_along_axis(scores, np.where(kept, indices, 0), axis=1)
    return scale * np.where(kept, chosen, 0.0)


class Renormalized(NamedTuple):
    """Selected scores over their guarded sum, see `renormalized`.

    Attributes
    ----------
    shares : numpy.ndarray, float64 [T, K]
        s / D with D = max(sum of s + epsilon, floor); 0 in a slot without an
        expert.
    rest : numpy.ndarray, float64 [T, 1]
        The part of D that does not depend on the scores, over D.
    is_floor : numpy.ndarray, bool [T, 1]
        Where D is the floor.
    """

    shares: np.ndarray
    rest: np.ndarray
    is_floor: np.ndarray


def renormalized(logits, indices, scoring, epsilon=0.0, floor=0.0):
    """Divide selected scores by their sum, in logarithms.

    The quotients are right wherever they are representable, however small the
    scores are.

    Parameters
    ----------
    logits : array_like, [T, E]
    indices : array_like of int, [T, K]
    scoring, epsilon, floor
        As in `route`.

    Returns
    -------
    Renormalized
    """
    indices = np.asarray(indices)
    logs = _log_scores(np.asarray(logits, np.float64), scoring)
    kept = (indices >= 0) & (indices < logs.shape[1])
    chosen = np.take_along_axis(logs, np.where(kept, indices, 0), axis=1)
    chosen = np.where(kept, chosen, -np.inf)
    highest = chosen.max(axis=1, keepdims=True)
    highest = np.where(highest == -np.inf, 0.0, highest)
    terms = np.exp(chosen - highest)
    total = np.zeros((len(terms), 1))
    for slot in range(terms.shape[1]):  # in selection order
        total += terms[:, slot:slot + 1]
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        scaled = epsilon * np.exp(-highest) if epsilon else np.zeros_like(total)
        low = floor * np.exp(-highest) if floor else np.zeros_like(total)
        is_floor = low > total + scaled
        divisor = np.where(is_floor, low, total + scaled)
        shares = np.where(kept, terms / divisor, 0.0)  # 0 / 0: as specified
        rest = np.where(is_floor | np.isinf(scaled), 1.0, scaled / divisor)
    return Renormalized(shares, rest, is_floor)


def selection_values(logits, *, scoring="softmax", bias=None, groups=None,
                     dtype=np.float32):
    """Give the values by which experts are compared.

    Parameters
    ----------
    logits : array_like, [T, E]
    scoring, bias, groups
        As in `route`. Without bias and groups the logits themselves are
        compared, so that the selection does not hang on a device's exp.
    dtype : numpy dtype
        float32 as specified; float64 to measure how close a decision was.

    Returns
    -------
    numpy.ndarray, dtype [T, E]
    """
    logits = np.asarray(logits)
    scores = _scores(logits, scoring)
    if bias is not None:
        with np.errstate(invalid="ignore"):
            return scores.astype(dtype) + np.asarray(bias, dtype)
    if groups is not None and groups > 1:
        return scores.astype(dtype)
    values = logits.astype(dtype)
    if scoring == "softmax":
        # Softmax has no score for such a row at all: no expert beats another.
        values = np.where(np.isnan(scores).any(axis=1, keepdims=True), np.nan,
                          values).astype(dtype)
    return values


def group_scores(values, groups, group_score):
    """Judge each group by its members, of which NaNs come last.

    Parameters
    ----------
    values : numpy.ndarray, [T, E]
        What `selection_values` gives.
    groups : int
        G, a divisor of E.
    group_score : {"max", "top2_sum"}

    Returns
    -------
    numpy.ndarray, [T, G]
        The type of `values`.
    """
    tokens, experts = values.shape
    members = values.reshape(tokens, groups, experts // groups)
    order = _ranked(members, np.zeros(members.shape, bool))
    best = np.take_along_axis(members, order, axis=2)
    if group_score == "max":
        return best[:, :, 0]
    with np.errstate(invalid="ignore"):
        return best[:, :, 0] + best[:, :, 1]


def _scores(logits, scoring):
    return softmax(logits) if scoring == "softmax" else sigmoid(logits)


def _log_scores(logits, scoring):
    if scoring == "sigmoid":
        return -np.logaddexp(0.0, -logits)
    with np.errstate(invalid="ignore"):
        shifted = logits - logits.max(axis=-1, keepdims=True)
        powers = np.exp(shifted).sum(axis=-1, keepdims=True)
        return shifted - np.log(powers)


def _ranked(values, excluded):
    """Order the last axis: allowed first, NaN last, descending, lower id."""
    nan = np.isnan(values)
    descending = -np.where(nan, 0, values)  # -0 and +0 compare equal
    # lexsort's last key is its first criterion; it is stable: ids decide ties.
    return np.lexsort((descending, nan, excluded), axis=-1)


def _outside_best_groups(values, groups, selected_groups, group_score):
    scores = group_scores(values, groups, group_score)
    best = _ranked(scores, np.zeros(scores.shape, bool))[:, :selected_groups]
    outside = np.ones(scores.shape, bool)
    np.put_along_axis(outside, best, False, axis=1)
    return np.repeat(outside, values.shape[1] // groups, axis=1)


def _check_arguments(logits, top_k, scoring, bias, scale, groups,
                     selected_groups, group_score):
    if logits.ndim != 2:
        raise ValueError(
            f"expected logits of rank 2, but got rank {logits.ndim}")
    experts = logits.shape[1]
    if scoring not in ("softmax", "sigmoid"):
        raise ValueError(
            f"expected scoring softmax or sigmoid, but got {scoring}")
    if not 1 <= top_k <= experts:
        raise ValueError(f"expected top_k between 1 and {experts} (experts), "
                         f"but got {top_k}")
    if bias is not None and np.shape(bias) != (experts,):
        raise ValueError(f"expected bias of shape ({experts},), "
                         f"but got {np.shape(bias)}")
    if not (np.isfinite(scale) and scale > 0):
        raise ValueError(f"expected a finite positive scale, but got {scale}")
    if (groups is None) != (selected_groups is None):
        raise ValueError("expected groups and selected_groups together, "
                         "but got only one of them")
    if groups is not None:
        check_groups(experts, top_k, groups, selected_groups, group_score)


def check_guards(renormalize, epsilon, floor):
    """Raise ValueError where `epsilon` or `floor` make no sense."""
    for name, value in (("epsilon", epsilon), ("floor", floor)):
        if not (np.isfinite(value) and value >= 0):
            raise ValueError(f"expected {name} to be finite and at least 0, "
                             f"but got {value}")
        if value and not renormalize:
            raise ValueError(f"expected renormalize with {name}, "
                             f"but got {name} = {value} without it")


def check_groups(experts, top_k, groups, selected_groups, group_score):
    """Raise ValueError where the attributes of a grouped routing clash."""
    if groups < 1 or experts % groups:
        raise ValueError(f"expected groups to divide {experts} (experts), "
                         f"but got {groups}")
    size = experts // groups
    if not 1 <= selected_groups <= groups:
        raise ValueError(f"expected selected_groups between 1 and {groups} "
                         f"(groups), but got {selected_groups}")
    if top_k > selected_groups * size:
        raise ValueError(f"expected top_k of at most {selected_groups * size} "
                         f"(experts of the selected groups), but got {top_k}")
    if group_score not in ("max", "top2_sum"):
        raise ValueError("expected group_score max or top2_sum, "
                         f"but got {group_score}")
    if group_score == "top2_sum" and size < 2:
        raise ValueError("expected at least 2 experts in a group for top2_sum, "
                         f"but got {size}")
