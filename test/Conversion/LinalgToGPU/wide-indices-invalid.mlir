// RUN: moe-opt %s -split-input-file -verify-diagnostics --moe-compile-pipeline=target=minimal

// A target that computes in 32 bits alone: what does not fit is an error at the
// op that says so, and nothing is cut.

#id = affine_map<(d0) -> (d0)>
func.func @a_product(%like: tensor<8xf32>) -> tensor<50001xf32> {
  %init = tensor.empty() : tensor<50001xf32>
  %y = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%init : tensor<50001xf32>) {
  ^bb0(%out: f32):
    %d = arith.constant 100000 : index
    %i = linalg.index 0 : index
    // expected-error @+1 {{'arith.muli' op expected indices of 32 bits on a target without shaderInt64, but got one in [0, 2500000000]}}
    %square = arith.muli %i, %i : index
    %q = arith.divsi %square, %d : index
    %int = arith.index_cast %q : index to i32
    %r = arith.sitofp %int : i32 to f32
    linalg.yield %r : f32
  } -> tensor<50001xf32>
  return %y : tensor<50001xf32>
}

// -----

#id = affine_map<(d0) -> (d0)>
func.func @a_constant(%like: tensor<8xf32>) -> tensor<8xf32> {
  %c = arith.constant -3000000000 : index
  %init = tensor.empty() : tensor<8xf32>
  %y = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%init : tensor<8xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    // expected-error @+1 {{'arith.addi' op expected indices of 32 bits on a target without shaderInt64, but got one in [-3000000000, -2999999993]}}
    %sum = arith.addi %c, %i : index
    %negative = arith.cmpi slt, %sum, %i : index
    %one = arith.constant 1.0 : f32
    %zero = arith.constant 0.0 : f32
    %r = arith.select %negative, %one, %zero : f32
    linalg.yield %r : f32
  } -> tensor<8xf32>
  return %y : tensor<8xf32>
}

// -----

#id = affine_map<(d0) -> (d0)>
func.func @a_negative_number_without_a_sign(%a: tensor<8xi32>) -> tensor<8xi32> {
  %init = tensor.empty() : tensor<8xi32>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%a : tensor<8xi32>) outs(%init : tensor<8xi32>) {
  ^bb0(%in: i32, %out: i32):
    %d = arith.constant 3 : index
    %i = arith.index_cast %in : i32 to index
    // expected-error @+1 {{'arith.divui' op expected indices of 32 bits on a target without shaderInt64, but got one in [0, 6148914691236517205]}}
    %q = arith.divui %i, %d : index
    %r = arith.index_cast %q : index to i32
    linalg.yield %r : i32
  } -> tensor<8xi32>
  return %y : tensor<8xi32>
}

// -----

#id = affine_map<(d0) -> (d0)>
func.func @a_size(%x: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  // expected-error @+1 {{'arith.muli' op expected indices of 32 bits on a target without shaderInt64, but got one in [0, 1152921502459363329]}}
  %square = arith.muli %n, %n : index
  %init = tensor.empty(%n) : tensor<?xf32>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<?xf32>) outs(%init : tensor<?xf32>) {
  ^bb0(%in: f32, %out: f32):
    %i = linalg.index 0 : index
    %q = arith.divui %square, %n : index
    %int = arith.index_cast %q : index to i32
    %r = arith.sitofp %int : i32 to f32
    linalg.yield %r : f32
  } -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

#id = affine_map<(d0) -> (d0)>
func.func @an_affine_expression(%like: tensor<8xf32>) -> tensor<50001xi32> {
  %init = tensor.empty() : tensor<50001xi32>
  %y = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%init : tensor<50001xi32>) {
  ^bb0(%out: i32):
    %i = linalg.index 0 : index
    // expected-error @+1 {{'affine.apply' op expected the same result in 32 bits as in 64 on a target without shaderInt64, but got another}}
    %q = affine.apply affine_map<(d0) -> ((d0 * 100000) floordiv 7000001)>(%i)
    %r = arith.index_cast %q : index to i32
    linalg.yield %r : i32
  } -> tensor<50001xi32>
  return %y : tensor<50001xi32>
}

// -----

#id = affine_map<(d0) -> (d0)>
func.func @an_i64(%a: tensor<8xi32>) -> tensor<8xi32> {
  %init = tensor.empty() : tensor<8xi32>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%a : tensor<8xi32>) outs(%init : tensor<8xi32>) {
  ^bb0(%in: i32, %out: i32):
    // expected-error @+1 {{'arith.extsi' op expected integers of at most 32 bits on a target without shaderInt64, but got 'i64'}}
    %long = arith.extsi %in : i32 to i64
    %product = arith.muli %long, %long : i64
    %r = arith.trunci %product : i64 to i32
    linalg.yield %r : i32
  } -> tensor<8xi32>
  return %y : tensor<8xi32>
}
