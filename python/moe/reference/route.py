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
          scale=1.0, groups=None, selected_groups=None, group_score="max"):
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
        Divide the weights of a token by their sum over its selection.
    scale : float
        Factor of all weights; finite and positive.
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
    values = selection_values(logits, scoring=scoring, bias=bias,
                              groups=groups)
    excluded = np.zeros(values.shape, bool)
    if groups is not None:
        excluded = _outside_best_groups(values, groups, selected_groups,
                                        group_score)
    indices = _ranked(values, excluded)[:, :top_k].astype(np.int32)
    weights = route_weights(logits, indices, scoring=scoring,
                            renormalize=renormalize, scale=scale)
    return Routing(weights, indices)


def route_weights(logits, indices, *, scoring="softmax", renormalize=False,
                  scale=1.0):
    """Compute the routing weights of a given selection.

    Parameters
    ----------
    logits : array_like, [T, E]
    indices : array_like of int, [T, K]
        A slot whose index is not in [0, E), as -1, has weight 0 and stays out
        of the sums.
    scoring, renormalize, scale
        As in `route`.

    Returns
    -------
    numpy.ndarray, float64 [T, K]
    """
    indices = np.asarray(indices)
    scores = _scores(np.asarray(logits), scoring)
    kept = (indices >= 0) & (indices < scores.shape[1])
    chosen = np.take_along_axis(scores, np.where(kept, indices, 0), axis=1)
    chosen = np.where(kept, chosen, 0.0)
    if renormalize:
        total = np.zeros(len(chosen))
        for slot in range(chosen.shape[1]):  # in selection order
            total += chosen[:, slot]
        with np.errstate(invalid="ignore"):
            chosen = chosen / total[:, None]  # 0 / 0 is NaN, as specified
        chosen = np.where(kept, chosen, 0.0)
    return chosen * scale


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
