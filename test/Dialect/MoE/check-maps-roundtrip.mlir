// RUN: moe-opt %s | moe-opt | FileCheck %s

// CHECK-LABEL: @dynamic_tokens
func.func @dynamic_tokens(%slot_to_row: tensor<?x2xi32>, %row_to_slot: tensor<?xi32>)
    -> (tensor<?x2xi32>, tensor<?xi32>) {
  // CHECK: moe.check_maps %arg0, %arg1 : tensor<?x2xi32>, tensor<?xi32>
  %0, %1 = moe.check_maps %slot_to_row, %row_to_slot : tensor<?x2xi32>, tensor<?xi32>
  return %0, %1 : tensor<?x2xi32>, tensor<?xi32>
}

// CHECK-LABEL: @static_tokens
func.func @static_tokens(%slot_to_row: tensor<4x3xi32>, %row_to_slot: tensor<12xi32>)
    -> (tensor<4x3xi32>, tensor<12xi32>) {
  // CHECK: moe.check_maps %arg0, %arg1 : tensor<4x3xi32>, tensor<12xi32>
  %0, %1 = moe.check_maps %slot_to_row, %row_to_slot : tensor<4x3xi32>, tensor<12xi32>
  return %0, %1 : tensor<4x3xi32>, tensor<12xi32>
}
