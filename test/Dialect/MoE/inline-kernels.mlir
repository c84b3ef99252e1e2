// RUN: moe-opt %s --moe-inline-kernels | FileCheck %s

// CHECK-LABEL: func.func @two_results_and_a_size
// CHECK-SAME:    (%[[X:.+]]: tensor<?xf32>, %[[N:.+]]: index)
// CHECK-NOT:     moe.
// CHECK:         %[[E:.+]] = tensor.empty(%[[N]])
// CHECK:         %[[SUM:.+]] = arith.addf %[[X]], %[[X]]
// CHECK:         return %[[E]], %[[SUM]]
func.func @two_results_and_a_size(%x: tensor<?xf32>, %n: index) -> (tensor<?xf32>, tensor<?xf32>) {
  %0:2 = moe.kernel "pair" (%a = %x : tensor<?xf32>, %size = %n : index)
      -> (tensor<?xf32>, tensor<?xf32>) schedule(#moe.schedule<elementwise>) {
    %e = tensor.empty(%size) : tensor<?xf32>
    %sum = arith.addf %a, %a : tensor<?xf32>
    moe.yield %e, %sum : tensor<?xf32>, tensor<?xf32>
  }
  return %0#0, %0#1 : tensor<?xf32>, tensor<?xf32>
}

// A kernel that reads another's result, and one that only passes an input on.
// CHECK-LABEL: func.func @chain
// CHECK-SAME:    (%[[X:.+]]: tensor<4xf32>)
// CHECK-NEXT:    %[[FIRST:.+]] = math.exp %[[X]]
// CHECK-NEXT:    %[[SECOND:.+]] = math.tanh %[[FIRST]]
// CHECK-NEXT:    return %[[SECOND]], %[[X]]
func.func @chain(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = moe.kernel "exp" (%a = %x : tensor<4xf32>) -> (tensor<4xf32>) {
    %v = math.exp %a : tensor<4xf32>
    moe.yield %v : tensor<4xf32>
  }
  %1 = moe.kernel "tanh" (%a = %0 : tensor<4xf32>) -> (tensor<4xf32>) {
    %v = math.tanh %a : tensor<4xf32>
    moe.yield %v : tensor<4xf32>
  }
  %2 = moe.kernel "same" (%a = %x : tensor<4xf32>) -> (tensor<4xf32>) {
    moe.yield %a : tensor<4xf32>
  }
  return %1, %2 : tensor<4xf32>, tensor<4xf32>
}
