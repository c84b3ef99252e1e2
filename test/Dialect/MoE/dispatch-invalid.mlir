// RUN: moe-opt %s -split-input-file -verify-diagnostics

// dispatch_c1
func.func @slot_to_row_of_other_tokens(%x: tensor<4x64xf32>, %offsets: tensor<9xi32>, %slot_to_row: tensor<5x2xi32>,
    %row_to_slot: tensor<?xi32>) {
  // expected-error @+1 {{'moe.dispatch' op expected slot_to_row to have 4 tokens (dim 0 of x), but got 5}}
  %rows = moe.dispatch %x, %offsets, %slot_to_row, %row_to_slot
    : tensor<4x64xf32>, tensor<9xi32>, tensor<5x2xi32>, tensor<?xi32> -> tensor<?x64xf32>
  return
}

// -----

// dispatch_c2
func.func @row_to_slot_length_not_slots(%x: tensor<4x64xf32>, %offsets: tensor<9xi32>, %slot_to_row: tensor<?x2xi32>,
    %row_to_slot: tensor<7xi32>) {
  // expected-error @+1 {{'moe.dispatch' op expected row_to_slot to have 8 elements (tokens * top_k), but got 7}}
  %rows = moe.dispatch %x, %offsets, %slot_to_row, %row_to_slot
    : tensor<4x64xf32>, tensor<9xi32>, tensor<?x2xi32>, tensor<7xi32> -> tensor<?x64xf32>
  return
}

// -----

// dispatch_c2
func.func @row_to_slot_length_not_slots_of_the_map(%x: tensor<?x64xf32>, %offsets: tensor<9xi32>, %slot_to_row: tensor<4x2xi32>,
    %row_to_slot: tensor<4xi32>) {
  // expected-error @+1 {{'moe.dispatch' op expected row_to_slot to have 8 elements (tokens * top_k), but got 4}}
  %rows = moe.dispatch %x, %offsets, %slot_to_row, %row_to_slot
    : tensor<?x64xf32>, tensor<9xi32>, tensor<4x2xi32>, tensor<4xi32> -> tensor<?x64xf32>
  return
}

// -----

// dispatch_c3
func.func @weights_not_per_slot(%x: tensor<?x64xf32>, %offsets: tensor<9xi32>, %slot_to_row: tensor<?x2xi32>,
    %row_to_slot: tensor<?xi32>, %weights: tensor<?x3xf32>) {
  // expected-error @+1 {{'moe.dispatch' op expected weights to have the shape of slot_to_row, ?x2, but got ?x3}}
  %rows = moe.dispatch %x, %offsets, %slot_to_row, %row_to_slot weights %weights
    : tensor<?x64xf32>, tensor<9xi32>, tensor<?x2xi32>, tensor<?xi32>, tensor<?x3xf32> -> tensor<?x64xf32>
  return
}

// -----

// dispatch_c4
func.func @width_dynamic(%x: tensor<?x?xf32>, %offsets: tensor<9xi32>, %slot_to_row: tensor<?x2xi32>,
    %row_to_slot: tensor<?xi32>) {
  // expected-error @+1 {{'moe.dispatch' op expected x to have a static width (dim 1) of at least 1, but got ?}}
  %rows = moe.dispatch %x, %offsets, %slot_to_row, %row_to_slot
    : tensor<?x?xf32>, tensor<9xi32>, tensor<?x2xi32>, tensor<?xi32> -> tensor<?x64xf32>
  return
}

// -----

// dispatch_c4
func.func @width_zero(%x: tensor<?x0xf32>, %offsets: tensor<9xi32>, %slot_to_row: tensor<?x2xi32>,
    %row_to_slot: tensor<?xi32>) {
  // expected-error @+1 {{'moe.dispatch' op expected x to have a static width (dim 1) of at least 1, but got 0}}
  %rows = moe.dispatch %x, %offsets, %slot_to_row, %row_to_slot
    : tensor<?x0xf32>, tensor<9xi32>, tensor<?x2xi32>, tensor<?xi32> -> tensor<?x0xf32>
  return
}

// -----

// dispatch_c5
func.func @offsets_of_no_expert(%x: tensor<?x64xf32>, %offsets: tensor<1xi32>, %slot_to_row: tensor<?x2xi32>,
    %row_to_slot: tensor<?xi32>) {
  // expected-error @+1 {{'moe.dispatch' op expected offsets to have at least 2 elements (experts + 1), but got 1}}
  %rows = moe.dispatch %x, %offsets, %slot_to_row, %row_to_slot
    : tensor<?x64xf32>, tensor<1xi32>, tensor<?x2xi32>, tensor<?xi32> -> tensor<?x64xf32>
  return
}

// -----

func.func @rows_of_another_type(%x: tensor<?x64xf32>, %offsets: tensor<9xi32>, %slot_to_row: tensor<?x2xi32>,
    %row_to_slot: tensor<?xi32>) {
  // expected-error @+1 {{'moe.dispatch' op expected rows to be 'tensor<?x64xf32>', but got 'tensor<?x64xf16>'}}
  %rows = moe.dispatch %x, %offsets, %slot_to_row, %row_to_slot
    : tensor<?x64xf32>, tensor<9xi32>, tensor<?x2xi32>, tensor<?xi32> -> tensor<?x64xf16>
  return
}

// -----

func.func @rows_not_as_many_as_slots(%x: tensor<4x64xf32>, %offsets: tensor<9xi32>, %slot_to_row: tensor<?x2xi32>,
    %row_to_slot: tensor<?xi32>) {
  // expected-error @+1 {{'moe.dispatch' op expected rows to be 'tensor<8x64xf32>', but got 'tensor<4x64xf32>'}}
  %rows = moe.dispatch %x, %offsets, %slot_to_row, %row_to_slot
    : tensor<4x64xf32>, tensor<9xi32>, tensor<?x2xi32>, tensor<?xi32> -> tensor<4x64xf32>
  return
}
