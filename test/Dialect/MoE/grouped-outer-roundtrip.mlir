// RUN: moe-opt %s | moe-opt | FileCheck %s

// CHECK-LABEL: @weight_gradient
func.func @weight_gradient(%lhs: tensor<?x256xf32>, %rhs: tensor<?x64xf32>,
    %offsets: tensor<9xi32>) -> tensor<8x256x64xf32> {
  // CHECK: moe.grouped_outer %arg0, %arg1, %arg2
  // CHECK-SAME: : tensor<?x256xf32>, tensor<?x64xf32>, tensor<9xi32> -> tensor<8x256x64xf32>
  %result = moe.grouped_outer %lhs, %rhs, %offsets
    : tensor<?x256xf32>, tensor<?x64xf32>, tensor<9xi32> -> tensor<8x256x64xf32>
  return %result : tensor<8x256x64xf32>
}

// CHECK-LABEL: @accumulates_in_f32
func.func @accumulates_in_f32(%lhs: tensor<6x4xf16>, %rhs: tensor<6x3xf16>,
    %offsets: tensor<3xi32>, %init: tensor<2x4x3xf32>) -> tensor<2x4x3xf32> {
  // CHECK: moe.grouped_outer %arg0, %arg1, %arg2 init %arg3
  // CHECK-SAME: : tensor<6x4xf16>, tensor<6x3xf16>, tensor<3xi32>, tensor<2x4x3xf32> -> tensor<2x4x3xf32>
  %result = moe.grouped_outer %lhs, %rhs, %offsets init %init
    : tensor<6x4xf16>, tensor<6x3xf16>, tensor<3xi32>, tensor<2x4x3xf32> -> tensor<2x4x3xf32>
  return %result : tensor<2x4x3xf32>
}

// CHECK-LABEL: @rounds_to_the_type_of_the_rows
func.func @rounds_to_the_type_of_the_rows(%lhs: tensor<?x4xbf16>, %rhs: tensor<?x3xbf16>,
    %offsets: tensor<3xi32>) -> tensor<2x4x3xbf16> {
  // CHECK: -> tensor<2x4x3xbf16>
  %result = moe.grouped_outer %lhs, %rhs, %offsets
    : tensor<?x4xbf16>, tensor<?x3xbf16>, tensor<3xi32> -> tensor<2x4x3xbf16>
  return %result : tensor<2x4x3xbf16>
}
