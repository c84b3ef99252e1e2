// RUN: moe-opt %s --canonicalize --cse | FileCheck %s

// CHECK-LABEL: @unused_plan_that_reports_is_kept
func.func @unused_plan_that_reports_is_kept(%indices: tensor<?x2xi32>) {
  // CHECK: moe.plan
  %offsets, %slot_to_row, %row_to_slot, %row_expert = moe.plan %indices {experts = 8 : i64}
    : tensor<?x2xi32> -> tensor<9xi32>, tensor<?x2xi32>, tensor<?xi32>, tensor<?xi32>
  return
}

// CHECK-LABEL: @unused_plan_that_drops_is_erased
func.func @unused_plan_that_drops_is_erased(%indices: tensor<?x2xi32>) {
  // CHECK-NOT: moe.plan
  %offsets, %slot_to_row, %row_to_slot, %row_expert = moe.plan %indices {
      experts = 8 : i64, out_of_range = #moe.out_of_range<drop>}
    : tensor<?x2xi32> -> tensor<9xi32>, tensor<?x2xi32>, tensor<?xi32>, tensor<?xi32>
  return
}

// CHECK-LABEL: @unused_check_is_kept
func.func @unused_check_is_kept(%offsets: tensor<9xi32>, %rows: tensor<?x64xf32>) {
  // CHECK: moe.check_offsets
  %checked = moe.check_offsets %offsets, %rows : tensor<9xi32>, tensor<?x64xf32>
  return
}

// CHECK-LABEL: @unused_check_of_maps_is_kept
func.func @unused_check_of_maps_is_kept(%slot_to_row: tensor<?x2xi32>, %row_to_slot: tensor<?xi32>) {
  // CHECK: moe.check_maps
  %0, %1 = moe.check_maps %slot_to_row, %row_to_slot : tensor<?x2xi32>, tensor<?xi32>
  return
}

// CHECK-LABEL: @unused_layer_ops_are_erased
func.func @unused_layer_ops_are_erased(%x: tensor<?x64xf32>, %logits: tensor<?x8xf32>,
    %w: tensor<8x64x64xf32>, %offsets: tensor<9xi32>, %slot_to_row: tensor<?x2xi32>,
    %row_to_slot: tensor<?xi32>, %total: index) {
  // CHECK-NEXT: return
  %weights, %indices = moe.route %logits {top_k = 2 : i64}
    : tensor<?x8xf32> -> tensor<?x2xf32>, tensor<?x2xi32>
  %rows = moe.dispatch %x, %offsets, %slot_to_row, %row_to_slot
    : tensor<?x64xf32>, tensor<9xi32>, tensor<?x2xi32>, tensor<?xi32> -> tensor<?x64xf32>
  %y = moe.grouped_matmul %rows, %w, %offsets
    : tensor<?x64xf32>, tensor<8x64x64xf32>, tensor<9xi32> -> tensor<?x64xf32>
  %out = moe.combine %y, %offsets, %slot_to_row, %row_to_slot weights %weights
    : tensor<?x64xf32>, tensor<9xi32>, tensor<?x2xi32>, tensor<?xi32>, tensor<?x2xf32>
    -> tensor<?x64xf32>
  %table, %count, %grid = moe.tiles %offsets, %total {rows = 16 : i64}
    : tensor<9xi32> -> tensor<?x3xi32>, tensor<1xi32>, tensor<3xi32>
  return
}

// CHECK-LABEL: @unused_kernel_is_erased
func.func @unused_kernel_is_erased(%x: tensor<4xf32>) {
  // CHECK-NEXT: return
  %y = moe.kernel "k" (%a = %x : tensor<4xf32>) -> (tensor<4xf32>) {
    %sum = arith.addf %a, %a : tensor<4xf32>
    moe.yield %sum : tensor<4xf32>
  }
  return
}

// CHECK-LABEL: @equal_routes_are_one
func.func @equal_routes_are_one(%logits: tensor<?x8xf32>) -> (tensor<?x2xf32>, tensor<?x2xi32>) {
  // CHECK-COUNT-1: moe.route
  // CHECK-NOT: moe.route
  %weights, %i = moe.route %logits {top_k = 2 : i64}
    : tensor<?x8xf32> -> tensor<?x2xf32>, tensor<?x2xi32>
  %w, %indices = moe.route %logits {top_k = 2 : i64}
    : tensor<?x8xf32> -> tensor<?x2xf32>, tensor<?x2xi32>
  return %weights, %indices : tensor<?x2xf32>, tensor<?x2xi32>
}
