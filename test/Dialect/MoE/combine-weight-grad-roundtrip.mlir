// RUN: moe-opt %s | moe-opt | FileCheck %s

// CHECK-LABEL: @tree_is_the_default
func.func @tree_is_the_default(%grad: tensor<?x64xf16>, %rows: tensor<?x64xf16>, %offsets: tensor<9xi32>,
    %slot_to_row: tensor<?x2xi32>, %row_to_slot: tensor<?xi32>) -> tensor<?x2xf32> {
  // CHECK: moe.combine_weight_grad %arg0, %arg1, %arg2, %arg3, %arg4
  // CHECK-SAME: : tensor<?x64xf16>, tensor<?x64xf16>, tensor<9xi32>, tensor<?x2xi32>, tensor<?xi32> -> tensor<?x2xf32>
  %result = moe.combine_weight_grad %grad, %rows, %offsets, %slot_to_row, %row_to_slot {
      strategy = #moe.dot_strategy<tree>}
    : tensor<?x64xf16>, tensor<?x64xf16>, tensor<9xi32>, tensor<?x2xi32>, tensor<?xi32>
    -> tensor<?x2xf32>
  return %result : tensor<?x2xf32>
}

// CHECK-LABEL: @serial
func.func @serial(%grad: tensor<4x64xf32>, %rows: tensor<8x64xf32>, %offsets: tensor<9xi32>,
    %slot_to_row: tensor<4x2xi32>, %row_to_slot: tensor<8xi32>) -> tensor<4x2xf32> {
  // CHECK: {strategy = #moe.dot_strategy<serial>}
  %result = moe.combine_weight_grad %grad, %rows, %offsets, %slot_to_row, %row_to_slot {
      strategy = #moe.dot_strategy<serial>}
    : tensor<4x64xf32>, tensor<8x64xf32>, tensor<9xi32>, tensor<4x2xi32>, tensor<8xi32>
    -> tensor<4x2xf32>
  return %result : tensor<4x2xf32>
}
