// RUN: moe-opt %s -split-input-file -verify-diagnostics

// kernel_c1
func.func @argument_of_another_type(%x: tensor<4xf32>) {
  // expected-error @+1 {{'moe.kernel' op expected the body to have the arguments ('tensor<4xf32>'), as the inputs are, but got ('tensor<5xf32>')}}
  "moe.kernel"(%x) <{name = "k"}> ({
  ^bb0(%a: tensor<5xf32>):
    moe.yield
  }) : (tensor<4xf32>) -> ()
  return
}

// -----

// kernel_c1
func.func @argument_without_input() {
  // expected-error @+1 {{'moe.kernel' op expected the body to have the arguments (), as the inputs are, but got ('index')}}
  "moe.kernel"() <{name = "k"}> ({
  ^bb0(%a: index):
    moe.yield
  }) : () -> ()
  return
}

// -----

// kernel_c2
func.func @yield_of_another_type(%x: tensor<4xf32>) {
  %y = moe.kernel "k" (%a = %x : tensor<4xf32>) -> (tensor<5xf32>) {
    // expected-error @+1 {{'moe.yield' op expected to yield ('tensor<5xf32>'), as the kernel returns, but got ('tensor<4xf32>')}}
    moe.yield %a : tensor<4xf32>
  }
  return
}

// -----

// kernel_c2
func.func @yield_of_too_few_values() {
  %y = moe.kernel "k" () -> (tensor<5xf32>) {
    // expected-error @+1 {{'moe.yield' op expected to yield ('tensor<5xf32>'), as the kernel returns, but got ()}}
    moe.yield
  }
  return
}

// -----

// kernel_c2
func.func @body_ends_otherwise() {
  // expected-error @+1 {{'moe.kernel' op expected the body to end with 'moe.yield', but got 'ub.unreachable'}}
  moe.kernel "k" () -> () {
    ub.unreachable
  }
  return
}

// -----

func.func @body_empty() {
  // expected-error @+1 {{'moe.kernel' op region #0 ('body') failed to verify constraint: region with 1 blocks}}
  moe.kernel "k" () -> () {
  }
  return
}

// -----

func.func @body_uses_a_value_from_above(%x: tensor<4xf32>) {
  // expected-note @+1 {{required by region isolation constraints}}
  %y = moe.kernel "k" () -> (tensor<4xf32>) {
    // expected-error @+1 {{'moe.yield' op using value defined outside the region}}
    moe.yield %x : tensor<4xf32>
  }
  return
}

// -----

func.func @schedule_of_another_kind() {
  // expected-error @+1 {{invalid kind of attribute specified}}
  moe.kernel "k" () -> () schedule(4) {
    moe.yield
  }
  return
}

// -----

func.func @input_of_another_type(%x: tensor<4xf32>) { // expected-note {{prior use here}}
  // expected-error @+1 {{use of value '%x' expects different type than prior uses}}
  moe.kernel "k" (%a = %x : tensor<5xf32>) -> () {
    moe.yield
  }
  return
}

// -----

// expected-error @+1 {{'moe.yield' op expects parent op 'moe.kernel'}}
moe.yield
