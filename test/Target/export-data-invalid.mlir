// RUN: moe-translate %s -split-input-file -verify-diagnostics --moe-to-bundle

moe_rt.program @complex_data {
  %bytes = arith.constant 16 : index
  // expected-error @+1 {{expected data of whole bytes, but got 'tensor<2xcomplex<f32>>'}}
  %w = moe_rt.buffer "w" <constant> bytes %bytes data dense<(1.0, 2.0)> : tensor<2xcomplex<f32>>
}

// -----

moe_rt.program @index_data {
  %bytes = arith.constant 16 : index
  // expected-error @+1 {{expected data of whole bytes, but got 'tensor<2xindex>'}}
  %w = moe_rt.buffer "w" <constant> bytes %bytes data dense<1> : tensor<2xindex>
}

// -----

moe_rt.program @data_that_is_one_value_repeated {
  %bytes = arith.constant 16 : index
  // expected-error @+1 {{expected a constant of at most 268435456 elements, but got 'tensor<4294967296xf32>'}}
  %w = moe_rt.buffer "w" <constant> bytes %bytes data dense<1.0> : tensor<4294967296xf32>
}
