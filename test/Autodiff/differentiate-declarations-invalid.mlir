// RUN: moe-opt %s -split-input-file -verify-diagnostics --moe-differentiate="function=f"

func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
// expected-error @+1 {{expected the declaration of '@f_vjp' to have the derivative's type '(tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)', but got '(tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>'}}
func.func private @f_vjp(tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>

// -----

// expected-error @+1 {{expected the name '@f_vjp' to be free for the derivative, but got a symbol of it}}
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
module @f_vjp {
}
