// RUN: moe-opt %s -split-input-file -verify-diagnostics --convert-moe-to-linalg

func.func @tiles_without_a_table(%x: tensor<?x8xf32>, %w: tensor<2x8x4xf32>, %offsets: tensor<3xi32>) -> tensor<?x4xf32> {
  %0 = moe.kernel "up" (%a = %x : tensor<?x8xf32>, %m = %w : tensor<2x8x4xf32>, %o = %offsets : tensor<3xi32>) -> (tensor<?x4xf32>) schedule(#moe.schedule<matmul, lanes = 8, rows = 4, columns = 32>) {
    // expected-error @+1 {{expected the last input of its kernel to be a table of tiles, but got another: run --moe-materialize-tiles first}}
    %y = moe.grouped_matmul %a, %m, %o : tensor<?x8xf32>, tensor<2x8x4xf32>, tensor<3xi32> -> tensor<?x4xf32>
    moe.yield %y : tensor<?x4xf32>
  }
  return %0 : tensor<?x4xf32>
}

// -----

func.func @tiles_of_f16(%x: tensor<?x8xf16>, %w: tensor<2x8x4xf16>, %offsets: tensor<3xi32>, %table: tensor<?x3xi32>) -> tensor<?x4xf16> {
  %0 = moe.kernel "up" (%a = %x : tensor<?x8xf16>, %m = %w : tensor<2x8x4xf16>, %o = %offsets : tensor<3xi32>, %t = %table : tensor<?x3xi32>) -> (tensor<?x4xf16>) schedule(#moe.schedule<matmul, lanes = 8, rows = 4, columns = 32>) {
    // expected-error @+1 {{has no form in linalg: expected a static number of slots per token, and f32 under a schedule of tiles, but got ('tensor<?x8xf16>', 'tensor<2x8x4xf16>', 'tensor<3xi32>')}}
    %y = moe.grouped_matmul %a, %m, %o : tensor<?x8xf16>, tensor<2x8x4xf16>, tensor<3xi32> -> tensor<?x4xf16>
    moe.yield %y : tensor<?x4xf16>
  }
  return %0 : tensor<?x4xf16>
}

// -----

func.func @slots_per_token_unknown(%x: tensor<?x8xf32>, %offsets: tensor<3xi32>, %s2r: tensor<?x?xi32>, %r2s: tensor<?xi32>) -> tensor<?x8xf32> {
  // expected-error @+1 {{has no form in linalg: expected a static number of slots per token}}
  %rows = moe.dispatch %x, %offsets, %s2r, %r2s : tensor<?x8xf32>, tensor<3xi32>, tensor<?x?xi32>, tensor<?xi32> -> tensor<?x8xf32>
  return %rows : tensor<?x8xf32>
}
