// RUN: moe-opt %s | moe-opt | FileCheck %s

// CHECK-LABEL: @dynamic_total
func.func @dynamic_total(%offsets: tensor<9xi32>, %total: index) -> tensor<?x3xi32> {
  // CHECK: moe.tiles %arg0, %arg1 {rows = 16 : i64}
  // CHECK-SAME: : tensor<9xi32> -> tensor<?x3xi32>, tensor<1xi32>, tensor<3xi32>
  %table, %count, %grid = moe.tiles %offsets, %total {rows = 16 : i64}
    : tensor<9xi32> -> tensor<?x3xi32>, tensor<1xi32>, tensor<3xi32>
  return %table : tensor<?x3xi32>
}

// CHECK-LABEL: @static_table
func.func @static_table(%offsets: tensor<?xi32>, %total: index) -> tensor<10x3xi32> {
  // CHECK: moe.tiles %arg0, %arg1 {rows = 1 : i64}
  // CHECK-SAME: : tensor<?xi32> -> tensor<10x3xi32>, tensor<1xi32>, tensor<3xi32>
  %table, %count, %grid = moe.tiles %offsets, %total {rows = 1 : i64}
    : tensor<?xi32> -> tensor<10x3xi32>, tensor<1xi32>, tensor<3xi32>
  return %table : tensor<10x3xi32>
}
