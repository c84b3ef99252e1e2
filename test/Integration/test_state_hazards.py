"""The old value of state is read wherever the function reads it."""

import pytest
from moe.random import normal
from stateful import check_steps, state

I, R = "affine_map<(i, j) -> (i, j)>", "affine_map<(i, j) -> (j, i)>"


def generic(maps, body, ins="%a, %b", results=2):
    """A linalg.generic on square matrices; the body names x and z."""
    def types(count):
        return ", ".join(["T"] * count)
    count = ins.count("%")
    outs = ", ".join(["%e"] * results)
    arguments = ", ".join(["%x: f32", "%z: f32", "%o: f32", "%p: f32"])
    return (f"%e = tensor.empty() : T\n  %y:{results} = linalg.generic "
            f"{{indexing_maps = [{', '.join(maps)}], "
            'iterator_types = ["parallel", "parallel"]}\n'
            f"    ins({ins} : {types(count)}) outs({outs} : {types(results)}) "
            f"{{\n  ^bb0({arguments}):\n{body}  }} -> ({types(results)})")


SUMS = """    %q = arith.addf %x, %z : f32
    %m = arith.subf %x, %z : f32
    linalg.yield %q, %m : f32, f32
"""
TRANSPOSED = """%e = tensor.empty() : T
  %t = linalg.transpose ins(%a : T) outs(%e : T) permutation = [1, 0]"""

# name: (what the arguments update, body, returned, step)
CASES = {
    "returned unchanged": ([0, None], "", "%a", lambda a, b: [a]),
    "returned beside the next value": (
        [1, None], "%y = arith.addf %a, %b : T", "%a, %y",
        lambda a, b: [a, a + b]),
    "exchanged": ([1, 0], "", "%a, %b", lambda a, b: [a, b]),
    "one value for both": (
        [1, 0], "%y = arith.addf %a, %b : T", "%y, %y, %y",
        lambda a, b: [a + b] * 3),
    "read by the kernel of the other": (
        [0, 1], """%y = arith.addf %a, %b : T
  %z = arith.mulf %b, %a : T""", "%y, %z", lambda a, b: [a + b, b * a]),
    "next value read by the kernel of the other": (
        [0, 1], """%y = arith.addf %a, %b : T
  %v = math.absf %y : T
  %z = arith.mulf %v, %b : T""", "%y, %z",
        lambda a, b: [a + b, abs(a + b) * b]),
    "transposed": (
        [0, None], f"{TRANSPOSED}\n  %y = arith.addf %t, %b : T", "%y",
        lambda a, b: [a.T + b]),
    "transposed by a later kernel": (
        [0, None], f"""%y = arith.addf %a, %b : T
  {TRANSPOSED}
  %z = arith.addf %t, %y : T""", "%y, %z",
        lambda a, b: [a + b, a.T + (a + b)]),
    "two results of one kernel": (
        [1, 0], generic([I, I, I, I], SUMS), "%y#0, %y#1",
        lambda a, b: [a + b, a - b]),
    "one of two read transposed": (
        [0, 1], generic([I, R, I, I], SUMS), "%y#0, %y#1",
        lambda a, b: [a + b.T, a - b.T]),
    "one of two written transposed": (
        [0, 1], generic([I, I, I, R], SUMS), "%y#0, %y#1",
        lambda a, b: [a + b, (a - b).T]),
    "first row into the last": (
        [0, None], """%r = tensor.extract_slice %a[0, 0] [1, N] [1, 1]
    : T to tensor<1xNxf32>
  %s = tensor.insert_slice %r into %a[LAST, 0] [1, N] [1, 1]
    : tensor<1xNxf32> into T
  %y = arith.addf %s, %b : T""", "%y",
        lambda a, b: [a[[*range(len(a) - 1), 0]] + b]),
    "one element into all": (
        [0, None], """%last = arith.constant LAST : index
  %v = tensor.extract %a[%last, %last] : T
  %s = tensor.splat %v : T
  %y = arith.addf %a, %s : T""", "%y", lambda a, b: [a + a[-1, -1]]),
    "a view of the next value": (
        [0, None], """%y = arith.addf %a, %b : T
  %v = tensor.extract_slice %y[0, 0] [N, N] [1, 1] : T to T""", "%y, %v",
        lambda a, b: [a + b, a + b]),
}


@pytest.mark.parametrize("size", [5, 8, 200])
@pytest.mark.parametrize("name", CASES)
def test_state_that_is(tools, name, size):
    updates, body, returned, step = CASES[name]
    results = ", ".join(["T"] * (returned.count("%")))
    a, b = (state(n) if n is not None else "" for n in updates)
    text = f"""
func.func @f(%a: T {a}, %b: T {b}) -> ({results}) {{
  {body}
  return {returned} : {results}
}}
"""
    text = text.replace("LAST", str(size - 1)).replace("T", "tensor<NxNxf32>")
    check_steps(tools, text.replace("N", str(size)),
                [normal((size, size), 1), normal((size, size), 2)], step)
