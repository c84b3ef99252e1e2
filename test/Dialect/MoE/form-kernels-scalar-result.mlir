// RUN: moe-opt %s -split-input-file -verify-diagnostics --moe-form-kernels

// expected-error @+1 {{expected result 0 to be a ranked tensor of f32 or i32 to store, but got 'index'}}
func.func @size_result(%x: tensor<?xf32>) -> index {
  %c0 = arith.constant 0 : index
  %t = tensor.dim %x, %c0 : tensor<?xf32>
  return %t : index
}

// -----

// expected-error @+1 {{expected result 1 to be a ranked tensor of f32 or i32 to store, but got 'tensor<*xf32>'}}
func.func @unranked_result(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<*xf32>) {
  %y = tensor.cast %x : tensor<4xf32> to tensor<*xf32>
  return %x, %y : tensor<4xf32>, tensor<*xf32>
}
