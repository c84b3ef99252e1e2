// RUN: moe-opt %s --moe-check-operands | FileCheck %s

// Offsets of a plan are right by construction; others are checked, once for all
// products of the same rows.

// CHECK-LABEL: func.func @planned
// CHECK-NOT:     moe.check_offsets
func.func @planned(%tokens: tensor<?x4xf32>, %w: tensor<2x4x4xf32>, %indices: tensor<?x2xi32>) -> tensor<?x4xf32> {
  %offsets, %s2r, %r2s, %re = moe.plan %indices {experts = 2 : i64} : tensor<?x2xi32> -> tensor<3xi32>, tensor<?x2xi32>, tensor<?xi32>, tensor<?xi32>
  %x = moe.dispatch %tokens, %offsets, %s2r, %r2s : tensor<?x4xf32>, tensor<3xi32>, tensor<?x2xi32>, tensor<?xi32> -> tensor<?x4xf32>
  %y = moe.grouped_matmul %x, %w, %offsets : tensor<?x4xf32>, tensor<2x4x4xf32>, tensor<3xi32> -> tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}

// CHECK-LABEL: func.func @given
// CHECK-SAME:    (%[[X:[a-z0-9]+]]: tensor<?x4xf32>, %[[W:[a-z0-9]+]]: tensor<2x4x4xf32>, %[[OFFSETS:[a-z0-9]+]]: tensor<3xi32>)
// CHECK:         %[[CHECKED:.+]] = moe.check_offsets %[[OFFSETS]], %[[X]]
// CHECK-NOT:     moe.check_offsets
// CHECK:         moe.grouped_matmul %[[X]], %[[W]], %[[CHECKED]]
// CHECK:         moe.grouped_matmul %[[X]], %[[W]], %[[CHECKED]] {transpose_rhs}
func.func @given(%x: tensor<?x4xf32>, %w: tensor<2x4x4xf32>, %offsets: tensor<3xi32>) -> (tensor<?x4xf32>, tensor<?x4xf32>) {
  %y = moe.grouped_matmul %x, %w, %offsets : tensor<?x4xf32>, tensor<2x4x4xf32>, tensor<3xi32> -> tensor<?x4xf32>
  %z = moe.grouped_matmul %x, %w, %offsets {transpose_rhs} : tensor<?x4xf32>, tensor<2x4x4xf32>, tensor<3xi32> -> tensor<?x4xf32>
  return %y, %z : tensor<?x4xf32>, tensor<?x4xf32>
}
