// RUN: moe-opt %s --moe-check-operands | FileCheck %s

// Offsets of a plan are right by construction for rows of that plan; others are
// checked, once for all products of the same rows.

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

// Rows that follow from the plan through the ops between two products.
// CHECK-LABEL: func.func @gated
// CHECK-NOT:     moe.check_offsets
func.func @gated(%tokens: tensor<?x4xf32>, %w: tensor<2x4x8xf32>, %indices: tensor<?x2xi32>) -> tensor<?x8xf32> {
  %c0 = arith.constant 0 : index
  %offsets, %s2r, %r2s, %re = moe.plan %indices {experts = 2 : i64} : tensor<?x2xi32> -> tensor<3xi32>, tensor<?x2xi32>, tensor<?xi32>, tensor<?xi32>
  %x = moe.dispatch %tokens, %offsets, %s2r, %r2s : tensor<?x4xf32>, tensor<3xi32>, tensor<?x2xi32>, tensor<?xi32> -> tensor<?x4xf32>
  %h = moe.grouped_matmul %x, %w, %offsets : tensor<?x4xf32>, tensor<2x4x8xf32>, tensor<3xi32> -> tensor<?x8xf32>
  %rows = tensor.dim %h, %c0 : tensor<?x8xf32>
  %gate = tensor.extract_slice %h[0, 0] [%rows, 4] [1, 1] : tensor<?x8xf32> to tensor<?x4xf32>
  %e = tensor.empty(%rows) : tensor<?x4xf32>
  %g = linalg.exp ins(%gate : tensor<?x4xf32>) outs(%e : tensor<?x4xf32>) -> tensor<?x4xf32>
  %a = arith.addf %g, %g : tensor<?x4xf32>
  %y = moe.grouped_matmul %a, %w, %offsets : tensor<?x4xf32>, tensor<2x4x8xf32>, tensor<3xi32> -> tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}

// A plan says nothing about rows from elsewhere: there may be too few of them.
// CHECK-LABEL: func.func @rows_of_no_plan
// CHECK-SAME:    (%[[ROWS:[a-z0-9]+]]: tensor<?x4xf32>
// CHECK:         moe.check_offsets %{{.+}}, %[[ROWS]]
func.func @rows_of_no_plan(%rows: tensor<?x4xf32>, %w: tensor<2x4x4xf32>, %indices: tensor<?x2xi32>) -> tensor<?x4xf32> {
  %offsets, %s2r, %r2s, %re = moe.plan %indices {experts = 2 : i64} : tensor<?x2xi32> -> tensor<3xi32>, tensor<?x2xi32>, tensor<?xi32>, tensor<?xi32>
  %y = moe.grouped_matmul %rows, %w, %offsets : tensor<?x4xf32>, tensor<2x4x4xf32>, tensor<3xi32> -> tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}

// A check by hand serves the rows that it names, and no others.
// CHECK-LABEL: func.func @checked_by_hand
// CHECK-SAME:    (%[[ROWS:[a-z0-9]+]]: tensor<?x4xf32>, %[[OTHERS:[a-z0-9]+]]: tensor<?x4xf32>
// CHECK:         %[[BY_HAND:.+]] = moe.check_offsets %{{.+}}, %[[ROWS]]
// CHECK-NEXT:    moe.grouped_matmul %[[ROWS]], %{{.+}}, %[[BY_HAND]]
// CHECK-NEXT:    %[[CHECKED:.+]] = moe.check_offsets %[[BY_HAND]], %[[OTHERS]]
// CHECK-NEXT:    moe.grouped_matmul %[[OTHERS]], %{{.+}}, %[[CHECKED]]
func.func @checked_by_hand(%rows: tensor<?x4xf32>, %others: tensor<?x4xf32>, %w: tensor<2x4x4xf32>, %offsets: tensor<3xi32>) -> (tensor<?x4xf32>, tensor<?x4xf32>) {
  %checked = moe.check_offsets %offsets, %rows : tensor<3xi32>, tensor<?x4xf32>
  %y = moe.grouped_matmul %rows, %w, %checked : tensor<?x4xf32>, tensor<2x4x4xf32>, tensor<3xi32> -> tensor<?x4xf32>
  %z = moe.grouped_matmul %others, %w, %checked : tensor<?x4xf32>, tensor<2x4x4xf32>, tensor<3xi32> -> tensor<?x4xf32>
  return %y, %z : tensor<?x4xf32>, tensor<?x4xf32>
}
