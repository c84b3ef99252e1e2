// RUN: moe-opt %s -split-input-file -verify-diagnostics

// check_maps_c1
func.func @choices_dynamic(%slot_to_row: tensor<4x?xi32>, %row_to_slot: tensor<?xi32>) {
  // expected-error @+1 {{'moe.check_maps' op expected slot_to_row to have a static number of choices (dim 1) of at least 1, but got ?}}
  %0, %1 = moe.check_maps %slot_to_row, %row_to_slot : tensor<4x?xi32>, tensor<?xi32>
  return
}

// -----

// check_maps_c1
func.func @choices_none(%slot_to_row: tensor<4x0xi32>, %row_to_slot: tensor<0xi32>) {
  // expected-error @+1 {{'moe.check_maps' op expected slot_to_row to have a static number of choices (dim 1) of at least 1, but got 0}}
  %0, %1 = moe.check_maps %slot_to_row, %row_to_slot : tensor<4x0xi32>, tensor<0xi32>
  return
}

// -----

// check_maps_c2
func.func @rows_not_slots(%slot_to_row: tensor<4x2xi32>, %row_to_slot: tensor<9xi32>) {
  // expected-error @+1 {{'moe.check_maps' op expected row_to_slot to have 8 elements (tokens * top_k), but got 9}}
  %0, %1 = moe.check_maps %slot_to_row, %row_to_slot : tensor<4x2xi32>, tensor<9xi32>
  return
}

// -----

func.func @slot_to_row_not_a_matrix(%slot_to_row: tensor<8xi32>, %row_to_slot: tensor<8xi32>) {
  // expected-error @+1 {{'moe.check_maps' op operand #0 must be matrix of i32}}
  %0:2 = "moe.check_maps"(%slot_to_row, %row_to_slot) : (tensor<8xi32>, tensor<8xi32>) -> (tensor<4x2xi32>, tensor<8xi32>)
  return
}

// -----

func.func @row_to_slot_not_a_vector(%slot_to_row: tensor<4x2xi32>, %row_to_slot: tensor<4x2xi32>) {
  // expected-error @+1 {{'moe.check_maps' op operand #1 must be vector of i32}}
  %0:2 = "moe.check_maps"(%slot_to_row, %row_to_slot) : (tensor<4x2xi32>, tensor<4x2xi32>) -> (tensor<4x2xi32>, tensor<8xi32>)
  return
}

// -----

func.func @checked_slot_to_row_less_static(%slot_to_row: tensor<4x2xi32>, %row_to_slot: tensor<8xi32>) {
  // expected-error @+1 {{'moe.check_maps' op expected checked_slot_to_row to be 'tensor<4x2xi32>', but got 'tensor<?x2xi32>'}}
  %0:2 = "moe.check_maps"(%slot_to_row, %row_to_slot) : (tensor<4x2xi32>, tensor<8xi32>) -> (tensor<?x2xi32>, tensor<8xi32>)
  return
}

// -----

func.func @checked_row_to_slot_of_another_length(%slot_to_row: tensor<4x2xi32>, %row_to_slot: tensor<8xi32>) {
  // expected-error @+1 {{'moe.check_maps' op expected checked_row_to_slot to be 'tensor<8xi32>', but got 'tensor<9xi32>'}}
  %0:2 = "moe.check_maps"(%slot_to_row, %row_to_slot) : (tensor<4x2xi32>, tensor<8xi32>) -> (tensor<4x2xi32>, tensor<9xi32>)
  return
}
