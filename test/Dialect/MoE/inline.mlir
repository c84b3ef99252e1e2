// RUN: moe-opt %s --inline --symbol-dce | FileCheck %s

// Nothing in an op of the dialect depends on the function that it stands in.

// CHECK-NOT:   func.func private
// CHECK-LABEL: func.func @model
// CHECK-SAME:    (%[[INDICES:.+]]: tensor<?x2xi32>, %[[W:.+]]: tensor<4xf32>)
// CHECK-NEXT:    %[[OFFSETS:.+]], %{{.+}}, %{{.+}}, %{{.+}} = moe.plan %[[INDICES]]
// CHECK-NEXT:    %[[NEXT:.+]] = moe.kernel "copy" (%{{.+}} = %[[W]] : tensor<4xf32>) -> (tensor<4xf32>) {
// CHECK:         return %[[OFFSETS]], %[[NEXT]]
// CHECK-NOT:   func.func
func.func private @layer(%indices: tensor<?x2xi32>, %w: tensor<4xf32> {moe.aliases_result = 1 : i64})
    -> (tensor<5xi32>, tensor<4xf32>) {
  %offsets, %slots, %rows, %experts = moe.plan %indices {experts = 4 : i64}
    : tensor<?x2xi32> -> tensor<5xi32>, tensor<?x2xi32>, tensor<?xi32>, tensor<?xi32>
  %next = moe.kernel "copy" (%a = %w : tensor<4xf32>) -> (tensor<4xf32>) {
    moe.yield %a : tensor<4xf32>
  }
  return %offsets, %next : tensor<5xi32>, tensor<4xf32>
}
func.func @model(%indices: tensor<?x2xi32>, %w: tensor<4xf32>) -> (tensor<5xi32>, tensor<4xf32>) {
  %offsets, %next = call @layer(%indices, %w) : (tensor<?x2xi32>, tensor<4xf32>) -> (tensor<5xi32>, tensor<4xf32>)
  return %offsets, %next : tensor<5xi32>, tensor<4xf32>
}
