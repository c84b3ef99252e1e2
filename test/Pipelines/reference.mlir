// RUN: moe-opt %s --moe-compile-pipeline="reference stop-after=schedule" | FileCheck %s
// RUN: moe-opt %s --moe-compile-pipeline="reference" | FileCheck %s --check-prefix=PROGRAM

// The slow form of a grouped product: sums row by row, no tiles, no table.

// CHECK-LABEL: func.func @product
// CHECK-NOT:     moe.grouped_matmul
// CHECK-NOT:     "tiles"
// CHECK:         moe.kernel "check_offsets"
// CHECK:         moe.kernel "reduce"
// CHECK-NOT:     #moe.schedule<matmul

// PROGRAM: moe_rt.dispatch @check_offsets
// PROGRAM: moe_rt.dispatch @reduce

func.func @product(%x: tensor<?x8xf32>, %w: tensor<2x8x4xf32>, %offsets: tensor<3xi32>) -> tensor<?x4xf32> {
  %y = moe.grouped_matmul %x, %w, %offsets : tensor<?x8xf32>, tensor<2x8x4xf32>, tensor<3xi32> -> tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}
