// RUN: moe-opt %s --moe-form-kernels | FileCheck %s --check-prefixes=CHECK,FUSED
// RUN: moe-opt %s --moe-form-kernels=fuse-dispatch=false | FileCheck %s --check-prefixes=CHECK,STORED

// Rows that something else reads as well are stored, and still gathered anew by
// the product; without fusion the product reads the stored ones.

// CHECK-LABEL:  func.func @rows_are_a_result
// CHECK:          %[[STORED:.+]] = moe.kernel "dispatch"
// FUSED:          %[[H:.+]] = moe.kernel "grouped_matmul" (%[[X:.+]] = %arg0 :
// FUSED:            %[[ROWS:.+]] = moe.dispatch %[[X]]
// FUSED:            moe.grouped_matmul %[[ROWS]]
// STORED:         %[[H:.+]] = moe.kernel "grouped_matmul" (%[[ROWS:.+]] = %[[STORED]] :
// STORED-NEXT:      moe.grouped_matmul %[[ROWS]]
// CHECK:          return %[[STORED]], %[[H]]
func.func @rows_are_a_result(%x: tensor<4x8xf32>, %offsets: tensor<3xi32>, %s2r: tensor<4x2xi32>,
    %r2s: tensor<8xi32>, %w: tensor<2x8x4xf32>) -> (tensor<8x8xf32>, tensor<8x4xf32>) {
  %rows = moe.dispatch %x, %offsets, %s2r, %r2s
    : tensor<4x8xf32>, tensor<3xi32>, tensor<4x2xi32>, tensor<8xi32> -> tensor<8x8xf32>
  %h = moe.grouped_matmul %rows, %w, %offsets
    : tensor<8x8xf32>, tensor<2x8x4xf32>, tensor<3xi32> -> tensor<8x4xf32>
  return %rows, %h : tensor<8x8xf32>, tensor<8x4xf32>
}
