// RUN: moe-opt %s -split-input-file -verify-diagnostics

// combine_weight_grad_c1
func.func @row_to_slot_length_not_rows(%grad: tensor<?x64xf32>, %rows: tensor<8x64xf32>, %offsets: tensor<9xi32>, %slot_to_row: tensor<?x2xi32>, %row_to_slot: tensor<7xi32>) {
  // expected-error @+1 {{'moe.combine_weight_grad' op expected row_to_slot to have 8 elements (dim 0 of rows), but got 7}}
  %result = moe.combine_weight_grad %grad, %rows, %offsets, %slot_to_row, %row_to_slot
    : tensor<?x64xf32>, tensor<8x64xf32>, tensor<9xi32>, tensor<?x2xi32>, tensor<7xi32> -> tensor<?x2xf32>
  return
}

// -----

// combine_weight_grad_c1
func.func @rows_not_as_many_as_slots(%grad: tensor<?x64xf32>, %rows: tensor<6x64xf32>, %offsets: tensor<9xi32>, %slot_to_row: tensor<4x2xi32>, %row_to_slot: tensor<?xi32>) {
  // expected-error @+1 {{'moe.combine_weight_grad' op expected rows and row_to_slot to have 8 rows (tokens * top_k), but got 6}}
  %result = moe.combine_weight_grad %grad, %rows, %offsets, %slot_to_row, %row_to_slot
    : tensor<?x64xf32>, tensor<6x64xf32>, tensor<9xi32>, tensor<4x2xi32>, tensor<?xi32> -> tensor<?x2xf32>
  return
}

// -----

// combine_weight_grad_c2
func.func @tokens_differ(%grad: tensor<3x64xf32>, %rows: tensor<?x64xf32>, %offsets: tensor<9xi32>, %slot_to_row: tensor<4x2xi32>, %row_to_slot: tensor<?xi32>) {
  // expected-error @+1 {{'moe.combine_weight_grad' op expected slot_to_row to have 3 tokens (dim 0 of grad), but got 4}}
  %result = moe.combine_weight_grad %grad, %rows, %offsets, %slot_to_row, %row_to_slot
    : tensor<3x64xf32>, tensor<?x64xf32>, tensor<9xi32>, tensor<4x2xi32>, tensor<?xi32> -> tensor<?x2xf32>
  return
}

// -----

// combine_weight_grad_c3
func.func @width_dynamic(%grad: tensor<?x?xf32>, %rows: tensor<?x64xf32>, %offsets: tensor<9xi32>, %slot_to_row: tensor<?x2xi32>, %row_to_slot: tensor<?xi32>) {
  // expected-error @+1 {{'moe.combine_weight_grad' op expected grad to have a static width (dim 1) of at least 1, but got ?}}
  %result = moe.combine_weight_grad %grad, %rows, %offsets, %slot_to_row, %row_to_slot
    : tensor<?x?xf32>, tensor<?x64xf32>, tensor<9xi32>, tensor<?x2xi32>, tensor<?xi32> -> tensor<?x2xf32>
  return
}

// -----

// combine_weight_grad_c3
func.func @widths_differ(%grad: tensor<?x64xf32>, %rows: tensor<?x32xf32>, %offsets: tensor<9xi32>, %slot_to_row: tensor<?x2xi32>, %row_to_slot: tensor<?xi32>) {
  // expected-error @+1 {{'moe.combine_weight_grad' op expected rows to have a width (dim 1) of 64, as grad has, but got 32}}
  %result = moe.combine_weight_grad %grad, %rows, %offsets, %slot_to_row, %row_to_slot
    : tensor<?x64xf32>, tensor<?x32xf32>, tensor<9xi32>, tensor<?x2xi32>, tensor<?xi32> -> tensor<?x2xf32>
  return
}

// -----

// combine_weight_grad_c4
func.func @choices_too_many(%grad: tensor<?x64xf32>, %rows: tensor<?x64xf32>, %offsets: tensor<9xi32>, %slot_to_row: tensor<?x33xi32>, %row_to_slot: tensor<?xi32>) {
  // expected-error @+1 {{'moe.combine_weight_grad' op expected slot_to_row to have a static number of choices (dim 1) in [1, 32], but got 33}}
  %result = moe.combine_weight_grad %grad, %rows, %offsets, %slot_to_row, %row_to_slot
    : tensor<?x64xf32>, tensor<?x64xf32>, tensor<9xi32>, tensor<?x33xi32>, tensor<?xi32> -> tensor<?x2xf32>
  return
}

// -----

// combine_weight_grad_c5
func.func @offsets_of_no_expert(%grad: tensor<?x64xf32>, %rows: tensor<?x64xf32>, %offsets: tensor<1xi32>, %slot_to_row: tensor<?x2xi32>, %row_to_slot: tensor<?xi32>) {
  // expected-error @+1 {{'moe.combine_weight_grad' op expected offsets to have at least 2 elements (experts + 1), but got 1}}
  %result = moe.combine_weight_grad %grad, %rows, %offsets, %slot_to_row, %row_to_slot
    : tensor<?x64xf32>, tensor<?x64xf32>, tensor<1xi32>, tensor<?x2xi32>, tensor<?xi32> -> tensor<?x2xf32>
  return
}

// -----

// combine_weight_grad_c6
func.func @element_types_differ(%grad: tensor<?x64xf32>, %rows: tensor<?x64xf16>, %offsets: tensor<9xi32>, %slot_to_row: tensor<?x2xi32>, %row_to_slot: tensor<?xi32>) {
  // expected-error @+1 {{'moe.combine_weight_grad' op expected rows to have elements of 'f32', as grad has, but got 'f16'}}
  %result = moe.combine_weight_grad %grad, %rows, %offsets, %slot_to_row, %row_to_slot
    : tensor<?x64xf32>, tensor<?x64xf16>, tensor<9xi32>, tensor<?x2xi32>, tensor<?xi32> -> tensor<?x2xf32>
  return
}

// -----

func.func @result_of_other_choices(%grad: tensor<?x64xf32>, %rows: tensor<?x64xf32>, %offsets: tensor<9xi32>, %slot_to_row: tensor<?x2xi32>, %row_to_slot: tensor<?xi32>) {
  // expected-error @+1 {{'moe.combine_weight_grad' op expected result to be 'tensor<?x2xf32>', but got 'tensor<?x3xf32>'}}
  %result = moe.combine_weight_grad %grad, %rows, %offsets, %slot_to_row, %row_to_slot
    : tensor<?x64xf32>, tensor<?x64xf32>, tensor<9xi32>, tensor<?x2xi32>, tensor<?xi32> -> tensor<?x3xf32>
  return
}
