"""Text of the experts' activations, as elementwise operations in f32."""

from .printer import Value, columns, elementwise

# Names and values of the constants a body uses, beside `%zero`.
ACTIVATION_CONSTANTS = {
    "swiglu": [("one", "1.0")],
    "gelu": [("half", "0.5"), ("one", "1.0"),
             ("sqrt_2_over_pi", "0.79788456080286541"),
             ("cubic", "0.044715")],
    "relu2": [],
}

_SWIGLU = [
    "%minus = arith.negf %a : f32",
    "%exp = math.exp %minus : f32",
    "%denominator = arith.addf %exp, %one : f32",
    "%silu = arith.divf %a, %denominator : f32",
    "%gated = arith.mulf %silu, %b : f32",
]
_GELU = [
    "%square = arith.mulf %a, %a : f32",
    "%cube = arith.mulf %square, %a : f32",
    "%bent = arith.mulf %cube, %cubic : f32",
    "%sum = arith.addf %a, %bent : f32",
    "%inner = arith.mulf %sum, %sqrt_2_over_pi : f32",
    "%tanh = math.tanh %inner : f32",
    "%share = arith.addf %tanh, %one : f32",
    "%halved = arith.mulf %a, %half : f32",
    "%gelu = arith.mulf %halved, %share : f32",
]
_RELU2 = [
    "%relu = arith.maximumf %a, %zero : f32",
    "%squared = arith.mulf %relu, %relu : f32",
]


def activation(name, result, hidden, rows, *, interleaved=False):
    """Give the lines that activate `hidden`.

    Parameters
    ----------
    name : {"swiglu", "gelu", "relu2"}
    result : Value, [rows, I]
    hidden : Value, [rows, 2 * I] for swiglu, else [rows, I]
    rows : str
        The name of the dynamic number of rows.
    interleaved : bool
        Whether the gate and up columns of swiglu alternate.

    Returns
    -------
    list of str
    """
    if name == "gelu":
        return elementwise(result, [hidden], rows, ["a"], _GELU, "gelu")
    if name == "relu2":
        return elementwise(result, [hidden], rows, ["a"], _RELU2, "squared")
    prefix = "shared_" if result.name.startswith("shared_") else ""
    gate = Value(f"{prefix}gate", result.shape)
    up = Value(f"{prefix}up", result.shape)
    first, stride = (1, 2) if interleaved else (result.shape[1], 1)
    return [*columns(gate, hidden, rows, 0, stride),
            *columns(up, hidden, rows, first, stride),
            *elementwise(result, [gate, up], rows, ["a", "b"], _SWIGLU,
                         "gated")]
