// RUN: moe-opt %s -split-input-file -verify-diagnostics

// grouped_outer_c1
func.func @experts_dynamic(%lhs: tensor<?x4xf32>, %rhs: tensor<?x3xf32>, %offsets: tensor<?xi32>) {
  // expected-error @+1 {{'moe.grouped_outer' op expected offsets to have a static number of elements (experts + 1) in [2, 1025], but got ?}}
  %result = moe.grouped_outer %lhs, %rhs, %offsets
    : tensor<?x4xf32>, tensor<?x3xf32>, tensor<?xi32> -> tensor<2x4x3xf32>
  return
}

// -----

// grouped_outer_c1
func.func @experts_too_many(%lhs: tensor<?x4xf32>, %rhs: tensor<?x3xf32>, %offsets: tensor<1026xi32>) {
  // expected-error @+1 {{'moe.grouped_outer' op expected offsets to have a static number of elements (experts + 1) in [2, 1025], but got 1026}}
  %result = moe.grouped_outer %lhs, %rhs, %offsets
    : tensor<?x4xf32>, tensor<?x3xf32>, tensor<1026xi32> -> tensor<1025x4x3xf32>
  return
}

// -----

// grouped_outer_c2
func.func @rows_differ(%lhs: tensor<6x4xf32>, %rhs: tensor<5x3xf32>, %offsets: tensor<3xi32>) {
  // expected-error @+1 {{'moe.grouped_outer' op expected rhs to have 6 rows (dim 0), as lhs has, but got 5}}
  %result = moe.grouped_outer %lhs, %rhs, %offsets
    : tensor<6x4xf32>, tensor<5x3xf32>, tensor<3xi32> -> tensor<2x4x3xf32>
  return
}

// -----

// grouped_outer_c3
func.func @lhs_width_dynamic(%lhs: tensor<?x?xf32>, %rhs: tensor<?x3xf32>, %offsets: tensor<3xi32>) {
  // expected-error @+1 {{'moe.grouped_outer' op expected lhs to have a static width (dim 1) of at least 1, but got ?}}
  %result = moe.grouped_outer %lhs, %rhs, %offsets
    : tensor<?x?xf32>, tensor<?x3xf32>, tensor<3xi32> -> tensor<2x4x3xf32>
  return
}

// -----

// grouped_outer_c3
func.func @rhs_width_zero(%lhs: tensor<?x4xf32>, %rhs: tensor<?x0xf32>, %offsets: tensor<3xi32>) {
  // expected-error @+1 {{'moe.grouped_outer' op expected rhs to have a static width (dim 1) of at least 1, but got 0}}
  %result = moe.grouped_outer %lhs, %rhs, %offsets
    : tensor<?x4xf32>, tensor<?x0xf32>, tensor<3xi32> -> tensor<2x4x3xf32>
  return
}

// -----

// grouped_outer_c4
func.func @element_types_differ(%lhs: tensor<?x4xf32>, %rhs: tensor<?x3xf16>, %offsets: tensor<3xi32>) {
  // expected-error @+1 {{'moe.grouped_outer' op expected rhs to have elements of 'f32', as lhs has, but got 'f16'}}
  %result = moe.grouped_outer %lhs, %rhs, %offsets
    : tensor<?x4xf32>, tensor<?x3xf16>, tensor<3xi32> -> tensor<2x4x3xf32>
  return
}

// -----

// grouped_outer_c5
func.func @init_of_another_shape(%lhs: tensor<?x4xf32>, %rhs: tensor<?x3xf32>, %offsets: tensor<3xi32>, %init: tensor<2x3x4xf32>) {
  // expected-error @+1 {{'moe.grouped_outer' op expected init to be 2x4x3 (experts x width of lhs x width of rhs), but got 2x3x4}}
  %result = moe.grouped_outer %lhs, %rhs, %offsets init %init
    : tensor<?x4xf32>, tensor<?x3xf32>, tensor<3xi32>, tensor<2x3x4xf32> -> tensor<2x4x3xf32>
  return
}

// -----

// grouped_outer_c5
func.func @init_of_another_type(%lhs: tensor<?x4xf16>, %rhs: tensor<?x3xf16>, %offsets: tensor<3xi32>, %init: tensor<2x4x3xf16>) {
  // expected-error @+1 {{'moe.grouped_outer' op expected init to have elements of 'f32', as the result has, but got 'f16'}}
  %result = moe.grouped_outer %lhs, %rhs, %offsets init %init
    : tensor<?x4xf16>, tensor<?x3xf16>, tensor<3xi32>, tensor<2x4x3xf16> -> tensor<2x4x3xf32>
  return
}

// -----

// grouped_outer_c6
func.func @result_of_a_third_type(%lhs: tensor<?x4xf16>, %rhs: tensor<?x3xf16>, %offsets: tensor<3xi32>) {
  // expected-error @+1 {{'moe.grouped_outer' op expected the result to have elements of 'f16' or 'f32', but got 'bf16'}}
  %result = moe.grouped_outer %lhs, %rhs, %offsets
    : tensor<?x4xf16>, tensor<?x3xf16>, tensor<3xi32> -> tensor<2x4x3xbf16>
  return
}

// -----

func.func @result_of_another_shape(%lhs: tensor<?x4xf32>, %rhs: tensor<?x3xf32>, %offsets: tensor<3xi32>) {
  // expected-error @+1 {{'moe.grouped_outer' op expected result to be 'tensor<2x4x3xf32>', but got 'tensor<2x3x4xf32>'}}
  %result = moe.grouped_outer %lhs, %rhs, %offsets
    : tensor<?x4xf32>, tensor<?x3xf32>, tensor<3xi32> -> tensor<2x3x4xf32>
  return
}
