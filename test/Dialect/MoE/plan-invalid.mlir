// RUN: moe-opt %s -split-input-file -verify-diagnostics

// plan_c1
func.func @experts_zero(%indices: tensor<?x2xi32>) {
  // expected-error @+1 {{'moe.plan' op expected experts to be in [1, 1024], but got 0}}
  %offsets, %slot_to_row, %row_to_slot, %row_expert = moe.plan %indices {experts = 0 : i64}
    : tensor<?x2xi32> -> tensor<9xi32>, tensor<?x2xi32>, tensor<?xi32>, tensor<?xi32>
  return
}

// -----

// plan_c1
func.func @experts_too_many(%indices: tensor<?x2xi32>) {
  // expected-error @+1 {{'moe.plan' op expected experts to be in [1, 1024], but got 1025}}
  %offsets, %slot_to_row, %row_to_slot, %row_expert = moe.plan %indices {experts = 1025 : i64}
    : tensor<?x2xi32> -> tensor<9xi32>, tensor<?x2xi32>, tensor<?xi32>, tensor<?xi32>
  return
}

// -----

// plan_c2
func.func @choices_dynamic(%indices: tensor<?x?xi32>) {
  // expected-error @+1 {{'moe.plan' op expected indices to have a static number of choices (dim 1) in [1, 32], but got ?}}
  %offsets, %slot_to_row, %row_to_slot, %row_expert = moe.plan %indices {experts = 8 : i64}
    : tensor<?x?xi32> -> tensor<9xi32>, tensor<?x2xi32>, tensor<?xi32>, tensor<?xi32>
  return
}

// -----

// plan_c2
func.func @choices_none(%indices: tensor<?x0xi32>) {
  // expected-error @+1 {{'moe.plan' op expected indices to have a static number of choices (dim 1) in [1, 32], but got 0}}
  %offsets, %slot_to_row, %row_to_slot, %row_expert = moe.plan %indices {experts = 8 : i64}
    : tensor<?x0xi32> -> tensor<9xi32>, tensor<?x2xi32>, tensor<?xi32>, tensor<?xi32>
  return
}

// -----

// plan_c2
func.func @choices_too_many(%indices: tensor<?x33xi32>) {
  // expected-error @+1 {{'moe.plan' op expected indices to have a static number of choices (dim 1) in [1, 32], but got 33}}
  %offsets, %slot_to_row, %row_to_slot, %row_expert = moe.plan %indices {experts = 8 : i64}
    : tensor<?x33xi32> -> tensor<9xi32>, tensor<?x2xi32>, tensor<?xi32>, tensor<?xi32>
  return
}

// -----

func.func @offsets_length_not_experts_plus_one(%indices: tensor<?x2xi32>) {
  // expected-error @+1 {{'moe.plan' op expected offsets to be 'tensor<9xi32>', but got 'tensor<8xi32>'}}
  %offsets, %slot_to_row, %row_to_slot, %row_expert = moe.plan %indices {experts = 8 : i64}
    : tensor<?x2xi32> -> tensor<8xi32>, tensor<?x2xi32>, tensor<?xi32>, tensor<?xi32>
  return
}

// -----

func.func @slot_to_row_of_other_tokens(%indices: tensor<4x2xi32>) {
  // expected-error @+1 {{'moe.plan' op expected slot_to_row to be 'tensor<4x2xi32>', but got 'tensor<3x2xi32>'}}
  %offsets, %slot_to_row, %row_to_slot, %row_expert = moe.plan %indices {experts = 8 : i64}
    : tensor<4x2xi32> -> tensor<9xi32>, tensor<3x2xi32>, tensor<8xi32>, tensor<8xi32>
  return
}

// -----

func.func @row_to_slot_length_not_slots(%indices: tensor<4x2xi32>) {
  // expected-error @+1 {{'moe.plan' op expected row_to_slot to be 'tensor<8xi32>', but got 'tensor<4xi32>'}}
  %offsets, %slot_to_row, %row_to_slot, %row_expert = moe.plan %indices {experts = 8 : i64}
    : tensor<4x2xi32> -> tensor<9xi32>, tensor<4x2xi32>, tensor<4xi32>, tensor<8xi32>
  return
}

// -----

func.func @row_expert_length_not_slots(%indices: tensor<4x2xi32>) {
  // expected-error @+1 {{'moe.plan' op expected row_expert to be 'tensor<8xi32>', but got 'tensor<9xi32>'}}
  %offsets, %slot_to_row, %row_to_slot, %row_expert = moe.plan %indices {experts = 8 : i64}
    : tensor<4x2xi32> -> tensor<9xi32>, tensor<4x2xi32>, tensor<8xi32>, tensor<9xi32>
  return
}
