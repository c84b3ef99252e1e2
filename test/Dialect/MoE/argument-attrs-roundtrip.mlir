// RUN: moe-opt %s | moe-opt | FileCheck %s

// CHECK-LABEL: func.func @state
// CHECK-SAME:    (%{{.*}}: tensor<4xf32> {moe.aliases_result = 1 : i64, moe.name = "w"}, %{{.*}}: tensor<?xf32> {moe.name = "x"},
// CHECK-SAME:     %{{.*}}: tensor<i32> {moe.aliases_result = 2 : i64})
func.func @state(%w: tensor<4xf32> {moe.name = "w", moe.aliases_result = 1 : i64}, %x: tensor<?xf32> {moe.name = "x"},
                 %n: tensor<i32> {moe.aliases_result = 2 : i64}) -> (tensor<?xf32>, tensor<4xf32>, tensor<i32>) {
  return %x, %w, %n : tensor<?xf32>, tensor<4xf32>, tensor<i32>
}

// CHECK-LABEL: func.func private @declared
// CHECK-SAME:    (tensor<4xf32> {moe.aliases_result = 0 : i64}) -> tensor<4xf32>
func.func private @declared(tensor<4xf32> {moe.aliases_result = 0 : i64}) -> tensor<4xf32>
