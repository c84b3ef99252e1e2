"""What moves rows: offsets, maps between slots and rows, indices of experts."""

import modules
import numpy as np
from moe import reference

from .case import Case, Fault, numbers, position, positions

TOKENS, TOP_K, EXPERTS, WIDTH = (1, 5, 30), 2, 4, 8
SLOTS = "expected slot_to_row to be -1 or a row that row_to_slot gives back"
ROWS = "expected row_to_slot to be -1 or a slot that slot_to_row gives back"
OFFSETS = ("expected offsets to start at 0, not decrease and end at most at "
           "the number of rows")


def renamed(text, name):
    """The only function of a module under another name."""
    head, rest = text.split("@", 1)
    return f"{head}@{name}({rest.split('(', 1)[1]}"


def planned(random):
    """The maps of a plan, in half of the draws with wrong ones among them."""
    tokens = TOKENS[random.integers(len(TOKENS))]
    indices = random.integers(-1, EXPERTS, (tokens, TOP_K), np.int32)
    plan = reference.plan(indices, EXPERTS, out_of_range="drop")
    slots, rows = plan.slot_to_row.copy(), plan.row_to_slot.copy()
    kind = random.integers(6)
    if kind < 3:
        values = (slots.reshape(-1), rows)[kind % 2]
        others = (rows, slots.reshape(-1))[kind % 2]
        at = random.integers(values.size)
        if kind < 2 and values[at] >= 0:  # so that the other one is right
            others[values[at]] = -1
        values[at] = position(random, values.size)
    return plan, slots, rows


def check_maps(slots, rows):
    """Raise the fault of maps that are not those of a plan."""
    fault = reference.check_maps(slots, rows).fault
    if fault is None:
        return
    if fault.name == "slot_to_row":
        token, slot = divmod(fault.position, TOP_K)
        where, text = f"token {token}, slot {slot}", SLOTS
    else:
        where, text = f"row {fault.position}", ROWS
    raise Fault(f"kernel 'check_maps': {text}, but got {fault.value} at "
                f"{where}")


def check_offsets(offsets, rows):
    """Raise the fault of offsets that are no prefix."""
    fault = reference.check_offsets(offsets, rows)
    if fault is not None:
        raise Fault(f"kernel 'check_offsets': {OFFSETS}, but got {fault.value} "
                    f"at element {fault.position}")


def given_maps():
    """moe.check_maps gives right maps back."""
    maps = "tensor<?x2xi32>, tensor<?xi32>"
    text = ("func.func @given_maps(%s: tensor<?x2xi32>, %r: tensor<?xi32>) -> "
            f"({maps}) {{\n  %0, %1 = moe.check_maps %s, %r : {maps}\n"
            f"  return %0, %1 : {maps}\n}}\n")

    def expect(slots, rows):
        check_maps(slots, rows)
        return [slots, rows]

    return Case("given_maps", text, lambda random: planned(random)[1:], expect,
                lambda slots, rows: slots.size + rows.size)


def moved_rows(name, text, inputs, move):
    """An op on rows, by maps that the function is given."""
    def draw(random):
        plan, slots, rows = planned(random)
        counts = {"tokens": len(slots), "rows": len(rows)}
        return (*(numbers(random, counts[each], WIDTH) for each in inputs),
                plan.offsets, slots, rows)

    def expect(*arrays):
        *values, offsets, slots, rows = arrays
        check_maps(slots, rows)
        experts = np.searchsorted(offsets, np.arange(len(rows)), "right") - 1
        plan = reference.Plan(offsets, slots, rows, experts.astype(np.int32))
        return [np.float32(move(*values, plan))]

    return Case(name, renamed(text, name), draw, expect,
                lambda *arrays: arrays[-1].size + arrays[-2].size)


GATHERED = """
func.func @gathered_matmul(%x: tensor<?x8xf32>, %w: tensor<4x8x12xf32>,
    %o: tensor<5xi32>, %s: tensor<?x2xi32>, %r: tensor<?xi32>)
    -> tensor<?x12xf32> {
  %rows = moe.dispatch %x, %o, %s, %r : tensor<?x8xf32>, tensor<5xi32>,
    tensor<?x2xi32>, tensor<?xi32> -> tensor<?x8xf32>
  %y = moe.grouped_matmul %rows, %w, %o
    : tensor<?x8xf32>, tensor<4x8x12xf32>, tensor<5xi32> -> tensor<?x12xf32>
  return %y : tensor<?x12xf32>
}
"""


def gathered_matmul():
    """The product reads its rows at the positions that the maps give."""
    def draw(random):
        plan, slots, rows = planned(random)
        offsets = plan.offsets
        if random.integers(4) == 0:
            offsets = prefix(random, len(rows))
        return (numbers(random, len(slots), WIDTH),
                numbers(random, EXPERTS, WIDTH, 12), offsets, slots, rows)

    def expect(x, w, offsets, slots, rows):
        check_maps(slots, rows)
        check_offsets(offsets, len(rows))
        plan = reference.Plan(offsets, slots, rows, None)
        return [np.float32(reference.grouped_matmul(
            reference.dispatch(x, plan), w, offsets))]

    return Case("gathered_matmul", GATHERED, draw, expect,
                lambda *arrays: sum(each.size for each in arrays[2:]))


def prefix(random, rows):
    """Offsets over some rows, in half of the draws with a wrong one."""
    offsets = np.sort(random.integers(0, rows + 1, EXPERTS + 1, np.int32))
    offsets[0] = 0
    if random.integers(2):
        offsets[random.integers(offsets.size)] = position(random, rows)
    return offsets


def segments(name, text, shapes, compute):
    """An op on the rows of each expert, by offsets that it is given.

    `shapes` are those of the other operands, None the number of rows.
    """
    def draw(random):
        rows = TOKENS[random.integers(len(TOKENS))]
        arrays = [numbers(random, *(rows if size is None else size
                                    for size in shape)) for shape in shapes]
        return arrays + [prefix(random, rows)]

    def expect(*arrays):
        check_offsets(arrays[-1], len(arrays[0]))
        return [np.float32(compute(*arrays))]

    return Case(name, renamed(text, name), draw, expect,
                lambda *arrays: arrays[-1].size)


def planning(drop):
    """moe.plan of indices; one that names no expert is a fault or dropped."""
    name = "dropping_plan" if drop else "plan"
    text = renamed(modules.plan(EXPERTS, TOP_K, drop=drop), name)

    def draw(random):
        tokens = TOKENS[random.integers(len(TOKENS))]
        return (positions(random, EXPERTS, (tokens, TOP_K)),)

    def expect(indices):
        plan = reference.plan(indices, EXPERTS,
                              out_of_range="drop" if drop else "error")
        if plan.fault is not None:
            token, slot = divmod(plan.fault.slot, TOP_K)
            raise Fault(f"kernel 'plan': expected an expert in [0, {EXPERTS}), "
                        f"but got {plan.fault.value} at token {token}, slot "
                        f"{slot}")
        return list(plan[:4])

    return Case(name, text, draw, expect, lambda indices: indices.size)


CASES = [
    given_maps(),
    moved_rows("dispatch", modules.dispatch(WIDTH, EXPERTS, TOP_K), ["tokens"],
               reference.dispatch),
    moved_rows("combine", modules.combine(WIDTH, EXPERTS, TOP_K,
                                          weighted=False), ["rows"],
               reference.combine),
    moved_rows("combine_weight_grad", modules.combine_weight_grad(
        WIDTH, EXPERTS, TOP_K), ["tokens", "rows"],
        reference.combine_weight_grad),
    segments("grouped_matmul", modules.grouped_matmul(EXPERTS, 8, 12),
             [(None, 8), (EXPERTS, 8, 12)], reference.grouped_matmul),
    segments("grouped_outer", modules.grouped_outer(EXPERTS, 8, 12),
             [(None, 8), (None, 12)], reference.grouped_outer),
    segments("grouped_reduce", modules.grouped_reduce(EXPERTS, 8), [(None, 8)],
             reference.grouped_reduce),
    gathered_matmul(),
    planning(drop=False),
    planning(drop=True),
]
