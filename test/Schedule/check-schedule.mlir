// RUN: moe-opt %s -split-input-file -verify-diagnostics --moe-check-schedule=target=lavapipe

func.func @no_schedule(%x: tensor<4x64xf32>) -> tensor<4x64xf32> {
  // expected-error @+1 {{expected a schedule, but got none}}
  %0 = moe.kernel "k" (%a = %x : tensor<4x64xf32>) -> (tensor<4x64xf32>) {
    moe.yield %a : tensor<4x64xf32>
  }
  return %0 : tensor<4x64xf32>
}

// -----

func.func @workgroup_beyond_the_limit(%x: tensor<4x64xf32>) -> tensor<4x64xf32> {
  // expected-error @+1 {{expected a workgroup of at most 1024 invocations on target 'lavapipe', but got 2048}}
  %0 = moe.kernel "k" (%a = %x : tensor<4x64xf32>) -> (tensor<4x64xf32>) schedule(#moe.schedule<elementwise, workgroup = 2048>) {
    moe.yield %a : tensor<4x64xf32>
  }
  return %0 : tensor<4x64xf32>
}

// -----

func.func @lanes_beyond_the_subgroup(%x: tensor<4x64xf32>) -> tensor<4x64xf32> {
  // expected-error @+1 {{expected at most 8 lanes on target 'lavapipe', but got 32}}
  %0 = moe.kernel "k" (%a = %x : tensor<4x64xf32>) -> (tensor<4x64xf32>) schedule(#moe.schedule<matmul, workgroup = 32, lanes = 32>) {
    moe.yield %a : tensor<4x64xf32>
  }
  return %0 : tensor<4x64xf32>
}

// -----

func.func @workgroup_wider_than_its_lanes(%x: tensor<4x64xf32>) -> tensor<4x64xf32> {
  // expected-error @+1 {{expected a workgroup of 8, one invocation for each lane, but got 64}}
  %0 = moe.kernel "k" (%a = %x : tensor<4x64xf32>) -> (tensor<4x64xf32>) schedule(#moe.schedule<matmul, workgroup = 64, lanes = 8>) {
    moe.yield %a : tensor<4x64xf32>
  }
  return %0 : tensor<4x64xf32>
}

// -----

func.func @reduce_not_a_power_of_two(%x: tensor<4x64xf32>) -> tensor<4x64xf32> {
  // expected-error @+1 {{expected a workgroup that is a power of two, but got 48}}
  %0 = moe.kernel "k" (%a = %x : tensor<4x64xf32>) -> (tensor<4x64xf32>) schedule(#moe.schedule<reduce, workgroup = 48>) {
    moe.yield %a : tensor<4x64xf32>
  }
  return %0 : tensor<4x64xf32>
}
