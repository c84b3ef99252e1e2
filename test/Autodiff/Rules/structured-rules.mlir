// RUN: moe-opt %s -split-input-file --moe-differentiate=wrt=0 | FileCheck %s

// A window is solved for the longer loop: the gradient of x sums over the
// weights alone, and reads the result's where it is.
func.func @convolution(%x: tensor<9xf32>, %w: tensor<3xf32>) -> tensor<4xf32> {
  %zero = arith.constant dense<0.0> : tensor<4xf32>
  %y = linalg.generic {
      indexing_maps = [affine_map<(i, k) -> (2 * i + k)>, affine_map<(i, k) -> (k)>, affine_map<(i, k) -> (i)>],
      iterator_types = ["parallel", "reduction"]}
      ins(%x, %w : tensor<9xf32>, tensor<3xf32>) outs(%zero : tensor<4xf32>) {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %sum, %p : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}
// CHECK-DAG: #[[$P:.*]] = affine_map<(d0, d1) -> (d0)>
// CHECK-DAG: #[[$K:.*]] = affine_map<(d0, d1) -> (d1)>
// CHECK-LABEL: func.func @convolution_vjp(
// CHECK-SAME: %{{.*}}: tensor<9xf32>, %[[W:.*]]: tensor<3xf32>, %[[G:.*]]: tensor<4xf32>)
// CHECK: %[[DX:.*]] = linalg.generic {indexing_maps = [#[[$K]], #[[$P]]], iterator_types = ["parallel", "reduction"]} ins(%[[W]] : tensor<3xf32>)
// CHECK-DAG: %[[KI:.*]] = linalg.index 1
// CHECK-DAG: %[[PI:.*]] = linalg.index 0
// CHECK: %[[DISTANCE:.*]] = arith.subi %[[PI]], %[[KI]]
// CHECK: arith.remui
// CHECK: %[[LOOP:.*]] = arith.divui
// CHECK: %[[I:.*]] = arith.minsi %[[LOOP]]
// CHECK: tensor.extract %[[G]][%[[I]]] {moe.in_range_or_empty}
// CHECK: arith.select
// CHECK: arith.addf
// CHECK: return %{{.*}}, %[[DX]]

// -----

// What a table names is compared, and nothing is written by two.
func.func @rows(%table: tensor<5x4xf32>, %ids: tensor<?xi32>) -> tensor<?x4xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %ids, %c0 : tensor<?xi32>
  %empty = tensor.empty(%n) : tensor<?x4xf32>
  %y = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%ids : tensor<?xi32>) outs(%empty : tensor<?x4xf32>) {
  ^bb0(%a: i32, %init: f32):
    %i = arith.index_cast %a : i32 to index
    %j = linalg.index 1 : index
    %v = tensor.extract %table[%i, %j] : tensor<5x4xf32>
    linalg.yield %v : f32
  } -> tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}
// CHECK-LABEL: func.func @rows_vjp(
// CHECK-SAME: %[[IDS:[a-z0-9]+]]: tensor<?xi32>, %[[G:[a-z0-9]+]]: tensor<?x4xf32>)
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "reduction"]} ins(%[[IDS]], %[[G]] :
// CHECK-NEXT: ^bb0(%[[ID:.*]]: i32, %[[IN:.*]]: f32, %[[SUM:.*]]: f32):
// CHECK-DAG: %[[I:.*]] = arith.index_cast %[[ID]]
// CHECK-DAG: %[[V:.*]] = linalg.index 0
// CHECK: %[[HERE:.*]] = arith.cmpi eq, %[[I]], %[[V]]
// CHECK: %[[TERM:.*]] = arith.select %[[HERE]], %[[IN]]
// CHECK: arith.addf %[[SUM]], %[[TERM]]

// -----

// The slope of a product is that of all other factors, by no division.
func.func @product(%x: tensor<?x4xf32>, %start: tensor<?xf32>) -> tensor<?xf32> {
  %y = linalg.reduce { arith.mulf } ins(%x : tensor<?x4xf32>) outs(%start : tensor<?xf32>) dimensions = [1]
  return %y : tensor<?xf32>
}
// CHECK-LABEL: func.func @product_vjp(
// CHECK-NOT: arith.divf
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "reduction"]}
// CHECK: %[[OTHER:.*]] = arith.cmpi ne
// CHECK-NEXT: arith.select %[[OTHER]]
// CHECK-NOT: arith.divf
// CHECK: return
