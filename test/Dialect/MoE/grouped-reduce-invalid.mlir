// RUN: moe-opt %s -split-input-file -verify-diagnostics

// grouped_reduce_c1
func.func @experts_dynamic(%rows: tensor<?x4xf32>, %offsets: tensor<?xi32>) {
  // expected-error @+1 {{'moe.grouped_reduce' op expected offsets to have a static number of elements (experts + 1) in [2, 1025], but got ?}}
  %result = moe.grouped_reduce %rows, %offsets
    : tensor<?x4xf32>, tensor<?xi32> -> tensor<2x4xf32>
  return
}

// -----

// grouped_reduce_c1
func.func @no_expert(%rows: tensor<?x4xf32>, %offsets: tensor<1xi32>) {
  // expected-error @+1 {{'moe.grouped_reduce' op expected offsets to have a static number of elements (experts + 1) in [2, 1025], but got 1}}
  %result = moe.grouped_reduce %rows, %offsets
    : tensor<?x4xf32>, tensor<1xi32> -> tensor<2x4xf32>
  return
}

// -----

// grouped_reduce_c2
func.func @width_dynamic(%rows: tensor<?x?xf32>, %offsets: tensor<3xi32>) {
  // expected-error @+1 {{'moe.grouped_reduce' op expected rows to have a static width (dim 1) of at least 1, but got ?}}
  %result = moe.grouped_reduce %rows, %offsets
    : tensor<?x?xf32>, tensor<3xi32> -> tensor<2x4xf32>
  return
}

// -----

// grouped_reduce_c2
func.func @width_zero(%rows: tensor<?x0xf32>, %offsets: tensor<3xi32>) {
  // expected-error @+1 {{'moe.grouped_reduce' op expected rows to have a static width (dim 1) of at least 1, but got 0}}
  %result = moe.grouped_reduce %rows, %offsets
    : tensor<?x0xf32>, tensor<3xi32> -> tensor<2x4xf32>
  return
}

// -----

func.func @result_of_another_shape(%rows: tensor<?x4xf32>, %offsets: tensor<3xi32>) {
  // expected-error @+1 {{'moe.grouped_reduce' op expected result to be 'tensor<2x4xf32>', but got 'tensor<3x4xf32>'}}
  %result = moe.grouped_reduce %rows, %offsets
    : tensor<?x4xf32>, tensor<3xi32> -> tensor<3x4xf32>
  return
}
