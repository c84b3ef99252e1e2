// RUN: moe-opt %s --moe-differentiate="mode=split" | FileCheck %s --check-prefix=ALL
// RUN: moe-opt %s --moe-differentiate="mode=split save=minimal" | FileCheck %s --check-prefix=MINIMAL
// RUN: moe-opt %s --moe-differentiate="mode=split wrt=3" | FileCheck %s --check-prefix=ONE

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

// Everything that the backward reads: logits, weights, indices, the plan, rows,
// their hidden values and activation, and what the experts give.
// ALL-LABEL: func.func @layer_fwd(
// ALL-SAME: -> (tensor<?x8xf32>, tensor<?x4xf32>, tensor<?x2xf32>, tensor<?x2xi32>, tensor<5xi32>,
// ALL-SAME: tensor<?x2xi32>, tensor<?xi32>, tensor<?x8xf32>, tensor<?x6xf32>, tensor<?x6xf32>, tensor<?x8xf32>)
// ALL-LABEL: func.func @layer_bwd(
// ALL-NOT: moe.route %
// ALL-NOT: moe.plan
// ALL-NOT: math.tanh
// ALL: moe.combine_weight_grad
// ALL: return %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : tensor<?x8xf32>, tensor<8x4xf32>, tensor<4x6x8xf32>, tensor<4x8x6xf32>

// Only the weights, indices, the plan, and the hidden values: neither rows nor
// what the experts give.
// MINIMAL-LABEL: func.func @layer_fwd(
// MINIMAL-SAME: -> (tensor<?x8xf32>, tensor<?x2xf32>, tensor<?x2xi32>, tensor<5xi32>,
// MINIMAL-SAME: tensor<?x2xi32>, tensor<?xi32>, tensor<?x6xf32>)
// MINIMAL-LABEL: func.func @layer_bwd(
// MINIMAL-SAME: %[[X:[a-z0-9]+]]: tensor<?x8xf32>, %[[ROUTER:[a-z0-9]+]]: tensor<8x4xf32>,
// MINIMAL-SAME: %[[UP:[a-z0-9]+]]: tensor<4x6x8xf32>, %[[DOWN:[a-z0-9]+]]: tensor<4x8x6xf32>,
// MINIMAL-SAME: %[[WEIGHTS:[a-z0-9]+]]: tensor<?x2xf32>, %[[INDICES:[a-z0-9]+]]: tensor<?x2xi32>,
// MINIMAL-SAME: %[[OFFSETS:[a-z0-9]+]]: tensor<5xi32>, %[[SLOT_TO_ROW:[a-z0-9]+]]: tensor<?x2xi32>,
// MINIMAL-SAME: %[[ROW_TO_SLOT:[a-z0-9]+]]: tensor<?xi32>, %[[H:[a-z0-9]+]]: tensor<?x6xf32>,
// MINIMAL-SAME: %[[DOUT:[a-z0-9]+]]: tensor<?x8xf32>)
// MINIMAL-NOT: moe.route %
// MINIMAL-NOT: moe.plan
// Recomputed:
// MINIMAL: linalg.matmul ins(%[[X]], %[[ROUTER]]
// MINIMAL: %[[ROWS:.*]] = moe.dispatch %[[X]], %[[OFFSETS]]
// MINIMAL: %[[A:.*]] = math.tanh %[[H]]
// dw = ⟨downᵀ · dout, a⟩
// MINIMAL: %[[DROWS:.*]] = moe.dispatch %[[DOUT]], %[[OFFSETS]], %[[SLOT_TO_ROW]], %[[ROW_TO_SLOT]] :
// MINIMAL: %[[BACK:.*]] = moe.grouped_matmul %[[DROWS]], %[[DOWN]], %[[OFFSETS]] :
// MINIMAL-NOT: moe.combine_weight_grad
// MINIMAL: linalg.generic {{.*}}["parallel", "reduction"]} ins(%[[BACK]], %[[A]]
// MINIMAL: moe.combine
// MINIMAL: moe.grouped_outer %[[DROWS]]
// MINIMAL: moe.grouped_outer %{{.*}}, %[[ROWS]]
// MINIMAL: moe.route_grad

// One gradient needs less, of either function.
// ONE-LABEL: func.func @layer_fwd(
// ONE-SAME: -> (tensor<?x8xf32>, tensor<?x2xf32>, tensor<5xi32>, tensor<?x2xi32>, tensor<?xi32>, tensor<?x6xf32>)
// ONE-LABEL: func.func @layer_bwd(
// ONE: %[[DY:.*]] = moe.dispatch
// ONE-NEXT: %[[DDOWN:.*]] = moe.grouped_outer %[[DY]]
// ONE-NEXT: return %[[DDOWN]]
