// RUN: moe-opt %s --canonicalize | FileCheck %s

// CHECK-LABEL: @casts_of_operands_are_absorbed
func.func @casts_of_operands_are_absorbed(%lhs: tensor<16x64xf16>, %rhs: tensor<8x64x32xf16>,
    %offsets: tensor<9xi32>) -> tensor<?x32xf32> {
  // CHECK: %[[RESULT:.*]] = moe.grouped_matmul %arg0, %arg1, %arg2
  // CHECK-SAME: : tensor<16x64xf16>, tensor<8x64x32xf16>, tensor<9xi32> -> tensor<16x32xf32>
  // CHECK: tensor.cast %[[RESULT]] : tensor<16x32xf32> to tensor<?x32xf32>
  %0 = tensor.cast %lhs : tensor<16x64xf16> to tensor<?x64xf16>
  %1 = tensor.cast %offsets : tensor<9xi32> to tensor<?xi32>
  %result = moe.grouped_matmul %0, %rhs, %1
    : tensor<?x64xf16>, tensor<8x64x32xf16>, tensor<?xi32> -> tensor<?x32xf32>
  return %result : tensor<?x32xf32>
}

// CHECK-LABEL: @results_become_as_static_as_operands
func.func @results_become_as_static_as_operands(%indices: tensor<4x2xi32>) -> tensor<?xi32> {
  // CHECK: moe.plan %arg0 {experts = 8 : i64}
  // CHECK-SAME: : tensor<4x2xi32> -> tensor<9xi32>, tensor<4x2xi32>, tensor<8xi32>, tensor<8xi32>
  // CHECK: tensor.cast %{{.*}} : tensor<8xi32> to tensor<?xi32>
  %offsets, %slot_to_row, %row_to_slot, %row_expert = moe.plan %indices {experts = 8 : i64}
    : tensor<4x2xi32> -> tensor<?xi32>, tensor<?x2xi32>, tensor<?xi32>, tensor<?xi32>
  return %row_to_slot : tensor<?xi32>
}

// CHECK-LABEL: @static_results_stay
func.func @static_results_stay(%logits: tensor<?x8xf32>) -> tensor<4x2xi32> {
  // CHECK: moe.route %arg0 {top_k = 2 : i64} : tensor<?x8xf32> -> tensor<?x2xf32>, tensor<4x2xi32>
  // CHECK-NEXT: return
  %weights, %indices = moe.route %logits {top_k = 2 : i64}
    : tensor<?x8xf32> -> tensor<?x2xf32>, tensor<4x2xi32>
  return %indices : tensor<4x2xi32>
}

// CHECK-LABEL: @a_whole_layer_becomes_static
func.func @a_whole_layer_becomes_static(%x: tensor<4x64xf32>, %indices: tensor<4x2xi32>)
    -> tensor<4x64xf32> {
  // CHECK: moe.plan
  // CHECK-SAME: -> tensor<9xi32>, tensor<4x2xi32>, tensor<8xi32>, tensor<8xi32>
  // CHECK: moe.dispatch
  // CHECK-SAME: -> tensor<8x64xf32>
  // CHECK: moe.combine
  // CHECK-SAME: -> tensor<4x64xf32>
  // CHECK-NOT: tensor.cast
  %0 = tensor.cast %x : tensor<4x64xf32> to tensor<?x64xf32>
  %1 = tensor.cast %indices : tensor<4x2xi32> to tensor<?x2xi32>
  %offsets, %slot_to_row, %row_to_slot, %row_expert = moe.plan %1 {experts = 8 : i64}
    : tensor<?x2xi32> -> tensor<9xi32>, tensor<?x2xi32>, tensor<?xi32>, tensor<?xi32>
  %rows = moe.dispatch %0, %offsets, %slot_to_row, %row_to_slot
    : tensor<?x64xf32>, tensor<9xi32>, tensor<?x2xi32>, tensor<?xi32> -> tensor<?x64xf32>
  %out = moe.combine %rows, %offsets, %slot_to_row, %row_to_slot
    : tensor<?x64xf32>, tensor<9xi32>, tensor<?x2xi32>, tensor<?xi32> -> tensor<?x64xf32>
  %2 = tensor.cast %out : tensor<?x64xf32> to tensor<4x64xf32>
  return %2 : tensor<4x64xf32>
}

// CHECK-LABEL: @check_offsets_becomes_as_static_as_offsets
func.func @check_offsets_becomes_as_static_as_offsets(%offsets: tensor<9xi32>,
    %rows: tensor<?x64xf32>) -> tensor<?xi32> {
  // CHECK: moe.check_offsets %arg0, %arg1 : tensor<9xi32>, tensor<?x64xf32>
  %0 = tensor.cast %offsets : tensor<9xi32> to tensor<?xi32>
  %checked = moe.check_offsets %0, %rows : tensor<?xi32>, tensor<?x64xf32>
  return %checked : tensor<?xi32>
}

// What contradicts is left to fail where it stands.
// CHECK-LABEL: @contradictory_casts_stay
func.func @contradictory_casts_stay(%lhs: tensor<16x64xf32>, %rhs: tensor<8x64x32xf32>,
    %offsets: tensor<8xi32>) -> tensor<16x32xf32> {
  // CHECK: %[[OFFSETS:.*]] = tensor.cast
  // CHECK: moe.grouped_matmul %arg0, %arg1, %[[OFFSETS]]
  %0 = tensor.cast %offsets : tensor<8xi32> to tensor<?xi32>
  %result = moe.grouped_matmul %lhs, %rhs, %0
    : tensor<16x64xf32>, tensor<8x64x32xf32>, tensor<?xi32> -> tensor<16x32xf32>
  return %result : tensor<16x32xf32>
}
