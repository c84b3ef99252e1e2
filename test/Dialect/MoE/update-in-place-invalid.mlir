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

// -----

func.func @read_transposed_by_hand(%w: tensor<4x4xf32> {moe.aliases_result = 0 : i64}) -> tensor<4x4xf32> {
  // expected-error @+1 {{'moe.kernel' op expected to read argument 0, which it updates, only at the positions that it writes, but got another use}}
  %y = moe.kernel "k" (%a = %w : tensor<4x4xf32>) -> (tensor<4x4xf32>) updates [0] {
    %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>],
                         iterator_types = ["parallel", "parallel"]}
        ins(%a : tensor<4x4xf32>) outs(%a : tensor<4x4xf32>) {
    ^bb0(%p: f32, %q: f32):
      %s = arith.addf %p, %q : f32
      linalg.yield %s : f32
    } -> tensor<4x4xf32>
    moe.yield %r : tensor<4x4xf32>
  }
  return %y : tensor<4x4xf32>
}
