// RUN: moe-opt %s --moe-compile-pipeline="target=lavapipe stop-after=schedule" | FileCheck %s

// The height of a tile follows the average number of rows of an expert where
// it is known, never the number of all rows.

// CHECK-LABEL: func.func @six_rows_an_expert
// CHECK:         moe.kernel "grouped_matmul"
// CHECK-SAME:      rows = 8,
func.func @six_rows_an_expert(%rows: tensor<768x64xf32>, %w: tensor<128x64x64xf32>, %indices: tensor<128x6xi32>) -> tensor<768x64xf32> {
  %offsets, %s2r, %r2s, %re = moe.plan %indices {experts = 128 : i64} : tensor<128x6xi32> -> tensor<129xi32>, tensor<128x6xi32>, tensor<768xi32>, tensor<768xi32>
  %y = moe.grouped_matmul %rows, %w, %offsets : tensor<768x64xf32>, tensor<128x64x64xf32>, tensor<129xi32> -> tensor<768x64xf32>
  return %y : tensor<768x64xf32>
}

// CHECK-LABEL: func.func @one_row_an_expert
// CHECK:         moe.kernel "grouped_matmul"
// CHECK-SAME:      rows = 4,
func.func @one_row_an_expert(%rows: tensor<8x64xf32>, %w: tensor<8x64x64xf32>, %indices: tensor<4x2xi32>) -> tensor<8x64xf32> {
  %offsets, %s2r, %r2s, %re = moe.plan %indices {experts = 8 : i64} : tensor<4x2xi32> -> tensor<9xi32>, tensor<4x2xi32>, tensor<8xi32>, tensor<8xi32>
  %y = moe.grouped_matmul %rows, %w, %offsets : tensor<8x64xf32>, tensor<8x64x64xf32>, tensor<9xi32> -> tensor<8x64xf32>
  return %y : tensor<8x64xf32>
}

// CHECK-LABEL: func.func @many_rows_an_expert
// CHECK:         moe.kernel "grouped_matmul"
// CHECK-SAME:      rows = 16,
func.func @many_rows_an_expert(%rows: tensor<8192x64xf32>, %w: tensor<8x64x64xf32>, %indices: tensor<4096x2xi32>) -> tensor<8192x64xf32> {
  %offsets, %s2r, %r2s, %re = moe.plan %indices {experts = 8 : i64} : tensor<4096x2xi32> -> tensor<9xi32>, tensor<4096x2xi32>, tensor<8192xi32>, tensor<8192xi32>
  %y = moe.grouped_matmul %rows, %w, %offsets : tensor<8192x64xf32>, tensor<8x64x64xf32>, tensor<9xi32> -> tensor<8192x64xf32>
  return %y : tensor<8192x64xf32>
}
