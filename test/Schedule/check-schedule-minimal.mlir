// RUN: moe-opt %s -split-input-file -verify-diagnostics --moe-check-schedule=target=minimal

// What only the smallest devices refuse.

func.func @lanes_without_shuffles(%x: tensor<4x64xf32>) -> tensor<4x64xf32> {
  // expected-error @+1 {{expected 1 lane on target 'minimal', which has no subgroup shuffle, but got 4}}
  %0 = moe.kernel "k" (%a = %x : tensor<4x64xf32>) -> (tensor<4x64xf32>) schedule(#moe.schedule<matmul, workgroup = 4, lanes = 4>) {
    moe.yield %a : tensor<4x64xf32>
  }
  return %0 : tensor<4x64xf32>
}

// -----

func.func @workgroup_of_a_larger_device(%x: tensor<4x64xf32>) -> tensor<4x64xf32> {
  // expected-error @+1 {{expected a workgroup of at most 128 invocations on target 'minimal', but got 256}}
  %0 = moe.kernel "k" (%a = %x : tensor<4x64xf32>) -> (tensor<4x64xf32>) schedule(#moe.schedule<elementwise, workgroup = 256>) {
    moe.yield %a : tensor<4x64xf32>
  }
  return %0 : tensor<4x64xf32>
}

// -----

func.func @fits(%x: tensor<4x64xf32>) -> tensor<4x64xf32> {
  %0 = moe.kernel "k" (%a = %x : tensor<4x64xf32>) -> (tensor<4x64xf32>) schedule(#moe.schedule<elementwise, workgroup = 128>) {
    moe.yield %a : tensor<4x64xf32>
  }
  return %0 : tensor<4x64xf32>
}
