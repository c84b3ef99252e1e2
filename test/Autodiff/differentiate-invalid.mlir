// RUN: moe-opt %s -split-input-file -verify-diagnostics --moe-differentiate="wrt=0"

func.func @op_without_a_rule(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+2 {{'tosa.sigmoid' op expected an op with a derivative rule (DifferentiableOpInterface), but got one without}}
  // expected-note @+1 {{a rule is added by implementing the interface, or by attaching an external model to 'tosa.sigmoid'}}
  %y = tosa.sigmoid %x : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

// expected-error @+1 {{expected a function with a float result to differentiate, but got results of 'tensor<4xi32>'}}
func.func @only_integers(%x: tensor<4xi32>) -> tensor<4xi32> {
  return %x : tensor<4xi32>
}

// -----

// expected-error @+1 {{expected wrt to name arguments in [0, -1], but got 0}}
func.func @no_such_argument() -> tensor<4xf32> {
  %y = arith.constant dense<0.0> : tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

// expected-error @+1 {{expected argument 0, which wrt names, to be a float or a ranked tensor of floats, but got 'tensor<4xi32>'}}
func.func @integer_argument(%x: tensor<4xi32>) -> tensor<4xf32> {
  %y = arith.sitofp %x : tensor<4xi32> to tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @side_effect(%x: tensor<4xf32>, %m: memref<4xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %e = tensor.extract %x[%c0] : tensor<4xf32>
  // expected-error @+1 {{'memref.store' op expected an op without side effects, to differentiate the function, but got one that has, or may have, some}}
  memref.store %e, %m[%c0] : memref<4xf32>
  return %x : tensor<4xf32>
}

// -----

func.func @control_flow(%x: tensor<4xf32>, %n: index) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error @+1 {{'scf.for' op is not differentiable yet: expected an op with a derivative rule, but got control flow: write a choice as arith.select, a loop as ops on tensors or a reduction of linalg}}
  %y = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> (tensor<4xf32>) {
    %b = arith.addf %a, %a : tensor<4xf32>
    scf.yield %b : tensor<4xf32>
  }
  return %y : tensor<4xf32>
}

// -----

// expected-error @+1 {{expected the name '@taken_vjp' to be free for the derivative, but got a symbol of it}}
func.func @taken(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
func.func private @taken_vjp() {
  return
}

// -----

func.func private @outside(tensor<4xf32>) -> tensor<4xf32>
func.func @call_of_an_external(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{'func.call' op expected a call that can be inlined, to differentiate through it}}
  %y = call @outside(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

// expected-error @+1 {{expected one public function, or the option 'function' to name the one to differentiate, but got 2 public functions}}
module {
  func.func @one(%x: tensor<4xf32>) -> tensor<4xf32> {
    return %x : tensor<4xf32>
  }
  func.func @two(%x: tensor<4xf32>) -> tensor<4xf32> {
    return %x : tensor<4xf32>
  }
}
