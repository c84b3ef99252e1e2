"""The `moe` operations in NumPy, written from the specification alone.

Shapes use the specification's letters: T tokens, K experts per token, E
experts, R = T * K rows, H hidden features, W width of an expert's output, C and
N input and output features of a grouped product, I hidden units of an expert.
Results are float64 unless an element type is asked for.
"""

from .elementwise import activate, gelu_tanh, relu2, silu, softmax, swiglu
from .gradients import (combine_weight_grad, grouped_outer, grouped_reduce,
                        route_grad)
from .grouped import OffsetFault, check_offsets, grouped_matmul
from .layer import LayerOutputs, layer
from .layer_vjp import activate_vjp, layer_vjp
from .maps import CheckedMaps, MapFault, check_maps
from .plan import Plan, SlotFault, plan
from .rounding import ELEMENT_TYPES, round_to
from .route import Routing, route, route_weights, selection_values
from .rows import combine, dispatch
from .tiles import Tiles, tiles
from .training import (StepOutputs, TrainingState, evaluate, gradients,
                       initial_state, train_step)

__all__ = [
    "CheckedMaps", "ELEMENT_TYPES", "LayerOutputs", "MapFault", "OffsetFault",
    "Plan", "Routing", "SlotFault", "StepOutputs", "Tiles", "TrainingState",
    "activate", "activate_vjp", "check_maps", "check_offsets", "combine",
    "combine_weight_grad", "dispatch", "evaluate", "gelu_tanh", "gradients",
    "grouped_matmul", "grouped_outer", "grouped_reduce", "initial_state",
    "layer", "layer_vjp", "plan", "relu2", "round_to", "route", "route_grad",
    "route_weights", "selection_values", "silu", "softmax", "swiglu", "tiles",
    "train_step",
]
