"""Kernels with more tensors and sizes than a device has bindings and push
constants: concatenations of many inputs with dynamic rows."""

import numpy as np
import pytest

TARGETS = ["lavapipe", "minimal"]


def concat(count, width):
    types = [f"tensor<?x{width}xf32>"] * count
    names = [f"%x{i}" for i in range(count)]
    arguments = ", ".join(map(": ".join, zip(names, types)))
    return f"""
func.func @concat({arguments}) -> {types[0]} {{
  %y = tensor.concat dim(0) {", ".join(names)} : ({", ".join(types)}) -> {types[0]}
  return %y : {types[0]}
}}
"""


# The device has 32 bindings: 40 inputs are too many for it as well.
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("count, width", [(4, 5), (17, 4), (17, 3), (40, 3)])
def test_concat_of_many_inputs(tools, count, width, target):
    bundle = tools.compile(concat(count, width), f"target={target}")
    random = np.random.default_rng(count)
    for rows in (random.integers(0, 6, count), np.zeros(count, int),
                 np.arange(count), np.full(count, 1)):
        inputs = [random.normal(size=(n, width)).astype(np.float32)
                  for n in rows]
        np.testing.assert_array_equal(tools.run(bundle, *inputs),
                                      np.concatenate(inputs))


SUM = """
#id = affine_map<(i) -> (i)>
func.func @sum({arguments}) -> (tensor<?xf32>, tensor<?xi32>) {{
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x0, %c0 : tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %f = tensor.empty(%n) : tensor<?xi32>
  %y:2 = linalg.generic {{indexing_maps = [{maps}], iterator_types = ["parallel"]}}
      ins({names} : {types}) outs(%e, %f : tensor<?xf32>, tensor<?xi32>) {{
  ^bb0({parameters}, %o: f32, %p: i32):
{body}
    linalg.yield %s{last}, %t{last} : f32, i32
  }} -> (tensor<?xf32>, tensor<?xi32>)
  return %y#0, %y#1 : tensor<?xf32>, tensor<?xi32>
}}
"""


def sums(floats, integers):
    """One op that cannot be taken apart: many inputs, two results."""
    kinds = ["f32"] * floats + ["i32"] * integers
    count = max(floats, integers)
    lines = []
    for prefix, start, length, add, kind in (
            ("s", 0, floats, "addf", "f32"), ("t", floats, integers, "addi", "i32")):
        zero = "0.0" if kind == "f32" else "0"
        lines.append(f"    %{prefix}_0 = arith.constant {zero} : {kind}")
        for i in range(count):
            value = f"%a{start + i}" if i < length else f"%{prefix}_0"
            last = f"%{prefix}{i}" if i else f"%{prefix}_0"
            lines.append(f"    %{prefix}{i + 1} = arith.{add} {last}, {value} "
                         f": {kind}")
    names = [f"%x{i}" for i in range(len(kinds))]
    types = [f"tensor<?x{kind}>" for kind in kinds]
    return SUM.format(
        arguments=", ".join(map(": ".join, zip(names, types))),
        maps=", ".join(["#id"] * (len(kinds) + 2)), names=", ".join(names),
        types=", ".join(types), body="\n".join(lines), last=count,
        parameters=", ".join(f"%a{i}: {kind}" for i, kind in enumerate(kinds)))


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("floats, integers", [(4, 3), (20, 20)])
def test_one_op_of_many_inputs(tools, floats, integers, target):
    bundle = tools.compile(sums(floats, integers), f"target={target}")
    random = np.random.default_rng(3)
    for rows in (7, 64, 1, 0):
        x = random.normal(size=(floats, rows)).astype(np.float32)
        n = random.integers(-2**30, 2**30, (integers, rows), dtype=np.int32)
        y, m = tools.run(bundle, *x, *n, results=2)
        expected = np.zeros(rows, np.float32)
        for one in x:
            expected = expected + one
        np.testing.assert_array_equal(y, expected)
        np.testing.assert_array_equal(m, n.sum(axis=0, dtype=np.int32))


@pytest.mark.parametrize("target", TARGETS)
def test_inputs_of_other_sizes_are_refused_before_the_run(tools, target):
    bundle = tools.compile(sums(4, 3), f"target={target}")
    inputs = [np.zeros(5, np.float32)] * 4 + [np.zeros(5, np.int32)] * 2
    message = tools.fault(bundle, *inputs, np.zeros(6, np.int32), status=2)
    assert message == ("expected dim 0 of input 6 to equal 5 (dim 0 of input "
                       "0), but got 6"), message
