// RUN: moe-opt %s -split-input-file -verify-diagnostics --convert-linalg-to-gpu

// Kernels that their schedule's family cannot lower.

#id = affine_map<(d0, d1) -> (d0, d1)>

func.func @vectors_of_rows_of_six(%x: tensor<?x6xf32>) -> tensor<?x6xf32> {
  // expected-error @+1 {{expected rows of whole vectors of 4 elements, as its schedule says, but got 'tensor<?x6xf32>'}}
  %0 = moe.kernel "copy" (%a = %x : tensor<?x6xf32>) -> (tensor<?x6xf32>) schedule(#moe.schedule<elementwise, vector = 4>) {
    moe.yield %a : tensor<?x6xf32>
  }
  return %0 : tensor<?x6xf32>
}

// -----

func.func @results_of_two_sizes(%x: tensor<4xf32>, %y: tensor<5xf32>) -> (tensor<4xf32>, tensor<5xf32>) {
  // expected-error @+1 {{expected elementwise results of one size, but got 'tensor<4xf32>' and 'tensor<5xf32>'}}
  %0:2 = moe.kernel "copy" (%a = %x : tensor<4xf32>, %b = %y : tensor<5xf32>) -> (tensor<4xf32>, tensor<5xf32>) schedule(#moe.schedule<elementwise>) {
    moe.yield %a, %b : tensor<4xf32>, tensor<5xf32>
  }
  return %0#0, %0#1 : tensor<4xf32>, tensor<5xf32>
}

// -----

func.func @product_element_by_element(%x: tensor<?x8xf32>, %w: tensor<8x4xf32>, %c: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %0 = moe.kernel "product" (%a = %x : tensor<?x8xf32>, %m = %w : tensor<8x4xf32>, %i = %c : tensor<?x4xf32>) -> (tensor<?x4xf32>) schedule(#moe.schedule<elementwise>) {
    // expected-error @+1 {{cannot be computed inside another kernel}}
    %y = linalg.matmul ins(%a, %m : tensor<?x8xf32>, tensor<8x4xf32>) outs(%i : tensor<?x4xf32>) -> tensor<?x4xf32>
    moe.yield %y : tensor<?x4xf32>
  }
  return %0 : tensor<?x4xf32>
}

// -----

func.func @branch_in_a_body(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = moe.kernel "branch" (%a = %x : tensor<4xf32>) -> (tensor<4xf32>) schedule(#moe.schedule<elementwise>) {
    %y = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%a : tensor<4xf32>) {
    ^bb0(%p: f32):
      %c = arith.cmpf ogt, %p, %p : f32
      // expected-error @+1 {{'scf.if' op is not supported in the body of a kernel}}
      %v = scf.if %c -> f32 {
        scf.yield %p : f32
      } else {
        scf.yield %p : f32
      }
      linalg.yield %v : f32
    } -> tensor<4xf32>
    moe.yield %y : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// -----

func.func @two_roots(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // expected-error @+1 {{expected a reduction kernel to yield all results of one linalg.generic}}
  %0 = moe.kernel "reduce" (%a = %x : tensor<4x8xf32>) -> (tensor<4x8xf32>) schedule(#moe.schedule<reduce>) {
    moe.yield %a : tensor<4x8xf32>
  }
  return %0 : tensor<4x8xf32>
}

// -----

func.func @result_along_a_reduced_loop(%x: tensor<4x8xf32>, %s: tensor<4xf32>) -> (tensor<4xf32>, tensor<4x8xf32>) {
  %0:2 = moe.kernel "reduce" (%a = %x : tensor<4x8xf32>, %b = %s : tensor<4xf32>) -> (tensor<4xf32>, tensor<4x8xf32>) schedule(#moe.schedule<reduce>) {
    // expected-error @+1 {{expected outputs indexed by parallel loops alone}}
    %y:2 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "reduction"]}
        outs(%b, %a : tensor<4xf32>, tensor<4x8xf32>) {
    ^bb0(%sum: f32, %p: f32):
      %next = arith.addf %sum, %p : f32
      linalg.yield %next, %next : f32, f32
    } -> (tensor<4xf32>, tensor<4x8xf32>)
    moe.yield %y#0, %y#1 : tensor<4xf32>, tensor<4x8xf32>
  }
  return %0#0, %0#1 : tensor<4xf32>, tensor<4x8xf32>
}

// -----

func.func @product_without_tiles(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // expected-error @+1 {{expected a matmul kernel to hold an scf.forall over tiles and column tiles}}
  %0 = moe.kernel "product" (%a = %x : tensor<4x8xf32>) -> (tensor<4x8xf32>) schedule(#moe.schedule<matmul>) {
    moe.yield %a : tensor<4x8xf32>
  }
  return %0 : tensor<4x8xf32>
}
