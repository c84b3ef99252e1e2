// RUN: moe-opt %s | moe-opt | FileCheck %s

// CHECK-LABEL: @bias_gradient
func.func @bias_gradient(%rows: tensor<?x256xf16>, %offsets: tensor<9xi32>) -> tensor<8x256xf32> {
  // CHECK: moe.grouped_reduce %arg0, %arg1 : tensor<?x256xf16>, tensor<9xi32> -> tensor<8x256xf32>
  %result = moe.grouped_reduce %rows, %offsets
    : tensor<?x256xf16>, tensor<9xi32> -> tensor<8x256xf32>
  return %result : tensor<8x256xf32>
}
