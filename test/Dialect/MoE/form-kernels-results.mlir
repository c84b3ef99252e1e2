// RUN: moe-opt %s -split-input-file --moe-form-kernels | FileCheck %s

// Each result of the function is one result of one kernel: anything else is
// copied by a kernel of its own.

// CHECK-LABEL: func.func @argument
// CHECK-SAME:    (%[[X:.+]]: tensor<?x4xf32>)
// CHECK:         %[[COPY:.+]] = moe.kernel "elementwise" (%[[A:.+]] = %[[X]] : tensor<?x4xf32>
// CHECK:           linalg.generic {{.*}} ins(%[[A]]
// CHECK:         return %[[COPY]]
func.func @argument(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  return %x : tensor<?x4xf32>
}

// -----

// CHECK-LABEL: func.func @constant
// CHECK:         %[[COPY:.+]] = moe.kernel "elementwise" () -> (tensor<4xf32>)
// CHECK:           arith.constant dense<2.0{{.*}}>
// CHECK:         return %[[COPY]]
func.func @constant() -> tensor<4xf32> {
  %0 = arith.constant dense<2.0> : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// A constant of different values stays outside: it gets a buffer.
// CHECK-LABEL: func.func @table
// CHECK:         %[[TABLE:.+]] = arith.constant dense<[1, 2]>
// CHECK:         %[[COPY:.+]] = moe.kernel "elementwise" (%{{.+}} = %[[TABLE]] : tensor<2xi32>)
// CHECK:         return %[[COPY]]
func.func @table() -> tensor<2xi32> {
  %0 = arith.constant dense<[1, 2]> : tensor<2xi32>
  return %0 : tensor<2xi32>
}

// -----

// The copy has the type of the result, so that no cast comes after it.
// CHECK-LABEL: func.func @cast
// CHECK:         %[[COPY:.+]] = moe.kernel "elementwise" ({{.+}}) -> (tensor<?xf32>)
// CHECK:           tensor.cast
// CHECK:         return %[[COPY]] : tensor<?xf32>
func.func @cast(%x: tensor<4xf32>) -> tensor<?xf32> {
  %0 = tensor.cast %x : tensor<4xf32> to tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

// CHECK-LABEL: func.func @twice
// CHECK:         %[[SUM:.+]] = moe.kernel "elementwise"
// CHECK:         %[[COPY:.+]] = moe.kernel "elementwise" (%{{.+}} = %[[SUM]]
// CHECK:         return %[[SUM]], %[[COPY]]
func.func @twice(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      outs(%x : tensor<4xf32>) {
  ^bb0(%a: f32):
    %sum = arith.addf %a, %a : f32
    linalg.yield %sum : f32
  } -> tensor<4xf32>
  return %0, %0 : tensor<4xf32>, tensor<4xf32>
}

// -----

// A kernel that is there already is not copied, so that one can be written by
// hand with all that it says.
// CHECK-LABEL: func.func @kernel_by_hand
// CHECK:         %[[Y:.+]] = moe.kernel "k" {{.*}} updates [0] {
// CHECK-NOT:     moe.kernel
// CHECK:         return %[[Y]]
func.func @kernel_by_hand(%w: tensor<4xf32> {moe.aliases_result = 0 : i64}) -> tensor<4xf32> {
  %y = moe.kernel "k" (%a = %w : tensor<4xf32>) -> (tensor<4xf32>) updates [0] {
    %r = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
        outs(%a : tensor<4xf32>) {
    ^bb0(%p: f32):
      %s = arith.negf %p : f32
      linalg.yield %s : f32
    } -> tensor<4xf32>
    moe.yield %r : tensor<4xf32>
  }
  return %y : tensor<4xf32>
}
