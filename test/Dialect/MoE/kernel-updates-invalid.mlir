// RUN: moe-opt %s -split-input-file -verify-diagnostics

// kernel_c3
func.func @fewer_numbers_than_results(%x: tensor<4xf32>) {
  // expected-error @+1 {{'moe.kernel' op expected updates to have one number for each of 2 results, but got 1}}
  %y:2 = moe.kernel "k" (%a = %x : tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) updates [0] {
    moe.yield %a, %a : tensor<4xf32>, tensor<4xf32>
  }
  return
}

// -----

// kernel_c3
func.func @no_such_input(%x: tensor<4xf32>) {
  // expected-error @+1 {{'moe.kernel' op expected updates to name inputs below 1, or -1, but got 1}}
  %y = moe.kernel "k" (%a = %x : tensor<4xf32>) -> (tensor<4xf32>) updates [1] {
    moe.yield %a : tensor<4xf32>
  }
  return
}

// -----

// kernel_c3
func.func @below_minus_one(%x: tensor<4xf32>) {
  // expected-error @+1 {{'moe.kernel' op expected updates to name inputs below 1, or -1, but got -2}}
  %y = moe.kernel "k" (%a = %x : tensor<4xf32>) -> (tensor<4xf32>) updates [-2] {
    moe.yield %a : tensor<4xf32>
  }
  return
}

// -----

// kernel_c3
func.func @input_of_another_type(%x: tensor<4xf32>, %w: tensor<2x2xf32>) {
  // expected-error @+1 {{'moe.kernel' op expected input 1 to have the static type of the result that updates it, but got 'tensor<2x2xf32>' and 'tensor<4xf32>'}}
  %y = moe.kernel "k" (%a = %x : tensor<4xf32>, %b = %w : tensor<2x2xf32>) -> (tensor<4xf32>) updates [1] {
    moe.yield %a : tensor<4xf32>
  }
  return
}

// -----

// kernel_c3
func.func @dynamic_input(%x: tensor<?xf32>) {
  // expected-error @+1 {{'moe.kernel' op expected input 0 to have the static type of the result that updates it, but got 'tensor<?xf32>' and 'tensor<?xf32>'}}
  %y = moe.kernel "k" (%a = %x : tensor<?xf32>) -> (tensor<?xf32>) updates [0] {
    moe.yield %a : tensor<?xf32>
  }
  return
}

// -----

// kernel_c3
func.func @size(%x: tensor<4xf32>, %n: index) {
  // expected-error @+1 {{'moe.kernel' op expected input 1 to have the static type of the result that updates it, but got 'index' and 'tensor<4xf32>'}}
  %y = moe.kernel "k" (%a = %x : tensor<4xf32>, %m = %n : index) -> (tensor<4xf32>) updates [1] {
    moe.yield %a : tensor<4xf32>
  }
  return
}

// -----

// kernel_c3
func.func @one_input_twice(%x: tensor<4xf32>) {
  // expected-error @+1 {{'moe.kernel' op expected updates to name each input once, but got 0 twice}}
  %y:2 = moe.kernel "k" (%a = %x : tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) updates [0, 0] {
    moe.yield %a, %a : tensor<4xf32>, tensor<4xf32>
  }
  return
}

// -----

func.func @no_list(%x: tensor<4xf32>) {
  // expected-error @+1 {{expected '['}}
  %y = moe.kernel "k" (%a = %x : tensor<4xf32>) -> (tensor<4xf32>) updates 0 {
    moe.yield %a : tensor<4xf32>
  }
  return
}
