// RUN: split-file %s %t
// RUN: moe-opt %t/word.mlir -verify-diagnostics --moe-differentiate="wrt=x"
// RUN: moe-opt %t/fraction.mlir -verify-diagnostics --moe-differentiate="wrt=0.5"
// RUN: moe-opt %t/huge.mlir -verify-diagnostics --moe-differentiate="wrt=99999999999999999999"
// RUN: moe-opt %t/twice.mlir -verify-diagnostics --moe-differentiate="wrt=1,0,1"
// RUN: moe-opt %t/beyond.mlir -verify-diagnostics --moe-differentiate="wrt=2"

//--- word.mlir
// expected-error @+1 {{expected wrt to name arguments by their numbers, but got 'x'}}
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

//--- fraction.mlir
// expected-error @+1 {{expected wrt to name arguments by their numbers, but got '0.5'}}
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

//--- huge.mlir
// expected-error @+1 {{expected wrt to name arguments by their numbers, but got '99999999999999999999'}}
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

//--- twice.mlir
// expected-error @+1 {{expected wrt to name each argument once, but got 1 again}}
func.func @f(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

//--- beyond.mlir
// expected-error @+1 {{expected wrt to name arguments in [0, 1], but got 2}}
func.func @f(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
