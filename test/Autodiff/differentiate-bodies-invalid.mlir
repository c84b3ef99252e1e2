// RUN: moe-opt %s -split-input-file -verify-diagnostics --moe-differentiate

#i = affine_map<(i) -> (i)>

func.func @control_flow_in_a_body(%x: tensor<4xf32>) -> tensor<4xf32> {
  %empty = tensor.empty() : tensor<4xf32>
  %zero = arith.constant 0.0 : f32
  %y = linalg.generic {indexing_maps = [#i, #i], iterator_types = ["parallel"]}
      ins(%x : tensor<4xf32>) outs(%empty : tensor<4xf32>) {
  ^bb0(%a: f32, %init: f32):
    %c = arith.cmpf ogt, %a, %zero : f32
    // expected-error @+1 {{'scf.if' op is not differentiable in the body of a structured op: expected arith.select for a choice, but got control flow}}
    %r = scf.if %c -> f32 {
      scf.yield %a : f32
    } else {
      scf.yield %zero : f32
    }
    linalg.yield %r : f32
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

#i = affine_map<(i) -> (i)>

func.func @slice_in_a_body(%x: tensor<4xf32>) -> tensor<4xf32> {
  %empty = tensor.empty() : tensor<4xf32>
  %c0 = arith.constant 0 : index
  %y = linalg.generic {indexing_maps = [#i], iterator_types = ["parallel"]} outs(%empty : tensor<4xf32>) {
  ^bb0(%init: f32):
    %i = linalg.index 0 : index
    // expected-error @+1 {{'tensor.extract_slice' op is not differentiable in the body of a structured op: expected tensor.extract of a tensor from outside, but got this}}
    %s = tensor.extract_slice %x[%i] [1] [1] : tensor<4xf32> to tensor<1xf32>
    %e = tensor.extract %s[%c0] : tensor<1xf32>
    linalg.yield %e : f32
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

#i = affine_map<(i) -> (i)>

func.func @bits_as_an_operand(%x: tensor<4xf32>) -> tensor<4xf32> {
  %empty = tensor.empty() : tensor<4xf32>
  %bits = arith.bitcast %x : tensor<4xf32> to tensor<4xi32>
  // expected-error @+1 {{'linalg.generic' op is not differentiable: expected operands that hold no bits of a differentiated value, but got one of 'tensor<4xi32>'}}
  %y = linalg.generic {indexing_maps = [#i, #i], iterator_types = ["parallel"]}
      ins(%bits : tensor<4xi32>) outs(%empty : tensor<4xf32>) {
  ^bb0(%a: i32, %init: f32):
    %r = arith.bitcast %a : i32 to f32
    linalg.yield %r : f32
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

#all = affine_map<(i, j, k) -> (i, j, k)>
#ij = affine_map<(i, j, k) -> (i, j)>
#ji = affine_map<(i, j, k) -> (j, i)>

// Two accumulators that need each other, one of them transposed.
func.func @inits_of_two_maps(%x: tensor<2x3x4xf32>, %p: tensor<2x3xf32>, %q: tensor<3x2xf32>) -> tensor<2x3xf32> {
  // expected-error @+1 {{'linalg.generic' op has no derivative in its inits: expected results that share a map, but got affine_map<(d0, d1, d2) -> (d0, d1)> and affine_map<(d0, d1, d2) -> (d1, d0)>}}
  %y:2 = linalg.generic {indexing_maps = [#all, #ij, #ji], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x : tensor<2x3x4xf32>) outs(%p, %q : tensor<2x3xf32>, tensor<3x2xf32>) {
  ^bb0(%a: f32, %m: f32, %n: f32):
    %r = arith.mulf %m, %n : f32
    %s = arith.addf %r, %a : f32
    %t = arith.addf %n, %a : f32
    linalg.yield %s, %t : f32, f32
  } -> (tensor<2x3xf32>, tensor<3x2xf32>)
  return %y#0 : tensor<2x3xf32>
}

// -----

// What is left are ops without a body of their own.
func.func @layout(%x: tensor<4x4xf32>, %into: tensor<2x2x2x2xf32>) -> tensor<2x2x2x2xf32> {
  // expected-error @+1 {{'linalg.pack' op has no derivative: expected tensor.expand_shape, linalg.transpose and tensor.pad instead}}
  %y = linalg.pack %x inner_dims_pos = [0, 1] inner_tiles = [2, 2] into %into : tensor<4x4xf32> -> tensor<2x2x2x2xf32>
  return %y : tensor<2x2x2x2xf32>
}
