// RUN: moe-opt %s --moe-check-operands | FileCheck %s

// Maps of one plan are right by construction; others are checked, once for all
// ops that read the same pair.

// CHECK-LABEL: func.func @planned
// CHECK-NOT:     moe.check_maps
func.func @planned(%x: tensor<?x4xf32>, %indices: tensor<?x2xi32>) -> tensor<?x4xf32> {
  %offsets, %s2r, %r2s, %re = moe.plan %indices {experts = 2 : i64}
    : tensor<?x2xi32> -> tensor<3xi32>, tensor<?x2xi32>, tensor<?xi32>, tensor<?xi32>
  %cast = tensor.cast %r2s : tensor<?xi32> to tensor<8xi32>
  %rows = moe.dispatch %x, %offsets, %s2r, %cast
    : tensor<?x4xf32>, tensor<3xi32>, tensor<?x2xi32>, tensor<8xi32> -> tensor<8x4xf32>
  %out = moe.combine %rows, %offsets, %s2r, %r2s
    : tensor<8x4xf32>, tensor<3xi32>, tensor<?x2xi32>, tensor<?xi32> -> tensor<?x4xf32>
  return %out : tensor<?x4xf32>
}

// CHECK-LABEL: func.func @given
// CHECK-SAME:    %[[S2R:[a-z0-9]+]]: tensor<?x2xi32>, %[[R2S:[a-z0-9]+]]: tensor<?xi32>)
// CHECK:         %[[TO_ROW:.+]], %[[TO_SLOT:.+]] = moe.check_maps %[[S2R]], %[[R2S]]
// CHECK-NOT:     moe.check_maps
// CHECK:         moe.dispatch %{{.+}}, %{{.+}}, %[[TO_ROW]], %[[TO_SLOT]]
// CHECK-NOT:     moe.check_maps
// CHECK:         moe.combine %{{.+}}, %{{.+}}, %[[TO_ROW]], %[[TO_SLOT]]
// CHECK-NOT:     moe.check_maps
// CHECK:         moe.combine_weight_grad %{{.+}}, %{{.+}}, %{{.+}}, %[[TO_ROW]], %[[TO_SLOT]]
func.func @given(%x: tensor<?x4xf32>, %offsets: tensor<3xi32>, %s2r: tensor<?x2xi32>, %r2s: tensor<?xi32>)
    -> (tensor<?x4xf32>, tensor<?x2xf32>) {
  %rows = moe.dispatch %x, %offsets, %s2r, %r2s
    : tensor<?x4xf32>, tensor<3xi32>, tensor<?x2xi32>, tensor<?xi32> -> tensor<?x4xf32>
  %out = moe.combine %rows, %offsets, %s2r, %r2s
    : tensor<?x4xf32>, tensor<3xi32>, tensor<?x2xi32>, tensor<?xi32> -> tensor<?x4xf32>
  %dw = moe.combine_weight_grad %out, %rows, %offsets, %s2r, %r2s
    : tensor<?x4xf32>, tensor<?x4xf32>, tensor<3xi32>, tensor<?x2xi32>, tensor<?xi32> -> tensor<?x2xf32>
  return %out, %dw : tensor<?x4xf32>, tensor<?x2xf32>
}

// Each is in range of its own plan alone.
// CHECK-LABEL: func.func @of_two_plans
// CHECK:         moe.check_maps
func.func @of_two_plans(%y: tensor<?x4xf32>, %indices: tensor<?x2xi32>, %others: tensor<?x2xi32>) -> tensor<?x4xf32> {
  %offsets, %s2r, %r2s, %re = moe.plan %indices {experts = 2 : i64}
    : tensor<?x2xi32> -> tensor<3xi32>, tensor<?x2xi32>, tensor<?xi32>, tensor<?xi32>
  %o, %s, %other, %e = moe.plan %others {experts = 2 : i64}
    : tensor<?x2xi32> -> tensor<3xi32>, tensor<?x2xi32>, tensor<?xi32>, tensor<?xi32>
  %out = moe.combine %y, %offsets, %s2r, %other
    : tensor<?x4xf32>, tensor<3xi32>, tensor<?x2xi32>, tensor<?xi32> -> tensor<?x4xf32>
  return %out : tensor<?x4xf32>
}

// A check by hand serves, and its own sizes are compared.
// CHECK-LABEL: func.func @checked_by_hand
// CHECK:         cf.assert %{{.+}}, "expected one element of row_to_slot for each slot"
// CHECK-COUNT-1: moe.check_maps
// CHECK-NOT:     moe.check_maps
func.func @checked_by_hand(%y: tensor<?x4xf32>, %offsets: tensor<3xi32>, %s2r: tensor<?x2xi32>, %r2s: tensor<?xi32>) -> tensor<?x4xf32> {
  %0, %1 = moe.check_maps %s2r, %r2s : tensor<?x2xi32>, tensor<?xi32>
  %out = moe.combine %y, %offsets, %0, %1
    : tensor<?x4xf32>, tensor<3xi32>, tensor<?x2xi32>, tensor<?xi32> -> tensor<?x4xf32>
  return %out : tensor<?x4xf32>
}

// Two pairs, two checks.
// CHECK-LABEL: func.func @other_rows
// CHECK-COUNT-2: moe.check_maps
func.func @other_rows(%y: tensor<?x4xf32>, %offsets: tensor<3xi32>, %s2r: tensor<?x2xi32>, %r2s: tensor<?xi32>, %other: tensor<?xi32>)
    -> (tensor<?x4xf32>, tensor<?x4xf32>) {
  %a = moe.combine %y, %offsets, %s2r, %r2s
    : tensor<?x4xf32>, tensor<3xi32>, tensor<?x2xi32>, tensor<?xi32> -> tensor<?x4xf32>
  %b = moe.combine %y, %offsets, %s2r, %other
    : tensor<?x4xf32>, tensor<3xi32>, tensor<?x2xi32>, tensor<?xi32> -> tensor<?x4xf32>
  return %a, %b : tensor<?x4xf32>, tensor<?x4xf32>
}
