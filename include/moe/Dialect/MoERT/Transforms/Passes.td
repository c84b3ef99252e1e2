//===- Passes.td - Passes on host programs -----------------*- tablegen -*-===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef MOE_DIALECT_MOERT_TRANSFORMS_PASSES_TD
#define MOE_DIALECT_MOERT_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

// What each pass adds to a program; a later one reads what an earlier one left.
//
//   commands over buffers
//      | moe-rt-insert-barriers   decides the order that the device must keep
//      v
//   ... with moe_rt.barrier
//      | moe-rt-plan-memory       decides where transients lie
//      v
//   ... with `at` offsets and moe_rt.arena
//      | moe-rt-check-hazards     proves the order; decides nothing
//      v
//   ready for the bundle

def CheckHazardsPass : Pass<"moe-rt-check-hazards", "moe_rt::ProgramOp"> {
  let summary = "Checks that a barrier orders every two conflicting commands";
  let description = [{
    Takes any program whose transients have offsets, and leaves it unchanged.
    Two commands conflict when both touch a byte and at least one writes it:
    the same range of one buffer, or ranges of two transients that share memory
    of the arena. The pass compares all pairs, and fails at the second command
    of a pair that no `moe_rt.barrier` separates. Ranges count as disjoint only
    when that can be proven for all sizes of the inputs.

    The pass shares no code with `moe-rt-insert-barriers` or
    `moe-rt-plan-memory`, so it finds their mistakes too.

    Example: the copy may read `%t` before the fill has written it.

    ```mlir
    moe_rt.program @fails {
      %c64 = arith.constant 64 : index
      %t = moe_rt.buffer "t" <input> bytes %c64
      %y = moe_rt.buffer "y" <output> bytes %c64
      moe_rt.fill %t with 0
      moe_rt.copy %t to %y
    }
    ```
  }];
}

def InsertBarriersPass : Pass<"moe-rt-insert-barriers", "moe_rt::ProgramOp"> {
  let summary = "Inserts the barriers that conflicting commands need";
  let description = [{
    Takes a program before `moe-rt-plan-memory`, in which each buffer has
    memory of its own, and leaves it with a barrier before each command that
    conflicts with one since the last barrier: both touch a buffer and at least
    one writes it. A barrier orders all that came before it, so placing each as
    late as possible gives the smallest number of them.

    Slices of one buffer with constant, disjoint ranges do not conflict.

    Example: the copy waits for the fill.

    ```mlir
    moe_rt.program @p {
      %c64 = arith.constant 64 : index
      %x = moe_rt.buffer "x" <input> bytes %c64
      %y = moe_rt.buffer "y" <output> bytes %c64
      moe_rt.fill %x with 0
      moe_rt.barrier // inserted
      moe_rt.copy %x to %y
    }
    ```
  }];
}

def PlanMemoryPass : Pass<"moe-rt-plan-memory", "moe_rt::ProgramOp"> {
  let summary = "Places the transient buffers in one arena";
  let description = [{
    Takes a program with its barriers and without an arena, and leaves it as
    size arithmetic, then buffers, then `moe_rt.arena`, then everything else in
    its order.

    A transient lives from the first command that touches it to the last, and
    on to the next barrier. The arena is a row of slots; transients whose
    lifetimes do not overlap may share one, and the barrier between them is one
    that the data needed anyway: planning adds none.

    In the order of their first commands, each takes the free slot whose
    size is the same expression, else the first free slot, else a new one. A
    slot is as large as its largest buffer, in multiples of 256 bytes: no
    Vulkan device asks for a larger alignment of a binding. Sizes stay symbolic,
    so one plan serves all sizes of the inputs. Unused transients disappear.

    Example: `%a` and `%b` never live at once.

    ```mlir
    moe_rt.program @p {
      %c0 = arith.constant 0 : index
      %c64 = arith.constant 64 : index
      %c256 = arith.constant 256 : index
      %x = moe_rt.buffer "x" <input> bytes %c64
      %a = moe_rt.buffer "a" <transient> bytes %c64 at %c0
      %b = moe_rt.buffer "b" <transient> bytes %c64 at %c0
      moe_rt.arena %c256
      moe_rt.copy %x to %a
      moe_rt.barrier
      moe_rt.copy %a to %x
      moe_rt.barrier
      moe_rt.copy %x to %b
      moe_rt.barrier
      moe_rt.copy %b to %x
    }
    ```
  }];
}

#endif // MOE_DIALECT_MOERT_TRANSFORMS_PASSES_TD
