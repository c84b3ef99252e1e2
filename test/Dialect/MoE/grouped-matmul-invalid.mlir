// RUN: moe-opt %s -split-input-file -verify-diagnostics

// grouped_matmul_c1
func.func @experts_dynamic(%lhs: tensor<?x64xf32>, %rhs: tensor<?x64x32xf32>,
    %offsets: tensor<9xi32>) {
  // expected-error @+1 {{'moe.grouped_matmul' op expected rhs to have a static number of experts (dim 0) in [1, 1024], but got ?}}
  %result = moe.grouped_matmul %lhs, %rhs, %offsets
    : tensor<?x64xf32>, tensor<?x64x32xf32>, tensor<9xi32> -> tensor<?x32xf32>
  return
}

// -----

// grouped_matmul_c2
func.func @offsets_length_not_experts_plus_one(%lhs: tensor<?x64xf32>, %rhs: tensor<8x64x32xf32>,
    %offsets: tensor<8xi32>) {
  // expected-error @+1 {{'moe.grouped_matmul' op expected offsets to have 9 elements (experts + 1), but got 8}}
  %result = moe.grouped_matmul %lhs, %rhs, %offsets
    : tensor<?x64xf32>, tensor<8x64x32xf32>, tensor<8xi32> -> tensor<?x32xf32>
  return
}

// -----

// grouped_matmul_c3
func.func @lhs_width_dynamic(%lhs: tensor<?x?xf32>, %rhs: tensor<8x64x32xf32>,
    %offsets: tensor<9xi32>) {
  // expected-error @+1 {{'moe.grouped_matmul' op expected lhs to have a static width (dim 1), but got ?}}
  %result = moe.grouped_matmul %lhs, %rhs, %offsets
    : tensor<?x?xf32>, tensor<8x64x32xf32>, tensor<9xi32> -> tensor<?x32xf32>
  return
}

// -----

// grouped_matmul_c3
func.func @input_features_dynamic(%lhs: tensor<?x64xf32>, %rhs: tensor<8x?x32xf32>,
    %offsets: tensor<9xi32>) {
  // expected-error @+1 {{'moe.grouped_matmul' op expected rhs to have 64 input features (dim 1), as lhs has, but got ?}}
  %result = moe.grouped_matmul %lhs, %rhs, %offsets
    : tensor<?x64xf32>, tensor<8x?x32xf32>, tensor<9xi32> -> tensor<?x32xf32>
  return
}

// -----

// grouped_matmul_c3
func.func @input_features_not_width_of_lhs(%lhs: tensor<?x64xf32>, %rhs: tensor<8x63x32xf32>,
    %offsets: tensor<9xi32>) {
  // expected-error @+1 {{'moe.grouped_matmul' op expected rhs to have 64 input features (dim 1), as lhs has, but got 63}}
  %result = moe.grouped_matmul %lhs, %rhs, %offsets
    : tensor<?x64xf32>, tensor<8x63x32xf32>, tensor<9xi32> -> tensor<?x32xf32>
  return
}

// -----

// grouped_matmul_c3
func.func @input_features_of_transposed_rhs(%lhs: tensor<?x64xf32>, %rhs: tensor<8x64x32xf32>,
    %offsets: tensor<9xi32>) {
  // expected-error @+1 {{'moe.grouped_matmul' op expected rhs to have 64 input features (dim 2), as lhs has, but got 32}}
  %result = moe.grouped_matmul %lhs, %rhs, %offsets {transpose_rhs}
    : tensor<?x64xf32>, tensor<8x64x32xf32>, tensor<9xi32> -> tensor<?x32xf32>
  return
}

// -----

// grouped_matmul_c4
func.func @bias_not_experts_by_features(%lhs: tensor<?x64xf32>, %rhs: tensor<8x64x32xf32>,
    %offsets: tensor<9xi32>, %bias: tensor<8x64xf32>) {
  // expected-error @+1 {{'moe.grouped_matmul' op expected bias to be 8x32 (experts x output features), but got 8x64}}
  %result = moe.grouped_matmul %lhs, %rhs, %offsets bias %bias
    : tensor<?x64xf32>, tensor<8x64x32xf32>, tensor<9xi32>, tensor<8x64xf32> -> tensor<?x32xf32>
  return
}

// -----

// grouped_matmul_c5
func.func @rhs_of_another_type(%lhs: tensor<?x64xf32>, %rhs: tensor<8x64x32xf16>,
    %offsets: tensor<9xi32>) {
  // expected-error @+1 {{'moe.grouped_matmul' op expected rhs to have elements of 'f32', as lhs has, but got 'f16'}}
  %result = moe.grouped_matmul %lhs, %rhs, %offsets
    : tensor<?x64xf32>, tensor<8x64x32xf16>, tensor<9xi32> -> tensor<?x32xf32>
  return
}

// -----

// grouped_matmul_c5
func.func @bias_of_another_type(%lhs: tensor<?x64xf16>, %rhs: tensor<8x64x32xf16>,
    %offsets: tensor<9xi32>, %bias: tensor<8x32xf32>) {
  // expected-error @+1 {{'moe.grouped_matmul' op expected bias to have elements of 'f16', as lhs has, but got 'f32'}}
  %result = moe.grouped_matmul %lhs, %rhs, %offsets bias %bias
    : tensor<?x64xf16>, tensor<8x64x32xf16>, tensor<9xi32>, tensor<8x32xf32> -> tensor<?x32xf32>
  return
}

// -----

// grouped_matmul_c6
func.func @result_neither_as_lhs_nor_f32(%lhs: tensor<?x64xf16>, %rhs: tensor<8x64x32xf16>,
    %offsets: tensor<9xi32>) {
  // expected-error @+1 {{'moe.grouped_matmul' op expected the result to have elements of 'f16' or 'f32', but got 'bf16'}}
  %result = moe.grouped_matmul %lhs, %rhs, %offsets
    : tensor<?x64xf16>, tensor<8x64x32xf16>, tensor<9xi32> -> tensor<?x32xbf16>
  return
}

// -----

// grouped_matmul_c7
func.func @output_features_dynamic(%lhs: tensor<?x64xf32>, %rhs: tensor<8x64x?xf32>,
    %offsets: tensor<9xi32>) {
  // expected-error @+1 {{'moe.grouped_matmul' op expected rhs to have a static number of output features (dim 2) of at least 1, but got ?}}
  %result = moe.grouped_matmul %lhs, %rhs, %offsets
    : tensor<?x64xf32>, tensor<8x64x?xf32>, tensor<9xi32> -> tensor<?x32xf32>
  return
}

// -----

// grouped_matmul_c7
func.func @output_features_none_transposed(%lhs: tensor<?x64xf32>, %rhs: tensor<8x0x64xf32>,
    %offsets: tensor<9xi32>) {
  // expected-error @+1 {{'moe.grouped_matmul' op expected rhs to have a static number of output features (dim 1) of at least 1, but got 0}}
  %result = moe.grouped_matmul %lhs, %rhs, %offsets {transpose_rhs}
    : tensor<?x64xf32>, tensor<8x0x64xf32>, tensor<9xi32> -> tensor<?x32xf32>
  return
}

// -----

func.func @result_width_not_output_features(%lhs: tensor<?x64xf32>, %rhs: tensor<8x64x32xf32>,
    %offsets: tensor<9xi32>) {
  // expected-error @+1 {{'moe.grouped_matmul' op expected result to be 'tensor<?x32xf32>', but got 'tensor<?x64xf32>'}}
  %result = moe.grouped_matmul %lhs, %rhs, %offsets
    : tensor<?x64xf32>, tensor<8x64x32xf32>, tensor<9xi32> -> tensor<?x64xf32>
  return
}
