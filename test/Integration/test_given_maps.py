"""Ops that move rows by maps that a user gives, right ones and wrong ones."""

import modules
import numpy as np
import pytest
from harness import run_tool
from moe.random import normal
from moe.reference import check_maps, combine_weight_grad, dispatch, plan

MAPS = "tensor<5xi32>, tensor<?x2xi32>, tensor<?xi32>"
MATRIX = "tensor<?x12xf32>"
OPS = {
    "dispatch": (modules.dispatch(12, 4, 2), [normal((8, 12), 1)]),
    "combine": (modules.combine(12, 4, 2, weighted=False),
                [normal((16, 12), 1)]),
    "combine_weight_grad": (
        f"func.func @f(%g: {MATRIX}, %y: {MATRIX}, %o: tensor<5xi32>, "
        "%s: tensor<?x2xi32>, %r: tensor<?xi32>) -> tensor<?x2xf32> {\n"
        "  %0 = moe.combine_weight_grad %g, %y, %o, %s, %r "
        f": {MATRIX}, {MATRIX}, {MAPS} -> tensor<?x2xf32>\n"
        "  return %0 : tensor<?x2xf32>\n}\n",
        [normal((8, 12), 1), normal((16, 12), 2)]),
}
DERIVED = f"""
func.func @f(%x: {MATRIX}, %w: tensor<?x2xf32>, %i: tensor<?x2xi32>) -> {MATRIX} {{
  %o, %s, %r, %e = moe.plan %i {{experts = 4 : i64}}
    : tensor<?x2xi32> -> {MAPS}, tensor<?xi32>
  %rows = moe.dispatch %x, %o, %s, %r weights %w
    : {MATRIX}, {MAPS}, tensor<?x2xf32> -> {MATRIX}
  return %rows : {MATRIX}
}}
"""


@pytest.fixture(scope="module")
def planned():
    return plan(np.arange(16, dtype=np.int32).reshape(8, 2) % 4, 4)


@pytest.mark.parametrize("op", OPS)
@pytest.mark.parametrize("form", [(), ("target=minimal",), ("reference=true",)],
                         ids=str)
@pytest.mark.parametrize("position, value", [(5, 99999), (0, -2), (11, 3)])
def test_wrong_maps_end_the_run(tools, planned, op, form, position, value):
    text, operands = OPS[op]
    slots, rows = planned.slot_to_row.copy(), planned.row_to_slot.copy()
    (rows if op == "dispatch" else slots.reshape(-1))[position] = value
    fault = check_maps(slots, rows).fault
    message = tools.fault(tools.compile(text, *form), *operands,
                          planned.offsets, slots, rows, status=3)
    assert message.startswith(f"kernel 'check_maps': expected {fault.name} to ")
    assert f"but got {fault.value} at " in message


def test_maps_of_other_rows_than_there_are_are_refused(tools, planned):
    # The host compares the sizes, so that the device need not.
    message = tools.fault(OPS["combine"][0], normal((14, 12), 1),
                          planned.offsets, planned.slot_to_row,
                          planned.row_to_slot, status=2)
    assert "expected" in message and "14" in message and "16" in message


def test_the_maps_that_a_backward_is_given_are_checked(tools, planned):
    text = run_tool([tools.moe_opt, "-",
                     "--moe-differentiate=function=f wrt=0,1 mode=split"],
                    stdin=DERIVED)
    x, weights, cotangent = (normal((8, 12), 1), normal((8, 2), 2),
                             normal((16, 12), 3))
    indices = np.arange(16, dtype=np.int32).reshape(8, 2) % 4
    rows, *saved = tools.run(text, x, weights, indices, results=4,
                             entry="f_fwd")
    np.testing.assert_array_equal(
        rows, dispatch(x, planned, weights, element_type="f32"))
    got = tools.run(text, x, weights, indices, *saved, cotangent, results=2,
                    entry="f_bwd")
    np.testing.assert_allclose(
        got[1], combine_weight_grad(x, cotangent, planned), atol=1e-5)

    slots = next(array for array in saved if array.ndim == 2)
    slots[6, 1] = 16
    message = tools.fault(text, x, weights, indices, *saved, cotangent,
                          status=3, entry="f_bwd")
    assert message.endswith("but got 16 at token 6, slot 1")
