// RUN: moe-opt %s | moe-opt | FileCheck %s

// CHECK-LABEL: @plain_sum
func.func @plain_sum(%rows: tensor<?x64xf32>, %offsets: tensor<9xi32>,
    %slot_to_row: tensor<?x2xi32>, %row_to_slot: tensor<?xi32>) -> tensor<?x64xf32> {
  // CHECK: moe.combine %arg0, %arg1, %arg2, %arg3
  // CHECK-SAME: : tensor<?x64xf32>, tensor<9xi32>, tensor<?x2xi32>, tensor<?xi32> -> tensor<?x64xf32>
  %result = moe.combine %rows, %offsets, %slot_to_row, %row_to_slot
    : tensor<?x64xf32>, tensor<9xi32>, tensor<?x2xi32>, tensor<?xi32> -> tensor<?x64xf32>
  return %result : tensor<?x64xf32>
}

// CHECK-LABEL: @weighted_slot_stepwise
func.func @weighted_slot_stepwise(%rows: tensor<8x64xbf16>, %offsets: tensor<9xi32>,
    %slot_to_row: tensor<4x2xi32>, %row_to_slot: tensor<8xi32>,
    %weights: tensor<4x2xf32>) -> tensor<4x64xbf16> {
  // CHECK: moe.combine %arg0, %arg1, %arg2, %arg3 weights %arg4
  // CHECK-SAME: {order = #moe.combine_order<slot>, rounding = #moe.combine_rounding<stepwise>}
  // CHECK-SAME: tensor<8xi32>, tensor<4x2xf32> -> tensor<4x64xbf16>
  %result = moe.combine %rows, %offsets, %slot_to_row, %row_to_slot weights %weights {
      order = #moe.combine_order<slot>, rounding = #moe.combine_rounding<stepwise>}
    : tensor<8x64xbf16>, tensor<9xi32>, tensor<4x2xi32>, tensor<8xi32>, tensor<4x2xf32>
    -> tensor<4x64xbf16>
  return %result : tensor<4x64xbf16>
}

// CHECK-LABEL: @default_values_are_not_printed
func.func @default_values_are_not_printed(%rows: tensor<?x1xf16>, %offsets: tensor<9xi32>,
    %slot_to_row: tensor<?x1xi32>, %row_to_slot: tensor<?xi32>) -> tensor<?x1xf16> {
  // CHECK: moe.combine %arg0, %arg1, %arg2, %arg3 : tensor<?x1xf16>
  %result = moe.combine %rows, %offsets, %slot_to_row, %row_to_slot {
      order = #moe.combine_order<expert>, rounding = #moe.combine_rounding<once>}
    : tensor<?x1xf16>, tensor<9xi32>, tensor<?x1xi32>, tensor<?xi32> -> tensor<?x1xf16>
  return %result : tensor<?x1xf16>
}
