// RUN: moe-opt %s --moe-differentiate | FileCheck %s

func.func @layer(%x: tensor<?x8xf32>, %router: tensor<8x4xf32>, %up: tensor<4x6x8xf32>,
                 %down: tensor<4x8x6xf32>) -> tensor<?x8xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %tokens = tensor.dim %x, %c0 : tensor<?x8xf32>
  %empty = tensor.empty(%tokens) : tensor<?x4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x4xf32>) -> tensor<?x4xf32>
  %logits = linalg.matmul ins(%x, %router : tensor<?x8xf32>, tensor<8x4xf32>)
                          outs(%init : tensor<?x4xf32>) -> tensor<?x4xf32>
  %weights, %indices = moe.route %logits {top_k = 2 : i64, renormalize}
    : tensor<?x4xf32> -> tensor<?x2xf32>, tensor<?x2xi32>
  %offsets, %slot_to_row, %row_to_slot, %row_expert = moe.plan %indices {experts = 4 : i64}
    : tensor<?x2xi32> -> tensor<5xi32>, tensor<?x2xi32>, tensor<?xi32>, tensor<?xi32>
  %rows = moe.dispatch %x, %offsets, %slot_to_row, %row_to_slot
    : tensor<?x8xf32>, tensor<5xi32>, tensor<?x2xi32>, tensor<?xi32> -> tensor<?x8xf32>
  %h = moe.grouped_matmul %rows, %up, %offsets {transpose_rhs}
    : tensor<?x8xf32>, tensor<4x6x8xf32>, tensor<5xi32> -> tensor<?x6xf32>
  %a = math.tanh %h : tensor<?x6xf32>
  %y = moe.grouped_matmul %a, %down, %offsets {transpose_rhs}
    : tensor<?x6xf32>, tensor<4x8x6xf32>, tensor<5xi32> -> tensor<?x8xf32>
  %out = moe.combine %y, %offsets, %slot_to_row, %row_to_slot weights %weights
    : tensor<?x8xf32>, tensor<5xi32>, tensor<?x2xi32>, tensor<?xi32>, tensor<?x2xf32>
    -> tensor<?x8xf32>
  return %out : tensor<?x8xf32>
}

// The primal ops come first.
// CHECK-LABEL: func.func @layer_vjp(
// CHECK-SAME: %[[X:.*]]: tensor<?x8xf32>, %[[ROUTER:.*]]: tensor<8x4xf32>, %[[UP:.*]]: tensor<4x6x8xf32>, %[[DOWN:.*]]: tensor<4x8x6xf32>, %[[DOUT:.*]]: tensor<?x8xf32>)
// CHECK-SAME: -> (tensor<?x8xf32>, tensor<?x8xf32>, tensor<8x4xf32>, tensor<4x6x8xf32>, tensor<4x8x6xf32>)
// CHECK-NEXT: %[[ONE:.*]] = arith.constant 1.000000e+00
// CHECK-NEXT: %[[C0:.*]] = arith.constant 0
// CHECK-NEXT: %[[ZERO:.*]] = arith.constant 0.000000e+00
// CHECK-NEXT: %[[TOKENS:.*]] = tensor.dim %[[X]], %[[C0]]
// CHECK-NEXT: %[[LOGITS_EMPTY:.*]] = tensor.empty(%[[TOKENS]])
// CHECK-NEXT: %[[LOGITS_ZERO:.*]] = linalg.fill ins(%[[ZERO]]
// CHECK-NEXT: %[[LOGITS:.*]] = linalg.matmul ins(%[[X]], %[[ROUTER]]
// CHECK-NEXT: %[[WEIGHTS:.*]], %[[INDICES:.*]] = moe.route %[[LOGITS]] {renormalize, top_k = 2 : i64}
// CHECK-NEXT: %[[OFFSETS:.*]], %[[SLOT_TO_ROW:.*]], %[[ROW_TO_SLOT:.*]], %[[ROW_EXPERT:.*]] = moe.plan %[[INDICES]] {experts = 4 : i64}
// CHECK-NEXT: %[[ROWS:.*]] = moe.dispatch %[[X]], %[[OFFSETS]], %[[SLOT_TO_ROW]], %[[ROW_TO_SLOT]]
// CHECK-NEXT: %[[H:.*]] = moe.grouped_matmul %[[ROWS]], %[[UP]], %[[OFFSETS]] {transpose_rhs}
// CHECK-NEXT: %[[A:.*]] = math.tanh %[[H]]
// CHECK-NEXT: %[[Y:.*]] = moe.grouped_matmul %[[A]], %[[DOWN]], %[[OFFSETS]] {transpose_rhs}
// CHECK-NEXT: %[[OUT:.*]] = moe.combine %[[Y]], %[[OFFSETS]], %[[SLOT_TO_ROW]], %[[ROW_TO_SLOT]] weights %[[WEIGHTS]]
//
// The experts, backward.
// CHECK-NEXT: %[[DY:.*]] = moe.dispatch %[[DOUT]], %[[OFFSETS]], %[[SLOT_TO_ROW]], %[[ROW_TO_SLOT]] weights %[[WEIGHTS]]
// CHECK-NEXT: %[[DWEIGHTS:.*]] = moe.combine_weight_grad %[[DOUT]], %[[Y]], %[[OFFSETS]], %[[SLOT_TO_ROW]], %[[ROW_TO_SLOT]]
// CHECK-NEXT: %[[DA:.*]] = moe.grouped_matmul %[[DY]], %[[DOWN]], %[[OFFSETS]]
// CHECK-NEXT: %[[DDOWN:.*]] = moe.grouped_outer %[[DY]], %[[A]], %[[OFFSETS]]
// CHECK-NEXT: %[[SLOTS:.*]] = affine.apply #{{.*}}()[%[[TOKENS]]]
// CHECK-NEXT: %[[ONES:.*]] = tensor.splat %[[ONE]][%[[SLOTS]]]
// CHECK-NEXT: %[[COSH:.*]] = math.cosh %[[H]]
// CHECK-NEXT: %[[SECH:.*]] = arith.divf %[[ONES]], %[[COSH]]
// CHECK-NEXT: %[[SLOPE:.*]] = arith.mulf %[[SECH]], %[[SECH]]
// CHECK-NEXT: %[[DH:.*]] = arith.mulf %[[DA]], %[[SLOPE]]
// CHECK-NEXT: %[[DROWS:.*]] = moe.grouped_matmul %[[DH]], %[[UP]], %[[OFFSETS]]
// CHECK-NEXT: %[[DUP:.*]] = moe.grouped_outer %[[DH]], %[[ROWS]], %[[OFFSETS]]
// CHECK-NEXT: %[[FROM_ROWS:.*]] = moe.combine %[[DROWS]], %[[OFFSETS]], %[[SLOT_TO_ROW]], %[[ROW_TO_SLOT]] {order = #moe.combine_order<slot>}
// CHECK-NEXT: %[[DLOGITS:.*]] = moe.route_grad %[[LOGITS]], %[[INDICES]], %[[DWEIGHTS]] {renormalize}
//
// The router's projection.
// CHECK-NEXT: %[[DX_EMPTY:.*]] = tensor.empty(%[[TOKENS]])
// CHECK-NEXT: %[[DX_ZERO:.*]] = linalg.fill ins(%[[ZERO]]
// CHECK-NEXT: %[[FROM_LOGITS:.*]] = linalg.matmul indexing_maps = [#{{.*}}, #{{.*}}, #{{.*}}] ins(%[[DLOGITS]], %[[ROUTER]]
// CHECK-NEXT: %[[DROUTER_EMPTY:.*]] = tensor.empty()
// CHECK-NEXT: %[[DROUTER_ZERO:.*]] = linalg.fill ins(%[[ZERO]]
// CHECK-NEXT: %[[DROUTER:.*]] = linalg.matmul indexing_maps = [#{{.*}}, #{{.*}}, #{{.*}}] ins(%[[X]], %[[DLOGITS]]
// CHECK-NEXT: %[[DX:.*]] = arith.addf %[[FROM_ROWS]], %[[FROM_LOGITS]]
// CHECK-NEXT: return %[[OUT]], %[[DX]], %[[DROUTER]], %[[DUP]], %[[DDOWN]]
