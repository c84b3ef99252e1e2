// RUN: moe-opt %s | moe-opt | FileCheck %s

// CHECK-LABEL: @static_offsets
func.func @static_offsets(%offsets: tensor<9xi32>, %rows: tensor<?x64xf32>) -> tensor<9xi32> {
  // CHECK: moe.check_offsets %arg0, %arg1 : tensor<9xi32>, tensor<?x64xf32>
  %checked = moe.check_offsets %offsets, %rows : tensor<9xi32>, tensor<?x64xf32>
  return %checked : tensor<9xi32>
}

// CHECK-LABEL: @dynamic_offsets
func.func @dynamic_offsets(%offsets: tensor<?xi32>, %rows: tensor<4x64xbf16>) -> tensor<?xi32> {
  // CHECK: moe.check_offsets %arg0, %arg1 : tensor<?xi32>, tensor<4x64xbf16>
  %checked = moe.check_offsets %offsets, %rows : tensor<?xi32>, tensor<4x64xbf16>
  return %checked : tensor<?xi32>
}
