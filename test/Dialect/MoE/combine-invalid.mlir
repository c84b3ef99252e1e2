// RUN: moe-opt %s -split-input-file -verify-diagnostics

// combine_c1
func.func @row_to_slot_length_not_rows(%rows: tensor<8x64xf32>, %offsets: tensor<9xi32>, %slot_to_row: tensor<?x2xi32>,
    %row_to_slot: tensor<7xi32>) {
  // expected-error @+1 {{'moe.combine' op expected row_to_slot to have 8 elements (dim 0 of rows), but got 7}}
  %result = moe.combine %rows, %offsets, %slot_to_row, %row_to_slot
    : tensor<8x64xf32>, tensor<9xi32>, tensor<?x2xi32>, tensor<7xi32> -> tensor<?x64xf32>
  return
}

// -----

// combine_c1
func.func @rows_not_as_many_as_slots(%rows: tensor<6x64xf32>, %offsets: tensor<9xi32>, %slot_to_row: tensor<4x2xi32>,
    %row_to_slot: tensor<?xi32>) {
  // expected-error @+1 {{'moe.combine' op expected rows and row_to_slot to have 8 rows (tokens * top_k), but got 6}}
  %result = moe.combine %rows, %offsets, %slot_to_row, %row_to_slot
    : tensor<6x64xf32>, tensor<9xi32>, tensor<4x2xi32>, tensor<?xi32> -> tensor<?x64xf32>
  return
}

// -----

// combine_c2
func.func @weights_not_per_slot(%rows: tensor<?x64xf32>, %offsets: tensor<9xi32>, %slot_to_row: tensor<4x2xi32>,
    %row_to_slot: tensor<?xi32>, %weights: tensor<3x2xf32>) {
  // expected-error @+1 {{'moe.combine' op expected weights to have the shape of slot_to_row, 4x2, but got 3x2}}
  %result = moe.combine %rows, %offsets, %slot_to_row, %row_to_slot weights %weights
    : tensor<?x64xf32>, tensor<9xi32>, tensor<4x2xi32>, tensor<?xi32>, tensor<3x2xf32> -> tensor<?x64xf32>
  return
}

// -----

// combine_c3
func.func @width_dynamic(%rows: tensor<?x?xf32>, %offsets: tensor<9xi32>, %slot_to_row: tensor<?x2xi32>,
    %row_to_slot: tensor<?xi32>) {
  // expected-error @+1 {{'moe.combine' op expected rows to have a static width (dim 1) of at least 1, but got ?}}
  %result = moe.combine %rows, %offsets, %slot_to_row, %row_to_slot
    : tensor<?x?xf32>, tensor<9xi32>, tensor<?x2xi32>, tensor<?xi32> -> tensor<?x64xf32>
  return
}

// -----

// combine_c3
func.func @width_zero(%rows: tensor<?x0xf32>, %offsets: tensor<9xi32>, %slot_to_row: tensor<?x2xi32>,
    %row_to_slot: tensor<?xi32>) {
  // expected-error @+1 {{'moe.combine' op expected rows to have a static width (dim 1) of at least 1, but got 0}}
  %result = moe.combine %rows, %offsets, %slot_to_row, %row_to_slot
    : tensor<?x0xf32>, tensor<9xi32>, tensor<?x2xi32>, tensor<?xi32> -> tensor<?x64xf32>
  return
}

// -----

// combine_c4
func.func @choices_dynamic(%rows: tensor<?x64xf32>, %offsets: tensor<9xi32>, %slot_to_row: tensor<?x?xi32>,
    %row_to_slot: tensor<?xi32>) {
  // expected-error @+1 {{'moe.combine' op expected slot_to_row to have a static number of choices (dim 1) in [1, 32], but got ?}}
  %result = moe.combine %rows, %offsets, %slot_to_row, %row_to_slot
    : tensor<?x64xf32>, tensor<9xi32>, tensor<?x?xi32>, tensor<?xi32> -> tensor<?x64xf32>
  return
}

// -----

// combine_c4
func.func @choices_too_many(%rows: tensor<?x64xf32>, %offsets: tensor<9xi32>, %slot_to_row: tensor<?x33xi32>,
    %row_to_slot: tensor<?xi32>) {
  // expected-error @+1 {{'moe.combine' op expected slot_to_row to have a static number of choices (dim 1) in [1, 32], but got 33}}
  %result = moe.combine %rows, %offsets, %slot_to_row, %row_to_slot
    : tensor<?x64xf32>, tensor<9xi32>, tensor<?x33xi32>, tensor<?xi32> -> tensor<?x64xf32>
  return
}

// -----

// combine_c5
func.func @offsets_of_no_expert(%rows: tensor<?x64xf32>, %offsets: tensor<1xi32>, %slot_to_row: tensor<?x2xi32>,
    %row_to_slot: tensor<?xi32>) {
  // expected-error @+1 {{'moe.combine' op expected offsets to have at least 2 elements (experts + 1), but got 1}}
  %result = moe.combine %rows, %offsets, %slot_to_row, %row_to_slot
    : tensor<?x64xf32>, tensor<1xi32>, tensor<?x2xi32>, tensor<?xi32> -> tensor<?x64xf32>
  return
}

// -----

func.func @result_of_another_type(%rows: tensor<?x64xf16>, %offsets: tensor<9xi32>, %slot_to_row: tensor<?x2xi32>,
    %row_to_slot: tensor<?xi32>) {
  // expected-error @+1 {{'moe.combine' op expected result to be 'tensor<?x64xf16>', but got 'tensor<?x64xf32>'}}
  %result = moe.combine %rows, %offsets, %slot_to_row, %row_to_slot
    : tensor<?x64xf16>, tensor<9xi32>, tensor<?x2xi32>, tensor<?xi32> -> tensor<?x64xf32>
  return
}

// -----

func.func @result_of_other_tokens(%rows: tensor<?x64xf32>, %offsets: tensor<9xi32>, %slot_to_row: tensor<4x2xi32>,
    %row_to_slot: tensor<?xi32>) {
  // expected-error @+1 {{'moe.combine' op expected result to be 'tensor<4x64xf32>', but got 'tensor<8x64xf32>'}}
  %result = moe.combine %rows, %offsets, %slot_to_row, %row_to_slot
    : tensor<?x64xf32>, tensor<9xi32>, tensor<4x2xi32>, tensor<?xi32> -> tensor<8x64xf32>
  return
}
