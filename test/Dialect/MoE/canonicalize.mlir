// RUN: moe-opt %s --canonicalize | FileCheck %s

// CHECK-LABEL: @check_of_planned_offsets_is_dropped
func.func @check_of_planned_offsets_is_dropped(%x: tensor<?x64xf32>, %w: tensor<8x64x32xf32>,
    %indices: tensor<?x2xi32>) -> tensor<9xi32> {
  // CHECK: %[[OFFSETS:.*]], %{{.*}}, %{{.*}}, %{{.*}} = moe.plan
  %offsets, %slot_to_row, %row_to_slot, %row_expert = moe.plan %indices {experts = 8 : i64}
    : tensor<?x2xi32> -> tensor<9xi32>, tensor<?x2xi32>, tensor<?xi32>, tensor<?xi32>
  %rows = moe.dispatch %x, %offsets, %slot_to_row, %row_to_slot
    : tensor<?x64xf32>, tensor<9xi32>, tensor<?x2xi32>, tensor<?xi32> -> tensor<?x64xf32>
  %h = moe.grouped_matmul %rows, %w, %offsets
    : tensor<?x64xf32>, tensor<8x64x32xf32>, tensor<9xi32> -> tensor<?x32xf32>
  %a = arith.mulf %h, %h : tensor<?x32xf32>
  // CHECK-NOT: moe.check_offsets
  %checked = moe.check_offsets %offsets, %a : tensor<9xi32>, tensor<?x32xf32>
  // CHECK: return %[[OFFSETS]]
  return %checked : tensor<9xi32>
}

// CHECK-LABEL: @check_of_planned_offsets_for_enough_static_rows_is_dropped
func.func @check_of_planned_offsets_for_enough_static_rows_is_dropped(%rows: tensor<8x?xf32>,
    %indices: tensor<4x2xi32>) -> tensor<9xi32> {
  %offsets, %slot_to_row, %row_to_slot, %row_expert = moe.plan %indices {experts = 8 : i64}
    : tensor<4x2xi32> -> tensor<9xi32>, tensor<4x2xi32>, tensor<8xi32>, tensor<8xi32>
  // CHECK-NOT: moe.check_offsets
  %checked = moe.check_offsets %offsets, %rows : tensor<9xi32>, tensor<8x?xf32>
  return %checked : tensor<9xi32>
}

// CHECK-LABEL: @check_of_planned_offsets_for_too_few_rows_is_kept
func.func @check_of_planned_offsets_for_too_few_rows_is_kept(%rows: tensor<7x64xf32>,
    %indices: tensor<4x2xi32>) -> tensor<9xi32> {
  %offsets, %slot_to_row, %row_to_slot, %row_expert = moe.plan %indices {experts = 8 : i64}
    : tensor<4x2xi32> -> tensor<9xi32>, tensor<4x2xi32>, tensor<8xi32>, tensor<8xi32>
  // CHECK: moe.check_offsets
  %checked = moe.check_offsets %offsets, %rows : tensor<9xi32>, tensor<7x64xf32>
  return %checked : tensor<9xi32>
}

// CHECK-LABEL: @check_of_planned_offsets_for_foreign_rows_is_kept
func.func @check_of_planned_offsets_for_foreign_rows_is_kept(%rows: tensor<?x64xf32>,
    %indices: tensor<?x2xi32>) -> tensor<9xi32> {
  %offsets, %slot_to_row, %row_to_slot, %row_expert = moe.plan %indices {experts = 8 : i64}
    : tensor<?x2xi32> -> tensor<9xi32>, tensor<?x2xi32>, tensor<?xi32>, tensor<?xi32>
  // CHECK: moe.check_offsets
  %checked = moe.check_offsets %offsets, %rows : tensor<9xi32>, tensor<?x64xf32>
  return %checked : tensor<9xi32>
}

// CHECK-LABEL: @check_of_row_to_slot_is_kept
func.func @check_of_row_to_slot_is_kept(%rows: tensor<8x64xf32>,
    %indices: tensor<4x2xi32>) -> tensor<8xi32> {
  %offsets, %slot_to_row, %row_to_slot, %row_expert = moe.plan %indices {experts = 8 : i64}
    : tensor<4x2xi32> -> tensor<9xi32>, tensor<4x2xi32>, tensor<8xi32>, tensor<8xi32>
  // CHECK: moe.check_offsets
  %checked = moe.check_offsets %row_to_slot, %rows : tensor<8xi32>, tensor<8x64xf32>
  return %checked : tensor<8xi32>
}

// CHECK-LABEL: @second_check_for_the_same_rows_is_dropped
func.func @second_check_for_the_same_rows_is_dropped(%offsets: tensor<9xi32>,
    %rows: tensor<?x64xf32>) -> tensor<9xi32> {
  // CHECK: %[[CHECKED:.*]] = moe.check_offsets
  // CHECK-NEXT: return %[[CHECKED]]
  %once = moe.check_offsets %offsets, %rows : tensor<9xi32>, tensor<?x64xf32>
  %twice = moe.check_offsets %once, %rows : tensor<9xi32>, tensor<?x64xf32>
  return %twice : tensor<9xi32>
}

// CHECK-LABEL: @second_check_for_other_rows_is_kept
func.func @second_check_for_other_rows_is_kept(%offsets: tensor<9xi32>,
    %rows: tensor<?x64xf32>, %others: tensor<?x64xf32>) -> tensor<9xi32> {
  // CHECK-COUNT-2: moe.check_offsets
  %once = moe.check_offsets %offsets, %rows : tensor<9xi32>, tensor<?x64xf32>
  %twice = moe.check_offsets %once, %others : tensor<9xi32>, tensor<?x64xf32>
  return %twice : tensor<9xi32>
}

// CHECK-LABEL: @all_groups_selected_with_a_bias_are_none
func.func @all_groups_selected_with_a_bias_are_none(%logits: tensor<?x8xf32>,
    %bias: tensor<8xf32>) -> tensor<?x2xi32> {
  // CHECK: moe.route %arg0 bias %arg1 {scoring = #moe.scoring<sigmoid>, top_k = 2 : i64}
  %weights, %indices = moe.route %logits bias %bias {
      top_k = 2 : i64, scoring = #moe.scoring<sigmoid>,
      groups = 4 : i64, selected_groups = 4 : i64, group_score = #moe.group_score<top2_sum>}
    : tensor<?x8xf32>, tensor<8xf32> -> tensor<?x2xf32>, tensor<?x2xi32>
  return %indices : tensor<?x2xi32>
}

// Without a bias, groups make the selection compare scores instead of logits.
// CHECK-LABEL: @all_groups_selected_without_a_bias_are_kept
func.func @all_groups_selected_without_a_bias_are_kept(%logits: tensor<?x8xf32>) -> tensor<?x2xi32> {
  // CHECK: groups = 4 : i64
  // CHECK-SAME: selected_groups = 4 : i64
  %weights, %indices = moe.route %logits {top_k = 2 : i64, groups = 4 : i64, selected_groups = 4 : i64}
    : tensor<?x8xf32> -> tensor<?x2xf32>, tensor<?x2xi32>
  return %indices : tensor<?x2xi32>
}
