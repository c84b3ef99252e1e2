// RUN: moe-opt %s --split-input-file --verify-diagnostics --convert-linalg-to-gpu

#by1 = #moe.schedule<elementwise, workgroup = 64>
func.func @not_updated(%x: tensor<4xf32>, %w: tensor<4xf32> {moe.aliases_result = 0 : i64}) -> tensor<4xf32> {
  // expected-error @-1 {{expected result 0 to be computed in the memory of argument 1, which aliases it: run --moe-update-in-place first}}
  %y = moe.kernel "k" (%a = %w : tensor<4xf32>) -> (tensor<4xf32>) schedule(#by1) {
    moe.yield %a : tensor<4xf32>
  }
  return %y : tensor<4xf32>
}

// -----

#by1 = #moe.schedule<elementwise, workgroup = 64>
func.func @argument_that_is_no_state(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{'moe.kernel' op expected the input that result 0 updates to be an argument of the function that aliases it}}
  %y = moe.kernel "k" (%a = %x : tensor<4xf32>) -> (tensor<4xf32>) updates [0] schedule(#by1) {
    moe.yield %a : tensor<4xf32>
  }
  return %y : tensor<4xf32>
}

// -----

#by1 = #moe.schedule<elementwise, workgroup = 64>
func.func @state_of_another_result(%v: tensor<4xf32> {moe.aliases_result = 1 : i64}, %w: tensor<4xf32> {moe.aliases_result = 0 : i64})
    -> (tensor<4xf32>, tensor<4xf32>) {
  // expected-error @+1 {{'moe.kernel' op expected the input that result 1 updates to be an argument of the function that aliases it}}
  %y:2 = moe.kernel "k" (%a = %v : tensor<4xf32>, %b = %w : tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
      updates [-1, 1] schedule(#by1) {
    moe.yield %a, %b : tensor<4xf32>, tensor<4xf32>
  }
  return %y#0, %y#1 : tensor<4xf32>, tensor<4xf32>
}

// -----

#by1 = #moe.schedule<elementwise, workgroup = 64>
func.func @intermediate_value(%w: tensor<4xf32>) -> tensor<4xf32> {
  %y = moe.kernel "k" (%a = %w : tensor<4xf32>) -> (tensor<4xf32>) schedule(#by1) {
    moe.yield %a : tensor<4xf32>
  }
  // expected-error @+1 {{'moe.kernel' op expected the input that result 0 updates to be an argument of the function that aliases it}}
  %z = moe.kernel "k" (%a = %y : tensor<4xf32>) -> (tensor<4xf32>) updates [0] schedule(#by1) {
    moe.yield %a : tensor<4xf32>
  }
  return %z : tensor<4xf32>
}

// -----

#by1 = #moe.schedule<elementwise, workgroup = 64>
func.func @read_afterwards(%w: tensor<4xf32> {moe.aliases_result = 0 : i64}) -> (tensor<4xf32>, tensor<4xf32>) {
  %y = moe.kernel "k" (%a = %w : tensor<4xf32>) -> (tensor<4xf32>) updates [0] schedule(#by1) {
    moe.yield %a : tensor<4xf32>
  }
  // expected-error @+1 {{'moe.kernel' op expected to read argument 0 before it is updated}}
  %z = moe.kernel "old" (%a = %w : tensor<4xf32>) -> (tensor<4xf32>) schedule(#by1) {
    moe.yield %a : tensor<4xf32>
  }
  return %y, %z : tensor<4xf32>, tensor<4xf32>
}

// -----

#by1 = #moe.schedule<elementwise, workgroup = 64>
func.func @fault_afterwards(%w: tensor<4xf32> {moe.aliases_result = 0 : i64}, %i: tensor<5xi32>, %x: tensor<4x4xf32>)
    -> (tensor<4xf32>, tensor<5xi32>) {
  %y = moe.kernel "k" (%a = %w : tensor<4xf32>) -> (tensor<4xf32>) updates [0] schedule(#by1) {
    moe.yield %a : tensor<4xf32>
  }
  // expected-error @+1 {{'moe.kernel' op expected to find faults in data before argument 0 is updated}}
  %o = moe.kernel "check" (%a = %i : tensor<5xi32>, %b = %x : tensor<4x4xf32>) -> (tensor<5xi32>)
      schedule(#moe.schedule<check_offsets>) {
    %c = moe.check_offsets %a, %b : tensor<5xi32>, tensor<4x4xf32>
    moe.yield %c : tensor<5xi32>
  }
  return %y, %o : tensor<4xf32>, tensor<5xi32>
}

// -----

func.func @another_family(%w: tensor<4xf32> {moe.aliases_result = 0 : i64}) -> tensor<4xf32> {
  // expected-error @+1 {{'moe.kernel' op expected a kernel that updates inputs to be of family elementwise, but got reduce}}
  %y = moe.kernel "k" (%a = %w : tensor<4xf32>) -> (tensor<4xf32>) updates [0]
      schedule(#moe.schedule<reduce, workgroup = 64>) {
    moe.yield %a : tensor<4xf32>
  }
  return %y : tensor<4xf32>
}
