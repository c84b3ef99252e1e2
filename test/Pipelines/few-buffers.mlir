// A device of 4 storage buffers a stage cannot gather rows inside the product:
// tokens, slots, matrices, table and result are 5.

// RUN: moe-opt %s --moe-compile-pipeline="target=minimal stop-after=schedule" | FileCheck %s --check-prefix=FEW
// RUN: moe-opt %s --moe-compile-pipeline="target=lavapipe stop-after=schedule" | FileCheck %s --check-prefix=MANY
// RUN: moe-opt %s --moe-compile-pipeline="target=minimal" | FileCheck %s --check-prefix=PROGRAM

// FEW: moe.kernel "dispatch"
// FEW: moe.kernel "grouped_matmul"
// FEW-NOT: moe.dispatch

// MANY-NOT: moe.kernel "dispatch"
// MANY: moe.kernel "grouped_matmul"
// MANY: moe.dispatch

// PROGRAM: moe_rt.dispatch @dispatch
// PROGRAM: moe_rt.dispatch @grouped_matmul

func.func @experts(%x: tensor<?x64xf32>, %indices: tensor<?x2xi32>, %w: tensor<8x64x64xf32>) -> tensor<?x64xf32> {
  %offsets, %slot_to_row, %row_to_slot, %row_expert = moe.plan %indices {experts = 8 : i64}
    : tensor<?x2xi32> -> tensor<9xi32>, tensor<?x2xi32>, tensor<?xi32>, tensor<?xi32>
  %rows = moe.dispatch %x, %offsets, %slot_to_row, %row_to_slot
    : tensor<?x64xf32>, tensor<9xi32>, tensor<?x2xi32>, tensor<?xi32> -> tensor<?x64xf32>
  %y = moe.grouped_matmul %rows, %w, %offsets
    : tensor<?x64xf32>, tensor<8x64x64xf32>, tensor<9xi32> -> tensor<?x64xf32>
  return %y : tensor<?x64xf32>
}
