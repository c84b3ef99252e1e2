"""Text of modules with one operation, for any sizes of it."""

from moe.printer import Value, attributes, names, operation, types


def module(name, arguments, results, lines):
    """A module of one function, whose values are given by name and type."""
    signature = ", ".join(f"{value}: {value.type}" for value in arguments)
    body = "\n".join(f"  {line}" for line in lines)
    return (f"func.func @{name}({signature}) -> ({types(results)}) {{\n{body}\n"
            f"  return {names(results)} : {types(results)}\n}}\n")


def maps(experts, top_k):
    """What a plan gives, and operations on rows take."""
    return [Value("offsets", (experts + 1,), "i32"),
            Value("slot_to_row", (None, top_k), "i32"),
            Value("row_to_slot", (None,), "i32")]


def route(experts, top_k, *, bias=False, indices=True, **options):
    """logits [T, E] (bias [E]) -> weights (indices) [T, K]."""
    operands = [Value("logits", (None, experts))]
    results = [Value("weights", (None, top_k)),
               Value("indices", (None, top_k), "i32")]
    head = "moe.route %logits"
    if bias:
        operands.append(Value("bias", (experts,)))
        head += " bias %bias"
    entries = {"top_k": f"{top_k} : i64", **options}
    return module("route", operands, results if indices else results[:1],
                  operation(results, head, operands,
                            middle=attributes(entries)))


def plan(experts, top_k, *, drop=False):
    """indices [T, K] -> offsets, slot_to_row, row_to_slot, row_expert."""
    indices = Value("indices", (None, top_k), "i32")
    results = [*maps(experts, top_k), Value("row_expert", (None,), "i32")]
    entries = {"experts": f"{experts} : i64"}
    if drop:
        entries["out_of_range"] = "#moe.out_of_range<drop>"
    return module("plan", [indices], results,
                  operation(results, "moe.plan %indices", [indices],
                            middle=attributes(entries)))


def dispatch(hidden, experts, top_k, *, weighted=False):
    """x [T, H], maps (weights [T, K]) -> rows [R, H]."""
    operands = [Value("x", (None, hidden)), *maps(experts, top_k)]
    head = f"moe.dispatch {names(operands)}"
    if weighted:
        operands.append(Value("weights", (None, top_k)))
        head += " weights %weights"
    rows = Value("rows", (None, hidden))
    return module("dispatch", operands, [rows],
                  operation([rows], head, operands))


def combine(width, experts, top_k, *, weighted=True, **options):
    """rows [R, W], maps (weights [T, K]) -> [T, W]."""
    operands = [Value("rows", (None, width)), *maps(experts, top_k)]
    head = f"moe.combine {names(operands)}"
    if weighted:
        operands.append(Value("weights", (None, top_k)))
        head += " weights %weights"
    result = Value("result", (None, width))
    return module("combine", operands, [result],
                  operation([result], head, operands,
                            middle=attributes(options)))


def grouped_matmul(experts, contraction, columns, *, transposed=False,
                   bias=False, rows=None):
    """lhs [R, C], rhs, offsets [E + 1] (bias [E, N]) -> [R, N]."""
    matrix = (columns, contraction) if transposed else (contraction, columns)
    operands = [Value("lhs", (rows, contraction)),
                Value("rhs", (experts, *matrix)),
                Value("offsets", (experts + 1,), "i32")]
    head = f"moe.grouped_matmul {names(operands)}"
    if bias:
        operands.append(Value("bias", (experts, columns)))
        head += " bias %bias"
    entries = {"transpose_rhs": None} if transposed else {}
    result = Value("result", (rows, columns))
    return module("product", operands, [result],
                  operation([result], head, operands,
                            middle=attributes(entries)))


def grouped_outer(experts, left, right, *, init=False):
    """lhs [R, M], rhs [R, N], offsets (init [E, M, N]) -> [E, M, N]."""
    result = Value("result", (experts, left, right))
    operands = [Value("lhs", (None, left)), Value("rhs", (None, right)),
                Value("offsets", (experts + 1,), "i32")]
    head = f"moe.grouped_outer {names(operands)}"
    if init:
        operands.append(Value("start", result.shape))
        head += " init %start"
    return module("outer", operands, [result],
                  operation([result], head, operands))


def grouped_reduce(experts, columns):
    """rows [R, N], offsets -> [E, N]."""
    operands = [Value("rows", (None, columns)),
                Value("offsets", (experts + 1,), "i32")]
    result = Value("result", (experts, columns))
    return module("reduce", operands, [result],
                  operation([result], f"moe.grouped_reduce {names(operands)}",
                            operands))


def combine_weight_grad(width, experts, top_k, *, strategy="tree"):
    """grad [T, W], rows [R, W], maps -> [T, K]."""
    operands = [Value("grad", (None, width)), Value("rows", (None, width)),
                *maps(experts, top_k)]
    result = Value("result", (None, top_k))
    entries = {"strategy": f"#moe.dot_strategy<{strategy}>"}
    return module("dot", operands, [result],
                  operation([result],
                            f"moe.combine_weight_grad {names(operands)}",
                            operands, middle=attributes(entries)))


def route_weights(experts, top_k, **options):
    """logits [T, E], indices [T, K] -> weights [T, K]."""
    operands = [Value("logits", (None, experts)),
                Value("indices", (None, top_k), "i32")]
    result = Value("result", (None, top_k))
    return module("weigh", operands, [result],
                  operation([result], f"moe.route_weights {names(operands)}",
                            operands, middle=attributes(options)))


def route_grad(experts, top_k, **options):
    """logits [T, E], indices [T, K], dweights [T, K] -> dlogits [T, E]."""
    operands = [Value("logits", (None, experts)),
                Value("indices", (None, top_k), "i32"),
                Value("dweights", (None, top_k))]
    result = Value("result", (None, experts))
    return module("unweigh", operands, [result],
                  operation([result], f"moe.route_grad {names(operands)}",
                            operands, middle=attributes(options)))
