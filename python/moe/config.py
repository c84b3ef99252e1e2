"""The description of one mixture-of-experts layer."""

import math
from dataclasses import dataclass
from typing import Optional

ACTIVATIONS = ("swiglu", "gelu", "relu2")
SCORINGS = ("softmax", "sigmoid")
GROUP_SCORES = ("max", "top2_sum")
MAX_EXPERTS = 1024
MAX_TOP_K = 32

_SMALLEST_NORMAL = 2.0**-126  # of f32
_LARGEST = 2.0**128 - 2.0**104


@dataclass(frozen=True)
class LayerConfig:
    """What a layer computes; the number of tokens stays open.

    Attributes
    ----------
    hidden : int
        H, features of a token.
    experts : int
        E, at most 1024.
    top_k : int
        K, experts for each token; at most 32.
    intermediate : int
        I, hidden units of one expert.
    activation : {"swiglu", "gelu", "relu2"}
        swiglu has a gate and an up projection, the others have one projection.
    scoring : {"softmax", "sigmoid"}
        How router logits become scores.
    renormalize : bool
        Whether a token's weights are divided by their sum.
    renormalize_epsilon, renormalize_floor : float
        With `renormalize`, the divisor is max(sum + epsilon, floor). As an f32
        each is 0, or positive and not subnormal.
    scale : float
        Factor of all routing weights.
    bias : bool
        Whether the experts' projections have a bias.
    shared_experts : int
        S: adds one dense block of S * I hidden units, which every token takes.
    correction_bias : bool
        Whether the selection, but not the weights, has a bias for each expert.
    groups, selected_groups : int, optional
        Select only from the best `selected_groups` of `groups` equal groups.
    group_score : {"max", "top2_sum"}
        What a group is judged by.
    interleaved_gate_up : bool
        Whether rows 2i and 2i + 1 of w_gate_up are gate i and up i; otherwise
        its first I rows are the gate.
    return_routing : bool
        Whether the function also gives the weights and indices.

    Raises
    ------
    ValueError
        Where the values do not describe a layer.
    """

    hidden: int
    experts: int
    top_k: int
    intermediate: int
    activation: str = "swiglu"
    scoring: str = "softmax"
    renormalize: bool = False
    scale: float = 1.0
    bias: bool = False
    shared_experts: int = 0
    correction_bias: bool = False
    groups: Optional[int] = None
    selected_groups: Optional[int] = None
    group_score: str = "top2_sum"
    interleaved_gate_up: bool = False
    return_routing: bool = False
    renormalize_epsilon: float = 0.0
    renormalize_floor: float = 0.0

    def __post_init__(self):
        _expect_range("hidden", self.hidden, 1)
        _expect_range("experts", self.experts, 1, MAX_EXPERTS)
        if self.experts <= MAX_TOP_K:
            _expect_range("top_k", self.top_k, 1, self.experts, " (experts)")
        else:
            _expect_range("top_k", self.top_k, 1, MAX_TOP_K)
        _expect_range("intermediate", self.intermediate, 1)
        _expect_range("shared_experts", self.shared_experts, 0)
        _expect_one_of("activation", self.activation, ACTIVATIONS)
        _expect_one_of("scoring", self.scoring, SCORINGS)
        _expect_one_of("group_score", self.group_score, GROUP_SCORES)
        if not (math.isfinite(self.scale) and self.scale > 0):
            raise ValueError("expected scale to be finite and positive, "
                             f"but got {self.scale}")
        self._check_guard("renormalize_epsilon")
        self._check_guard("renormalize_floor")
        if self.interleaved_gate_up and self.activation != "swiglu":
            raise ValueError("expected activation swiglu with interleaved gate "
                             f"and up rows, but got {self.activation}")
        self._check_groups()

    def _check_guard(self, name):
        value = getattr(self, name)
        if value and not _SMALLEST_NORMAL <= value <= _LARGEST:
            raise ValueError(f"expected {name} to be 0, or positive and normal "
                             f"as an f32, but got {value}")
        if value and not self.renormalize:
            raise ValueError(f"expected renormalize with {name}, "
                             f"but got {name} = {value} without it")

    def _check_groups(self):
        if self.groups is None and self.selected_groups is None:
            return
        if self.groups is None or self.selected_groups is None:
            given = "groups" if self.selected_groups is None else \
                "selected_groups"
            raise ValueError("expected both groups and selected_groups, "
                             f"but got only {given}")
        _expect_range("groups", self.groups, 1, self.experts, " (experts)")
        if self.experts % self.groups:
            raise ValueError(f"expected groups to divide {self.experts} "
                             f"(experts), but got {self.groups}")
        _expect_range("selected_groups", self.selected_groups, 1, self.groups,
                      " (groups)")
        size = self.experts // self.groups
        selectable = self.selected_groups * size
        if self.top_k > selectable:
            raise ValueError(f"expected top_k to be at most {selectable} "
                             "(experts of the selected groups), "
                             f"but got {self.top_k}")
        if self.group_score == "top2_sum" and size < 2:
            raise ValueError("expected at least 2 experts in a group for "
                             f"group_score top2_sum, but got {size}")

    @property
    def projections(self):
        """The input projections of an expert: gate and up, or one."""
        return 2 if self.activation == "swiglu" else 1

    @property
    def up_width(self):
        """Output features of an expert's input projection."""
        return self.projections * self.intermediate

    @property
    def shared_width(self):
        """Hidden units of the shared block; 0 without one."""
        return self.shared_experts * self.intermediate

    def arguments(self):
        """List the function's arguments in their order.

        Returns
        -------
        list of (str, tuple)
            Names and shapes; None stands for the number of tokens.
        """
        h, e, i = self.hidden, self.experts, self.intermediate
        arguments = [
            ("x", (None, h)),
            ("router", (h, e)),
            ("w_gate_up", (e, self.up_width, h)),
            ("w_down", (e, h, i)),
        ]
        if self.bias:
            arguments += [("b_gate_up", (e, self.up_width)), ("b_down", (e, h))]
        if self.correction_bias:
            arguments += [("correction_bias", (e,))]
        if self.shared_experts:
            arguments += [
                ("w_shared_gate_up", (self.projections * self.shared_width, h)),
                ("w_shared_down", (h, self.shared_width)),
            ]
        return arguments

    def results(self):
        """List the function's results in their order.

        Returns
        -------
        list of (str, tuple, str)
            Names, shapes with None for the number of tokens, element types.
        """
        results = [("out", (None, self.hidden), "f32")]
        if self.return_routing:
            results += [("weights", (None, self.top_k), "f32"),
                        ("indices", (None, self.top_k), "i32")]
        return results


def _expect_range(name, value, least, most=None, unit=""):
    if isinstance(value, bool) or not isinstance(value, int):
        raise ValueError(f"expected {name} to be an integer, but got {value!r}")
    if most is None and value < least:
        raise ValueError(
            f"expected {name} to be at least {least}, but got {value}")
    if most is not None and not least <= value <= most:
        raise ValueError(f"expected {name} to be between {least} and "
                         f"{most}{unit}, but got {value}")


def _expect_one_of(name, value, allowed):
    if value not in allowed:
        raise ValueError(f"expected {name} to be one of {', '.join(allowed)}, "
                         f"but got {value}")
