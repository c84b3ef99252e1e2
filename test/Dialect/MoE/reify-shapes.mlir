// RUN: moe-opt %s --resolve-ranked-shaped-type-result-dims --canonicalize --cse | FileCheck %s

// CHECK: #[[$TWICE:.*]] = affine_map<()[s0] -> (s0 * 2)>
// CHECK: #[[$TILES:.*]] = affine_map<()[s0] -> (s0 ceildiv 16 + 8)>
// CHECK: #[[$LENGTH_TILES:.*]] = affine_map<()[s0, s1] -> (s1 + s0 ceildiv 16 - 1)>

// CHECK-LABEL: @route_has_the_tokens_of_logits
// CHECK-SAME: (%[[LOGITS:.*]]: tensor<?x8xf32>)
func.func @route_has_the_tokens_of_logits(%logits: tensor<?x8xf32>) -> (index, index) {
  // CHECK: %[[TOKENS:.*]] = tensor.dim %[[LOGITS]], %c0
  // CHECK: return %[[TOKENS]], %[[TOKENS]]
  %c0 = arith.constant 0 : index
  %weights, %indices = moe.route %logits {top_k = 2 : i64}
    : tensor<?x8xf32> -> tensor<?x2xf32>, tensor<?x2xi32>
  %0 = tensor.dim %weights, %c0 : tensor<?x2xf32>
  %1 = tensor.dim %indices, %c0 : tensor<?x2xi32>
  return %0, %1 : index, index
}

// CHECK-LABEL: @plan_has_top_k_rows_per_token
// CHECK-SAME: (%[[INDICES:.*]]: tensor<?x2xi32>)
func.func @plan_has_top_k_rows_per_token(%indices: tensor<?x2xi32>)
    -> (index, index, index, index) {
  // CHECK-DAG: %[[LENGTH:.*]] = arith.constant 9
  // CHECK-DAG: %[[TOKENS:.*]] = tensor.dim %[[INDICES]], %c0
  // CHECK-DAG: %[[SLOTS:.*]] = affine.apply #[[$TWICE]]()[%[[TOKENS]]]
  // CHECK: return %[[LENGTH]], %[[TOKENS]], %[[SLOTS]], %[[SLOTS]]
  %c0 = arith.constant 0 : index
  %offsets, %slot_to_row, %row_to_slot, %row_expert = moe.plan %indices {experts = 8 : i64}
    : tensor<?x2xi32> -> tensor<?xi32>, tensor<?x2xi32>, tensor<?xi32>, tensor<?xi32>
  %0 = tensor.dim %offsets, %c0 : tensor<?xi32>
  %1 = tensor.dim %slot_to_row, %c0 : tensor<?x2xi32>
  %2 = tensor.dim %row_to_slot, %c0 : tensor<?xi32>
  %3 = tensor.dim %row_expert, %c0 : tensor<?xi32>
  return %0, %1, %2, %3 : index, index, index, index
}

// CHECK-LABEL: @dispatch_has_top_k_rows_per_token
// CHECK-SAME: (%[[X:.*]]: tensor<?x64xf32>,
func.func @dispatch_has_top_k_rows_per_token(%x: tensor<?x64xf32>, %offsets: tensor<9xi32>,
    %slot_to_row: tensor<?x2xi32>, %row_to_slot: tensor<?xi32>) -> index {
  // CHECK: %[[TOKENS:.*]] = tensor.dim %[[X]], %c0
  // CHECK: %[[SLOTS:.*]] = affine.apply #[[$TWICE]]()[%[[TOKENS]]]
  // CHECK: return %[[SLOTS]]
  %c0 = arith.constant 0 : index
  %rows = moe.dispatch %x, %offsets, %slot_to_row, %row_to_slot
    : tensor<?x64xf32>, tensor<9xi32>, tensor<?x2xi32>, tensor<?xi32> -> tensor<?x64xf32>
  %0 = tensor.dim %rows, %c0 : tensor<?x64xf32>
  return %0 : index
}

// CHECK-LABEL: @dispatch_of_dynamic_choices_has_the_rows_of_the_map
// CHECK-SAME: %[[ROW_TO_SLOT:[a-z0-9]*]]: tensor<?xi32>)
func.func @dispatch_of_dynamic_choices_has_the_rows_of_the_map(%x: tensor<?x64xf32>,
    %offsets: tensor<9xi32>, %slot_to_row: tensor<?x?xi32>, %row_to_slot: tensor<?xi32>) -> index {
  // CHECK: %[[ROWS:.*]] = tensor.dim %[[ROW_TO_SLOT]], %c0
  // CHECK: return %[[ROWS]]
  %c0 = arith.constant 0 : index
  %rows = moe.dispatch %x, %offsets, %slot_to_row, %row_to_slot
    : tensor<?x64xf32>, tensor<9xi32>, tensor<?x?xi32>, tensor<?xi32> -> tensor<?x64xf32>
  %0 = tensor.dim %rows, %c0 : tensor<?x64xf32>
  return %0 : index
}

// CHECK-LABEL: @grouped_matmul_has_the_rows_of_lhs
// CHECK-SAME: (%[[LHS:.*]]: tensor<?x64xf32>,
func.func @grouped_matmul_has_the_rows_of_lhs(%lhs: tensor<?x64xf32>,
    %rhs: tensor<8x64x32xf32>, %offsets: tensor<9xi32>) -> (index, index) {
  // CHECK-DAG: %[[FEATURES:.*]] = arith.constant 32
  // CHECK-DAG: %[[ROWS:.*]] = tensor.dim %[[LHS]], %c0
  // CHECK: return %[[ROWS]], %[[FEATURES]]
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %result = moe.grouped_matmul %lhs, %rhs, %offsets
    : tensor<?x64xf32>, tensor<8x64x32xf32>, tensor<9xi32> -> tensor<?x?xf32>
  %0 = tensor.dim %result, %c0 : tensor<?x?xf32>
  %1 = tensor.dim %result, %c1 : tensor<?x?xf32>
  return %0, %1 : index, index
}

// CHECK-LABEL: @combine_has_the_tokens_of_the_map
// CHECK-SAME: %[[SLOT_TO_ROW:[a-z0-9]*]]: tensor<?x2xi32>,
func.func @combine_has_the_tokens_of_the_map(%rows: tensor<?x64xf32>, %offsets: tensor<9xi32>,
    %slot_to_row: tensor<?x2xi32>, %row_to_slot: tensor<?xi32>) -> index {
  // CHECK: %[[TOKENS:.*]] = tensor.dim %[[SLOT_TO_ROW]], %c0
  // CHECK: return %[[TOKENS]]
  %c0 = arith.constant 0 : index
  %result = moe.combine %rows, %offsets, %slot_to_row, %row_to_slot
    : tensor<?x64xf32>, tensor<9xi32>, tensor<?x2xi32>, tensor<?xi32> -> tensor<?x64xf32>
  %0 = tensor.dim %result, %c0 : tensor<?x64xf32>
  return %0 : index
}

// CHECK-LABEL: @table_has_a_tile_per_16_rows_and_one_per_expert
// CHECK-SAME: %[[TOTAL:[a-z0-9]*]]: index)
func.func @table_has_a_tile_per_16_rows_and_one_per_expert(%offsets: tensor<9xi32>,
    %total: index) -> index {
  // CHECK: %[[COUNT:.*]] = affine.apply #[[$TILES]]()[%[[TOTAL]]]
  // CHECK: return %[[COUNT]]
  %c0 = arith.constant 0 : index
  %table, %count, %grid = moe.tiles %offsets, %total {rows = 16 : i64}
    : tensor<9xi32> -> tensor<?x3xi32>, tensor<1xi32>, tensor<3xi32>
  %0 = tensor.dim %table, %c0 : tensor<?x3xi32>
  return %0 : index
}

// CHECK-LABEL: @table_of_dynamic_offsets
// CHECK-SAME: (%[[OFFSETS:.*]]: tensor<?xi32>, %[[TOTAL:.*]]: index)
func.func @table_of_dynamic_offsets(%offsets: tensor<?xi32>, %total: index) -> index {
  // CHECK: %[[LENGTH:.*]] = tensor.dim %[[OFFSETS]], %c0
  // CHECK: %[[COUNT:.*]] = affine.apply #[[$LENGTH_TILES]]()[%[[TOTAL]], %[[LENGTH]]]
  // CHECK: return %[[COUNT]]
  %c0 = arith.constant 0 : index
  %table, %count, %grid = moe.tiles %offsets, %total {rows = 16 : i64}
    : tensor<?xi32> -> tensor<?x3xi32>, tensor<1xi32>, tensor<3xi32>
  %0 = tensor.dim %table, %c0 : tensor<?x3xi32>
  return %0 : index
}

// CHECK-LABEL: @combine_weight_grad_has_the_tokens_of_the_plan
// CHECK-SAME: %[[SLOT_TO_ROW:[a-z0-9]+]]: tensor<?x2xi32>
func.func @combine_weight_grad_has_the_tokens_of_the_plan(%grad: tensor<?x64xf32>, %rows: tensor<?x64xf32>,
    %offsets: tensor<9xi32>, %slot_to_row: tensor<?x2xi32>, %row_to_slot: tensor<?xi32>) -> index {
  // CHECK: %[[TOKENS:.*]] = tensor.dim %[[SLOT_TO_ROW]], %c0
  // CHECK: return %[[TOKENS]]
  %c0 = arith.constant 0 : index
  %dw = moe.combine_weight_grad %grad, %rows, %offsets, %slot_to_row, %row_to_slot
    : tensor<?x64xf32>, tensor<?x64xf32>, tensor<9xi32>, tensor<?x2xi32>, tensor<?xi32> -> tensor<?x2xf32>
  %0 = tensor.dim %dw, %c0 : tensor<?x2xf32>
  return %0 : index
}

// CHECK-LABEL: @route_weights_and_grad_have_the_tokens_of_logits
// CHECK-SAME: (%[[LOGITS:.*]]: tensor<?x8xf32>,
func.func @route_weights_and_grad_have_the_tokens_of_logits(%logits: tensor<?x8xf32>,
    %indices: tensor<?x2xi32>, %dweights: tensor<?x2xf32>) -> (index, index) {
  // CHECK: %[[TOKENS:.*]] = tensor.dim %[[LOGITS]], %c0
  // CHECK: return %[[TOKENS]], %[[TOKENS]]
  %c0 = arith.constant 0 : index
  %weights = moe.route_weights %logits, %indices : tensor<?x8xf32>, tensor<?x2xi32> -> tensor<?x2xf32>
  %dlogits = moe.route_grad %logits, %indices, %dweights
    : tensor<?x8xf32>, tensor<?x2xi32>, tensor<?x2xf32> -> tensor<?x8xf32>
  %0 = tensor.dim %weights, %c0 : tensor<?x2xf32>
  %1 = tensor.dim %dlogits, %c0 : tensor<?x8xf32>
  return %0, %1 : index, index
}

// CHECK-LABEL: @sums_of_rows_have_an_expert_less_than_offsets
func.func @sums_of_rows_have_an_expert_less_than_offsets(%lhs: tensor<?x4xf32>, %rhs: tensor<?x3xf32>,
    %offsets: tensor<9xi32>) -> (index, index, index) {
  // CHECK-DAG: %[[EXPERTS:.*]] = arith.constant 8
  // CHECK-DAG: %[[RHS_WIDTH:.*]] = arith.constant 3
  // CHECK: return %[[EXPERTS]], %[[RHS_WIDTH]], %[[EXPERTS]]
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %outer = moe.grouped_outer %lhs, %rhs, %offsets
    : tensor<?x4xf32>, tensor<?x3xf32>, tensor<9xi32> -> tensor<?x?x?xf32>
  %sums = moe.grouped_reduce %lhs, %offsets : tensor<?x4xf32>, tensor<9xi32> -> tensor<?x?xf32>
  %0 = tensor.dim %outer, %c0 : tensor<?x?x?xf32>
  %1 = tensor.dim %outer, %c2 : tensor<?x?x?xf32>
  %2 = tensor.dim %sums, %c0 : tensor<?x?xf32>
  return %0, %1, %2 : index, index, index
}
