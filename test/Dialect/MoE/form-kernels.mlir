// RUN: moe-opt %s -split-input-file --moe-form-kernels | FileCheck %s

#id = affine_map<(d0, d1) -> (d0, d1)>

// Views, fills and constants move in with the op that reads them.

// CHECK-LABEL: func.func @views_move_in
// CHECK-NEXT:    %[[C0:.+]] = arith.constant 0 : index
// CHECK-NEXT:    %[[T:.+]] = tensor.dim %arg0, %[[C0]]
// CHECK-NEXT:    %[[RESULT:.+]] = moe.kernel "elementwise" (%[[H:.+]] = %arg0 : tensor<?x8xf32>, %[[SIZE:.+]] = %[[T]] : index) -> (tensor<?x4xf32>) {
// CHECK:           tensor.extract_slice %[[H]][0, 4] [%[[SIZE]], 4] [1, 1]
// CHECK:           tensor.empty(%[[SIZE]])
// CHECK:           linalg.generic
// CHECK:           moe.yield
// CHECK:         return %[[RESULT]]
func.func @views_move_in(%h: tensor<?x8xf32>) -> tensor<?x4xf32> {
  %c0 = arith.constant 0 : index
  %t = tensor.dim %h, %c0 : tensor<?x8xf32>
  %up = tensor.extract_slice %h[0, 4] [%t, 4] [1, 1] : tensor<?x8xf32> to tensor<?x4xf32>
  %e = tensor.empty(%t) : tensor<?x4xf32>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%up : tensor<?x4xf32>) outs(%e : tensor<?x4xf32>) {
  ^bb0(%a: f32, %out: f32):
    %s = arith.addf %a, %a : f32
    linalg.yield %s : f32
  } -> tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}

// -----

// The gather moves into both products that read its rows; no kernel stores it.

// CHECK-LABEL: func.func @gather_moves_in
// CHECK-NOT:     moe.kernel "dispatch"
// CHECK:         moe.kernel "grouped_matmul"
// CHECK:           %[[ROWS:.+]] = moe.dispatch
// CHECK:           moe.grouped_matmul %[[ROWS]]
// CHECK:         moe.kernel "grouped_matmul"
// CHECK:           %[[AGAIN:.+]] = moe.dispatch
// CHECK:           moe.grouped_matmul %[[AGAIN]]
func.func @gather_moves_in(%x: tensor<?x4xf32>, %offsets: tensor<3xi32>, %s2r: tensor<?x2xi32>, %r2s: tensor<?xi32>, %gate: tensor<2x4x4xf32>, %up: tensor<2x4x4xf32>) -> (tensor<?x4xf32>, tensor<?x4xf32>) {
  %rows = moe.dispatch %x, %offsets, %s2r, %r2s : tensor<?x4xf32>, tensor<3xi32>, tensor<?x2xi32>, tensor<?xi32> -> tensor<?x4xf32>
  %g = moe.grouped_matmul %rows, %gate, %offsets : tensor<?x4xf32>, tensor<2x4x4xf32>, tensor<3xi32> -> tensor<?x4xf32>
  %u = moe.grouped_matmul %rows, %up, %offsets : tensor<?x4xf32>, tensor<2x4x4xf32>, tensor<3xi32> -> tensor<?x4xf32>
  return %g, %u : tensor<?x4xf32>, tensor<?x4xf32>
}

// -----

// Every result of the function is one kernel's result of its own.

// CHECK-LABEL: func.func @argument_view_and_value_twice
// CHECK-SAME:    (%[[X:[a-z0-9]+]]: tensor<4x4xf32>
// CHECK:         %[[COPY:.+]] = moe.kernel "elementwise" (%{{.+}} = %[[X]]
// CHECK:         return %{{.+}}, %{{.+}}, %{{.+}}, %{{.+}} :
func.func @argument_view_and_value_twice(%x: tensor<4x4xf32>, %w: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<2x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) {
  %half = tensor.extract_slice %x[0, 0] [2, 4] [1, 1] : tensor<4x4xf32> to tensor<2x4xf32>
  %zero = arith.constant dense<0.0> : tensor<4x4xf32>
  %y = linalg.matmul ins(%x, %w : tensor<4x4xf32>, tensor<4x4xf32>) outs(%zero : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %x, %half, %y, %y : tensor<4x4xf32>, tensor<2x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>
}

// -----

// A plan that may end the run with a status stays; a dead product goes.

// CHECK-LABEL: func.func @unused
// CHECK:         moe.kernel "plan"
// CHECK-NOT:     moe.kernel "matmul"
func.func @unused(%indices: tensor<?x2xi32>, %x: tensor<4x4xf32>) {
  %offsets, %s2r, %r2s, %re = moe.plan %indices {experts = 2 : i64} : tensor<?x2xi32> -> tensor<3xi32>, tensor<?x2xi32>, tensor<?xi32>, tensor<?xi32>
  %zero = arith.constant dense<0.0> : tensor<4x4xf32>
  %y = linalg.matmul ins(%x, %x : tensor<4x4xf32>, tensor<4x4xf32>) outs(%zero : tensor<4x4xf32>) -> tensor<4x4xf32>
  return
}
