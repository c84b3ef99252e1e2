// RUN: moe-opt %s --resolve-ranked-shaped-type-result-dims --canonicalize --cse | FileCheck %s

// CHECK-LABEL: @checked_is_as_long_as_offsets
// CHECK-SAME: (%[[OFFSETS:.*]]: tensor<?xi32>
func.func @checked_is_as_long_as_offsets(%offsets: tensor<?xi32>, %rows: tensor<?x64xf32>) -> index {
  // CHECK: %[[LENGTH:.*]] = tensor.dim %[[OFFSETS]], %c0
  // CHECK: return %[[LENGTH]]
  %c0 = arith.constant 0 : index
  %checked = moe.check_offsets %offsets, %rows : tensor<?xi32>, tensor<?x64xf32>
  %0 = tensor.dim %checked, %c0 : tensor<?xi32>
  return %0 : index
}

// CHECK-LABEL: @checked_maps_are_as_long_as_the_maps
// CHECK-SAME: (%[[S2R:.*]]: tensor<?x2xi32>, %[[R2S:.*]]: tensor<?xi32>)
func.func @checked_maps_are_as_long_as_the_maps(%slot_to_row: tensor<?x2xi32>,
    %row_to_slot: tensor<?xi32>) -> (index, index) {
  // CHECK-DAG: %[[TOKENS:.*]] = tensor.dim %[[S2R]], %c0
  // CHECK-DAG: %[[ROWS:.*]] = tensor.dim %[[R2S]], %c0
  // CHECK: return %[[TOKENS]], %[[ROWS]]
  %c0 = arith.constant 0 : index
  %checked:2 = moe.check_maps %slot_to_row, %row_to_slot : tensor<?x2xi32>, tensor<?xi32>
  %0 = tensor.dim %checked#0, %c0 : tensor<?x2xi32>
  %1 = tensor.dim %checked#1, %c0 : tensor<?xi32>
  return %0, %1 : index, index
}
