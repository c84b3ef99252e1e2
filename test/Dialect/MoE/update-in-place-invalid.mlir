// RUN: moe-opt %s -split-input-file -verify-diagnostics --moe-update-in-place

// expected-error @+1 {{expected the result that argument 1 aliases to be the result of a kernel: run --moe-form-kernels first}}
func.func @no_kernel(%x: tensor<4xf32>, %w: tensor<4xf32> {moe.aliases_result = 0 : i64}) -> tensor<4xf32> {
  %y = arith.addf %w, %x : tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

// expected-error @+1 {{expected the result that argument 0 aliases to be the result of a kernel: run --moe-form-kernels first}}
func.func @argument(%w: tensor<4xf32> {moe.aliases_result = 0 : i64}) -> tensor<4xf32> {
  return %w : tensor<4xf32>
}
