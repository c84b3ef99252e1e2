// RUN: moe-opt %s --moe-select-schedule=target=lavapipe | FileCheck %s

// The selector steps aside where there is a schedule.

// CHECK: moe.kernel "by_hand"{{.*}}schedule(#moe.schedule<reduce, workgroup = 512>)
// CHECK: moe.kernel "selected"{{.*}}schedule(#moe.schedule<elementwise, workgroup = 64, vector = 4>)
func.func @schedules(%x: tensor<4x64xf32>) -> (tensor<4x64xf32>, tensor<4x64xf32>) {
  %0 = moe.kernel "by_hand" (%a = %x : tensor<4x64xf32>) -> (tensor<4x64xf32>) schedule(#moe.schedule<reduce, workgroup = 512>) {
    moe.yield %a : tensor<4x64xf32>
  }
  %1 = moe.kernel "selected" (%a = %x : tensor<4x64xf32>) -> (tensor<4x64xf32>) {
    moe.yield %a : tensor<4x64xf32>
  }
  return %0, %1 : tensor<4x64xf32>, tensor<4x64xf32>
}
