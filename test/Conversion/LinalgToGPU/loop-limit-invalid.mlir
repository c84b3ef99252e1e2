// RUN: moe-opt %s --convert-linalg-to-gpu -verify-diagnostics

#rows = affine_map<(d0) -> (d0)>
#sum = affine_map<(d0) -> ()>

// Sixteen million elements in one order, 32 in an iteration.

func.func @f(%x: tensor<16777216xf32>, %init: tensor<f32>) -> tensor<f32> {
  // expected-error @+1 {{expected kernel 'horner' to make at most 65535 iterations of its loops in an invocation (the limit of the target), but got 524323}}
  %0 = moe.kernel "horner" (%a = %x : tensor<16777216xf32>, %i = %init : tensor<f32>) -> (tensor<f32>) schedule(#moe.schedule<reduce, workgroup = 64>) {
    %y = linalg.generic {indexing_maps = [#rows, #sum], iterator_types = ["reduction"]}
        ins(%a : tensor<16777216xf32>) outs(%i : tensor<f32>) {
    ^bb0(%p: f32, %acc: f32):
      %m = arith.mulf %acc, %p : f32
      %s = arith.addf %m, %p : f32
      linalg.yield %s : f32
    } -> tensor<f32>
    moe.yield %y : tensor<f32>
  }
  return %0 : tensor<f32>
}
