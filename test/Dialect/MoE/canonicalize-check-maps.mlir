// RUN: moe-opt %s --canonicalize | FileCheck %s

// CHECK-LABEL: @check_of_one_plan_is_dropped
func.func @check_of_one_plan_is_dropped(%indices: tensor<?x2xi32>) -> (tensor<?x2xi32>, tensor<?xi32>) {
  // CHECK: %{{.*}}, %[[TO_ROW:.*]], %[[TO_SLOT:.*]], %{{.*}} = moe.plan
  // CHECK-NEXT: return %[[TO_ROW]], %[[TO_SLOT]]
  %offsets, %slot_to_row, %row_to_slot, %row_expert = moe.plan %indices {experts = 8 : i64}
    : tensor<?x2xi32> -> tensor<9xi32>, tensor<?x2xi32>, tensor<?xi32>, tensor<?xi32>
  %0, %1 = moe.check_maps %slot_to_row, %row_to_slot : tensor<?x2xi32>, tensor<?xi32>
  return %0, %1 : tensor<?x2xi32>, tensor<?xi32>
}

// CHECK-LABEL: @check_of_two_plans_is_kept
func.func @check_of_two_plans_is_kept(%indices: tensor<?x2xi32>, %others: tensor<?x2xi32>)
    -> (tensor<?x2xi32>, tensor<?xi32>) {
  // CHECK: moe.check_maps
  %offsets, %slot_to_row, %row_to_slot, %row_expert = moe.plan %indices {experts = 8 : i64}
    : tensor<?x2xi32> -> tensor<9xi32>, tensor<?x2xi32>, tensor<?xi32>, tensor<?xi32>
  %o, %s, %other_rows, %e = moe.plan %others {experts = 8 : i64}
    : tensor<?x2xi32> -> tensor<9xi32>, tensor<?x2xi32>, tensor<?xi32>, tensor<?xi32>
  %0, %1 = moe.check_maps %slot_to_row, %other_rows : tensor<?x2xi32>, tensor<?xi32>
  return %0, %1 : tensor<?x2xi32>, tensor<?xi32>
}

// CHECK-LABEL: @check_of_row_expert_is_kept
func.func @check_of_row_expert_is_kept(%indices: tensor<?x2xi32>) -> (tensor<?x2xi32>, tensor<?xi32>) {
  // CHECK: moe.check_maps
  %offsets, %slot_to_row, %row_to_slot, %row_expert = moe.plan %indices {experts = 8 : i64}
    : tensor<?x2xi32> -> tensor<9xi32>, tensor<?x2xi32>, tensor<?xi32>, tensor<?xi32>
  %0, %1 = moe.check_maps %slot_to_row, %row_expert : tensor<?x2xi32>, tensor<?xi32>
  return %0, %1 : tensor<?x2xi32>, tensor<?xi32>
}

// CHECK-LABEL: @second_check_is_dropped
func.func @second_check_is_dropped(%slot_to_row: tensor<?x2xi32>, %row_to_slot: tensor<?xi32>)
    -> (tensor<?x2xi32>, tensor<?xi32>) {
  // CHECK: %[[TO_ROW:.*]], %[[TO_SLOT:.*]] = moe.check_maps %arg0, %arg1
  // CHECK-NEXT: return %[[TO_ROW]], %[[TO_SLOT]]
  %0, %1 = moe.check_maps %slot_to_row, %row_to_slot : tensor<?x2xi32>, tensor<?xi32>
  %2, %3 = moe.check_maps %0, %1 : tensor<?x2xi32>, tensor<?xi32>
  return %2, %3 : tensor<?x2xi32>, tensor<?xi32>
}

// CHECK-LABEL: @check_of_a_checked_map_and_another_is_kept
func.func @check_of_a_checked_map_and_another_is_kept(%slot_to_row: tensor<?x2xi32>, %row_to_slot: tensor<?xi32>)
    -> (tensor<?x2xi32>, tensor<?xi32>) {
  // CHECK-COUNT-2: moe.check_maps
  %0, %1 = moe.check_maps %slot_to_row, %row_to_slot : tensor<?x2xi32>, tensor<?xi32>
  %2, %3 = moe.check_maps %0, %row_to_slot : tensor<?x2xi32>, tensor<?xi32>
  return %2, %3 : tensor<?x2xi32>, tensor<?xi32>
}

// CHECK-LABEL: @check_becomes_as_static_as_its_maps
func.func @check_becomes_as_static_as_its_maps(%slot_to_row: tensor<4x2xi32>, %row_to_slot: tensor<8xi32>)
    -> (tensor<?x2xi32>, tensor<?xi32>) {
  // CHECK: moe.check_maps %arg0, %arg1 : tensor<4x2xi32>, tensor<8xi32>
  %0 = tensor.cast %slot_to_row : tensor<4x2xi32> to tensor<?x2xi32>
  %1 = tensor.cast %row_to_slot : tensor<8xi32> to tensor<?xi32>
  %2, %3 = moe.check_maps %0, %1 : tensor<?x2xi32>, tensor<?xi32>
  return %2, %3 : tensor<?x2xi32>, tensor<?xi32>
}
