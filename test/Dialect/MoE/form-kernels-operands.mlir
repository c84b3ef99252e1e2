// RUN: moe-opt %s -split-input-file --moe-form-kernels | FileCheck %s

// What moves into a kernel besides views: comparisons, and scalars.

#id = affine_map<(d0) -> (d0)>

// No buffer holds i1; both ops that read the comparison compute it.
// CHECK-LABEL: func.func @comparison_of_two_readers
// CHECK-NOT:     -> (tensor<?xi1>)
// CHECK:         moe.kernel "elementwise"
// CHECK:           %[[LESS:.+]] = linalg.generic {{.*}} outs(%{{.+}} : tensor<?xi1>)
// CHECK:           linalg.generic {{.*}} ins(%[[LESS]]
// CHECK:         moe.kernel "reduce"
// CHECK:           %[[AGAIN:.+]] = linalg.generic {{.*}} outs(%{{.+}} : tensor<?xi1>)
// CHECK:           linalg.generic {{.*}} ins(%[[AGAIN]]
func.func @comparison_of_two_readers(%x: tensor<?xf32>, %y: tensor<?xi32>, %n: tensor<i32>)
    -> (tensor<?xi32>, tensor<i32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %t = tensor.dim %x, %c0 : tensor<?xf32>
  %e = tensor.empty(%t) : tensor<?xi1>
  %less = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : tensor<?xf32>) outs(%e : tensor<?xi1>) {
  ^bb0(%a: f32, %out: i1):
    %c = arith.cmpf olt, %a, %zero : f32
    linalg.yield %c : i1
  } -> tensor<?xi1>
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%less : tensor<?xi1>) outs(%y : tensor<?xi32>) {
  ^bb0(%c: i1, %out: i32):
    %i = arith.extui %c : i1 to i32
    linalg.yield %i : i32
  } -> tensor<?xi32>
  %1 = linalg.generic {indexing_maps = [#id, affine_map<(d0) -> ()>], iterator_types = ["reduction"]}
      ins(%less : tensor<?xi1>) outs(%n : tensor<i32>) {
  ^bb0(%c: i1, %count: i32):
    %i = arith.extui %c : i1 to i32
    %sum = arith.addi %count, %i : i32
    linalg.yield %sum : i32
  } -> tensor<i32>
  return %0, %1 : tensor<?xi32>, tensor<i32>
}

// -----

#id = affine_map<(d0) -> (d0)>

// Scalars are computed anew in each kernel, from tensors and sizes.
// CHECK-LABEL: func.func @captured_scalars
// CHECK-SAME:    (%[[X:.+]]: tensor<?xf32>, %[[S:.+]]: tensor<4xf32>)
// CHECK:         %[[T:.+]] = tensor.dim %[[X]]
// CHECK:         moe.kernel "elementwise" (%[[SCALES:.+]] = %[[S]] : tensor<4xf32>, %[[SIZE:.+]] = %[[T]] : index, %{{.+}} = %[[X]]
// CHECK-DAG:       %[[SCALE:.+]] = tensor.extract %[[SCALES]]
// CHECK-DAG:       %[[COUNT:.+]] = arith.index_cast %[[SIZE]] : index to i32
// CHECK-DAG:       %[[MEAN:.+]] = arith.sitofp %[[COUNT]]
// CHECK:           linalg.generic
// CHECK:             arith.mulf %{{.+}}, %[[SCALE]]
// CHECK:             arith.divf %{{.+}}, %[[MEAN]]
func.func @captured_scalars(%x: tensor<?xf32>, %s: tensor<4xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %t = tensor.dim %x, %c0 : tensor<?xf32>
  %scale = tensor.extract %s[%c2] : tensor<4xf32>
  %count = arith.index_cast %t : index to i32
  %n = arith.sitofp %count : i32 to f32
  %e = tensor.empty(%t) : tensor<?xf32>
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>) {
  ^bb0(%a: f32, %out: f32):
    %scaled = arith.mulf %a, %scale : f32
    %share = arith.divf %scaled, %n : f32
    linalg.yield %share : f32
  } -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

// The ops that are kernels by themselves read buffers as they are.
// CHECK-LABEL: func.func @plan_of_a_slice
// CHECK:         %[[COPY:.+]] = moe.kernel "elementwise"
// CHECK:           tensor.extract_slice
// CHECK:         moe.kernel "plan" (%[[INDICES:.+]] = %[[COPY]] : tensor<4x2xi32>)
// CHECK-NEXT:      moe.plan %[[INDICES]]
func.func @plan_of_a_slice(%all: tensor<4x3xi32>) -> tensor<5xi32> {
  %indices = tensor.extract_slice %all[0, 1] [4, 2] [1, 1] : tensor<4x3xi32> to tensor<4x2xi32>
  %offsets, %s2r, %r2s, %re = moe.plan %indices {experts = 4 : i64}
    : tensor<4x2xi32> -> tensor<5xi32>, tensor<4x2xi32>, tensor<8xi32>, tensor<8xi32>
  return %offsets : tensor<5xi32>
}
