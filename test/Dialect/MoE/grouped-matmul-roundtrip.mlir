// RUN: moe-opt %s | moe-opt | FileCheck %s

// CHECK-LABEL: @plain
func.func @plain(%lhs: tensor<?x64xf32>, %rhs: tensor<8x64x32xf32>,
    %offsets: tensor<9xi32>) -> tensor<?x32xf32> {
  // CHECK: moe.grouped_matmul %arg0, %arg1, %arg2
  // CHECK-SAME: : tensor<?x64xf32>, tensor<8x64x32xf32>, tensor<9xi32> -> tensor<?x32xf32>
  %result = moe.grouped_matmul %lhs, %rhs, %offsets
    : tensor<?x64xf32>, tensor<8x64x32xf32>, tensor<9xi32> -> tensor<?x32xf32>
  return %result : tensor<?x32xf32>
}

// CHECK-LABEL: @transposed_with_bias
func.func @transposed_with_bias(%lhs: tensor<16x64xbf16>, %rhs: tensor<8x32x64xbf16>,
    %offsets: tensor<9xi32>, %bias: tensor<8x32xbf16>) -> tensor<16x32xbf16> {
  // CHECK: moe.grouped_matmul %arg0, %arg1, %arg2 bias %arg3 {transpose_rhs}
  // CHECK-SAME: tensor<9xi32>, tensor<8x32xbf16> -> tensor<16x32xbf16>
  %result = moe.grouped_matmul %lhs, %rhs, %offsets bias %bias {transpose_rhs}
    : tensor<16x64xbf16>, tensor<8x32x64xbf16>, tensor<9xi32>, tensor<8x32xbf16>
    -> tensor<16x32xbf16>
  return %result : tensor<16x32xbf16>
}

// CHECK-LABEL: @result_f32
func.func @result_f32(%lhs: tensor<?x64xf16>, %rhs: tensor<8x64x32xf16>,
    %offsets: tensor<?xi32>) -> tensor<?x32xf32> {
  // CHECK: moe.grouped_matmul
  // CHECK-SAME: tensor<?x64xf16>, tensor<8x64x32xf16>, tensor<?xi32> -> tensor<?x32xf32>
  %result = moe.grouped_matmul %lhs, %rhs, %offsets
    : tensor<?x64xf16>, tensor<8x64x32xf16>, tensor<?xi32> -> tensor<?x32xf32>
  return %result : tensor<?x32xf32>
}

// CHECK-LABEL: @no_input_features
func.func @no_input_features(%lhs: tensor<?x0xf32>, %rhs: tensor<8x0x32xf32>,
    %offsets: tensor<9xi32>, %bias: tensor<8x32xf32>) -> tensor<?x32xf32> {
  // CHECK: moe.grouped_matmul
  // CHECK-SAME: tensor<?x0xf32>, tensor<8x0x32xf32>
  %result = moe.grouped_matmul %lhs, %rhs, %offsets bias %bias
    : tensor<?x0xf32>, tensor<8x0x32xf32>, tensor<9xi32>, tensor<8x32xf32> -> tensor<?x32xf32>
  return %result : tensor<?x32xf32>
}
