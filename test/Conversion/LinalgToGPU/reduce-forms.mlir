// RUN: moe-opt %s --convert-linalg-to-gpu=max-loop-iterations=0 --canonicalize --cse | FileCheck %s

// Several results at once, reductions over tokens, and neutral elements.

#rows = affine_map<(d0, d1) -> (d0, d1)>

// Two combiners share the loop, each with memory of its own.

// CHECK-LABEL: gpu.func @sum_and_maximum
// CHECK-DAG:     %[[ZERO:.+]] = arith.constant -0.0{{.*}} : f32
// CHECK-DAG:     %[[LEAST:.+]] = arith.constant 0xFF800000 : f32
// CHECK-DAG:     %[[TOKENS:.+]] = moe_rt.push_constant 0
// CHECK-COUNT-2: memref.alloc() : memref<2xf32, #spirv.storage_class<Workgroup>>
// One output for each column: a loop over tokens inside.
// CHECK:         scf.for %[[COLUMN:.+]] = %{{.+}} to %c8 step
// CHECK:           scf.for %[[TOKEN:.+]] = %{{.+}} to %[[TOKENS]] step %c2 iter_args(%[[S:.+]] = %[[ZERO]], %[[M:.+]] = %[[LEAST]])
// CHECK:             %[[START:.+]] = arith.muli %[[TOKEN]], %c8
// CHECK:             %[[AT:.+]] = arith.addi %[[START]], %[[COLUMN]]
// CHECK:             %[[X:.+]] = memref.load %{{.+}}[%[[AT]]]
// CHECK-DAG:         arith.addf %[[S]], %[[X]]
// CHECK-DAG:         arith.maximumf %[[M]], %[[X]]
func.func @f(%x: tensor<?x8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0:2 = moe.kernel "sum_and_maximum" (%a = %x : tensor<?x8xf32>) -> (tensor<8xf32>, tensor<8xf32>) schedule(#moe.schedule<reduce, workgroup = 2>) {
    %zero = arith.constant 0.0 : f32
    %least = arith.constant 0xFF800000 : f32
    %e = tensor.empty() : tensor<8xf32>
    %i = linalg.fill ins(%zero : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
    %j = linalg.fill ins(%least : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
    %y:2 = linalg.generic {indexing_maps = [#rows, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d1)>], iterator_types = ["reduction", "parallel"]}
        ins(%a : tensor<?x8xf32>) outs(%i, %j : tensor<8xf32>, tensor<8xf32>) {
    ^bb0(%p: f32, %s: f32, %m: f32):
      %s1 = arith.addf %s, %p : f32
      %m1 = arith.maximumf %m, %p : f32
      linalg.yield %s1, %m1 : f32, f32
    } -> (tensor<8xf32>, tensor<8xf32>)
    moe.yield %y#0, %y#1 : tensor<8xf32>, tensor<8xf32>
  }
  return %0#0, %0#1 : tensor<8xf32>, tensor<8xf32>
}

// All elements of a matrix to one: both loops are one, cut apart again.

// CHECK-LABEL: gpu.func @smallest
// CHECK-DAG:     %[[GREATEST:.+]] = arith.constant 2147483647 : i32
// CHECK-DAG:     %[[ELEMENTS:.+]] = moe_rt.push_constant 0
// CHECK:         scf.for %[[I:.+]] = %{{.+}} to %[[ELEMENTS]] step %c2 iter_args(%{{.+}} = %[[GREATEST]])
// CHECK-DAG:       arith.remui %[[I]], %c8
// CHECK-DAG:       arith.divui %[[I]], %c8
// CHECK:           arith.minsi
func.func @g(%x: tensor<?x8xi32>, %init: tensor<i32>) -> tensor<i32> {
  %0 = moe.kernel "smallest" (%a = %x : tensor<?x8xi32>, %i = %init : tensor<i32>) -> (tensor<i32>) schedule(#moe.schedule<reduce, workgroup = 2>) {
    %y = linalg.generic {indexing_maps = [#rows, affine_map<(d0, d1) -> ()>], iterator_types = ["reduction", "reduction"]}
        ins(%a : tensor<?x8xi32>) outs(%i : tensor<i32>) {
    ^bb0(%p: i32, %m: i32):
      %m1 = arith.minsi %m, %p : i32
      linalg.yield %m1 : i32
    } -> tensor<i32>
    moe.yield %y : tensor<i32>
  }
  return %0 : tensor<i32>
}
