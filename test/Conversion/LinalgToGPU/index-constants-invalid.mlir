// RUN: moe-opt %s -split-input-file -verify-diagnostics --moe-compile-pipeline

// An index is 32 bits wide in a kernel; a constant that does not fit is no
// other constant.

#id = affine_map<(d0) -> (d0)>
func.func @in_a_body(%like: tensor<8xf32>) -> tensor<8xf32> {
  %init = tensor.empty() : tensor<8xf32>
  %y = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%init : tensor<8xf32>) {
  ^bb0(%out: f32):
    %c = arith.constant 3000000000 : index
    %d = arith.constant 1000000000 : index
    %i = linalg.index 0 : index
    // expected-error @+1 {{'arith.addi' op expected its indices in a kernel to fit 32 bits, but got 3000000000}}
    %sum = arith.addi %c, %i : index
    %q = arith.divsi %sum, %d : index
    %int = arith.index_cast %q : index to i32
    %r = arith.sitofp %int : i32 to f32
    linalg.yield %r : f32
  } -> tensor<8xf32>
  return %y : tensor<8xf32>
}

// -----

#id = affine_map<(d0) -> (d0)>
func.func @outside_a_body(%like: tensor<8xf32>) -> tensor<8xf32> {
  %c = arith.constant -3000000000 : index
  %init = tensor.empty() : tensor<8xf32>
  %y = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%init : tensor<8xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    // expected-error @+1 {{'arith.addi' op expected its indices in a kernel to fit 32 bits, but got -3000000000}}
    %sum = arith.addi %c, %i : index
    %negative = arith.cmpi slt, %sum, %i : index
    %one = arith.constant 1.0 : f32
    %zero = arith.constant 0.0 : f32
    %r = arith.select %negative, %one, %zero : f32
    linalg.yield %r : f32
  } -> tensor<8xf32>
  return %y : tensor<8xf32>
}
