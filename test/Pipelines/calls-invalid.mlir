// RUN: moe-opt %s -split-input-file -verify-diagnostics --moe-kernels-pipeline

// Calls that the inliner leaves are named, with what would have been inlined.

func.func @calls_itself(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{'func.call' op expected a call that can be inlined, but got one of a function that calls itself, or that has several blocks}}
  %0 = func.call @calls_itself(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func private @elsewhere(%x: tensor<4xf32>) -> tensor<4xf32>
func.func @calls_elsewhere(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{'func.call' op expected a call of a function with a body in the same module, but got an external one, which cannot be inlined}}
  %0 = func.call @elsewhere(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @calls_what_it_is_given(%x: tensor<4xf32>, %f: (tensor<4xf32>) -> tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{'func.call_indirect' op expected a call of a function by its name, but got an indirect one, which cannot be inlined}}
  %0 = func.call_indirect %f(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// expected-error @+1 {{expected argument 0 to be a ranked tensor of f32 or i32, but got 'tensor<4x4xf32, #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed) }>>': convert it to a tensor without an encoding before}}
func.func @sparse_argument(%x: tensor<4x4xf32, #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed) }>>) {
  return
}
