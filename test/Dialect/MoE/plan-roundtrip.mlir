// RUN: moe-opt %s | moe-opt | FileCheck %s

// CHECK-LABEL: @dynamic_tokens
func.func @dynamic_tokens(%indices: tensor<?x2xi32>) -> tensor<9xi32> {
  // CHECK: moe.plan %arg0 {experts = 8 : i64} : tensor<?x2xi32>
  // CHECK-SAME: -> tensor<9xi32>, tensor<?x2xi32>, tensor<?xi32>, tensor<?xi32>
  %offsets, %slot_to_row, %row_to_slot, %row_expert = moe.plan %indices {experts = 8 : i64}
    : tensor<?x2xi32> -> tensor<9xi32>, tensor<?x2xi32>, tensor<?xi32>, tensor<?xi32>
  return %offsets : tensor<9xi32>
}

// CHECK-LABEL: @static_tokens_drop
func.func @static_tokens_drop(%indices: tensor<4x2xi32>) -> tensor<8xi32> {
  // CHECK: moe.plan %arg0 {experts = 1 : i64, out_of_range = #moe.out_of_range<drop>}
  // CHECK-SAME: tensor<4x2xi32> -> tensor<2xi32>, tensor<4x2xi32>, tensor<8xi32>, tensor<8xi32>
  %offsets, %slot_to_row, %row_to_slot, %row_expert = moe.plan %indices {
      experts = 1 : i64, out_of_range = #moe.out_of_range<drop>}
    : tensor<4x2xi32> -> tensor<2xi32>, tensor<4x2xi32>, tensor<8xi32>, tensor<8xi32>
  return %row_expert : tensor<8xi32>
}

// CHECK-LABEL: @default_is_not_printed
func.func @default_is_not_printed(%indices: tensor<0x1xi32>) -> tensor<0xi32> {
  // CHECK: moe.plan %arg0 {experts = 8 : i64} : tensor<0x1xi32>
  %offsets, %slot_to_row, %row_to_slot, %row_expert = moe.plan %indices {
      experts = 8 : i64, out_of_range = #moe.out_of_range<error>}
    : tensor<0x1xi32> -> tensor<9xi32>, tensor<0x1xi32>, tensor<0xi32>, tensor<0xi32>
  return %row_to_slot : tensor<0xi32>
}

// A product of static sizes that no i64 holds is left dynamic.
// CHECK-LABEL: @slots_beyond_i64
func.func @slots_beyond_i64(%indices: tensor<4611686018427387904x4xi32>) {
  // CHECK: moe.plan
  %offsets, %slot_to_row, %row_to_slot, %row_expert = moe.plan %indices {experts = 8 : i64}
    : tensor<4611686018427387904x4xi32>
    -> tensor<9xi32>, tensor<4611686018427387904x4xi32>, tensor<?xi32>, tensor<?xi32>
  return
}
