// RUN: moe-opt %s | moe-opt | FileCheck %s

// CHECK-LABEL: @copy
func.func @copy(%x: tensor<?x64xf16>, %offsets: tensor<9xi32>,
    %slot_to_row: tensor<?x2xi32>, %row_to_slot: tensor<?xi32>) -> tensor<?x64xf16> {
  // CHECK: moe.dispatch %arg0, %arg1, %arg2, %arg3
  // CHECK-SAME: : tensor<?x64xf16>, tensor<9xi32>, tensor<?x2xi32>, tensor<?xi32> -> tensor<?x64xf16>
  %rows = moe.dispatch %x, %offsets, %slot_to_row, %row_to_slot
    : tensor<?x64xf16>, tensor<9xi32>, tensor<?x2xi32>, tensor<?xi32> -> tensor<?x64xf16>
  return %rows : tensor<?x64xf16>
}

// CHECK-LABEL: @weighted
func.func @weighted(%x: tensor<4x1xf32>, %offsets: tensor<2xi32>, %slot_to_row: tensor<4x2xi32>,
    %row_to_slot: tensor<8xi32>, %weights: tensor<4x2xf32>) -> tensor<8x1xf32> {
  // CHECK: moe.dispatch %arg0, %arg1, %arg2, %arg3 weights %arg4
  // CHECK-SAME: tensor<8xi32>, tensor<4x2xf32> -> tensor<8x1xf32>
  %rows = moe.dispatch %x, %offsets, %slot_to_row, %row_to_slot weights %weights
    : tensor<4x1xf32>, tensor<2xi32>, tensor<4x2xi32>, tensor<8xi32>, tensor<4x2xf32>
    -> tensor<8x1xf32>
  return %rows : tensor<8x1xf32>
}

// CHECK-LABEL: @choices_dynamic
func.func @choices_dynamic(%x: tensor<4x64xf32>, %offsets: tensor<?xi32>,
    %slot_to_row: tensor<?x?xi32>, %row_to_slot: tensor<8xi32>) -> tensor<8x64xf32> {
  // CHECK: moe.dispatch
  // CHECK-SAME: tensor<?x?xi32>, tensor<8xi32> -> tensor<8x64xf32>
  %rows = moe.dispatch %x, %offsets, %slot_to_row, %row_to_slot
    : tensor<4x64xf32>, tensor<?xi32>, tensor<?x?xi32>, tensor<8xi32> -> tensor<8x64xf32>
  return %rows : tensor<8x64xf32>
}
