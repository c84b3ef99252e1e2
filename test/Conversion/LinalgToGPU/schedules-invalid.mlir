// RUN: moe-opt %s -split-input-file -verify-diagnostics --convert-moe-to-linalg --convert-linalg-to-gpu

// Parameters of a schedule that do not fit each other or the product.

func.func @columns_of_six(%x: tensor<?x8xf32>, %w: tensor<8x8xf32>, %c: tensor<?x8xf32>) -> tensor<?x8xf32> {
  // expected-error @+1 {{expected the schedule's columns to be a multiple of 16 (4 per lane), but got 6}}
  %0 = moe.kernel "product" (%a = %x : tensor<?x8xf32>, %m = %w : tensor<8x8xf32>, %i = %c : tensor<?x8xf32>) -> (tensor<?x8xf32>) schedule(#moe.schedule<matmul, lanes = 4, rows = 4, columns = 6>) {
    %y = linalg.matmul ins(%a, %m : tensor<?x8xf32>, tensor<8x8xf32>) outs(%i : tensor<?x8xf32>) -> tensor<?x8xf32>
    moe.yield %y : tensor<?x8xf32>
  }
  return %0 : tensor<?x8xf32>
}

// -----

func.func @slices_of_a_dense_product(%x: tensor<?x8xf32>, %w: tensor<8x16xf32>, %c: tensor<?x16xf32>) -> tensor<?x16xf32> {
  // expected-error @+1 {{expected a grouped matmul under a schedule with slices}}
  %0 = moe.kernel "product" (%a = %x : tensor<?x8xf32>, %m = %w : tensor<8x16xf32>, %i = %c : tensor<?x16xf32>) -> (tensor<?x16xf32>) schedule(#moe.schedule<matmul, lanes = 4, rows = 4, columns = 16, slice = 1>) {
    %y = linalg.matmul ins(%a, %m : tensor<?x8xf32>, tensor<8x16xf32>) outs(%i : tensor<?x16xf32>) -> tensor<?x16xf32>
    moe.yield %y : tensor<?x16xf32>
  }
  return %0 : tensor<?x16xf32>
}
