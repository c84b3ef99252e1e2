//===- Passes.td - Passes that decide and apply schedules ---*- tablegen -*-===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef MOE_SCHEDULE_PASSES_TD
#define MOE_SCHEDULE_PASSES_TD

include "mlir/Pass/PassBase.td"

// Keep alphabetical.

def CheckLimitsPass : Pass<"moe-check-limits", "moe_rt::ProgramOp"> {
  let summary = "Checks that every dispatch fits the target's limits";
  let description = [{
    The number of storage buffers and push constants of each dispatch, and the
    bytes of each range it binds where they are known, fit the target. What
    depends on dynamic dimensions is checked by the runtime.

    Takes and leaves a host program.
  }];
  let options = [Option<"target", "target", "std::string", "\"lavapipe\"", "the named target">];
}

def CheckSchedulePass : Pass<"moe-check-schedule", "func::FuncOp"> {
  let summary = "Checks that every kernel has a schedule that fits the target";
  let description = [{
    Each kernel has a `#moe.schedule` whose workgroup and subgroup lanes fit the
    target's limits and each other.

    Takes and leaves scheduled kernels.
  }];
  let options = [Option<"target", "target", "std::string", "\"lavapipe\"", "the named target">];
}

def MaterializeTilesPass : Pass<"moe-materialize-tiles", "func::FuncOp"> {
  let summary = "Builds the tile table that scheduled grouped products read";
  let description = [{
    Each kernel that computes a `moe.grouped_matmul` by tiles gets the table of
    `moe.tiles` as its last input. Products over the same offsets with the same
    tile height share one.

    Takes scheduled kernels; leaves the same and kernels of moe.tiles.
  }];
  let dependentDialects = ["moe::MoEDialect", "arith::ArithDialect", "tensor::TensorDialect",
                           "affine::AffineDialect"];
}

def SelectSchedulePass : Pass<"moe-select-schedule", "func::FuncOp"> {
  let summary = "Gives each kernel without a schedule one for the target";
  let description = [{
    Chooses the family by what the kernel computes and the parameters by shapes
    and the target's facts. A schedule written by hand is left alone.

    Takes kernels; leaves kernels that each have a `#moe.schedule`.
  }];
  let dependentDialects = ["moe::MoEDialect"];
  let options = [Option<"target", "target", "std::string", "\"lavapipe\"", "the named target">];
}

#endif // MOE_SCHEDULE_PASSES_TD
