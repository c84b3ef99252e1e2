// RUN: moe-opt %s --convert-linalg-to-gpu --canonicalize --cse | FileCheck %s

#rows = affine_map<(d0, d1) -> (d0, d1)>
#sums = affine_map<(d0, d1) -> (d0)>

// One workgroup an output. Its 4 invocations take every fourth element, then a
// tree of two steps over workgroup memory; what the output held comes last.

// CHECK-LABEL: gpu.func @sum
// CHECK-SAME:    workgroup_size = [4, 1, 1]
// CHECK-DAG:     %[[NEUTRAL:.+]] = arith.constant -0.0{{.*}} : f32
// CHECK-DAG:     %[[OUTPUTS:.+]] = moe_rt.push_constant 0
// CHECK-DAG:     %[[MEMORY:.+]] = memref.alloc() : memref<4xf32, #spirv.storage_class<Workgroup>>
// CHECK-DAG:     %[[GROUP:.+]] = gpu.block_id x
// CHECK-DAG:     %[[THREAD:.+]] = gpu.thread_id x
// CHECK:         scf.for %[[OUT:.+]] = %[[GROUP]] to %[[OUTPUTS]]
// CHECK:           %[[START:.+]] = memref.load %arg1[%[[OUT]]]
// CHECK:           %[[PARTIAL:.+]] = scf.for %{{.+}} = %[[THREAD]] to %c96 step %c4 iter_args(%[[ACC:.+]] = %[[NEUTRAL]])
// CHECK:             arith.addf %[[ACC]], %{{.+}} : f32
// CHECK:           memref.store %[[PARTIAL]], %[[MEMORY]][%[[THREAD]]]
// CHECK-NEXT:      gpu.barrier
// CHECK:           scf.if
// CHECK:             %[[TWO_ON:.+]] = arith.addi %[[THREAD]], %c2
// CHECK:             %[[OTHER:.+]] = memref.load %[[MEMORY]][%[[TWO_ON]]]
// CHECK:             %[[BOTH:.+]] = arith.addf %{{.+}}, %[[OTHER]]
// CHECK:             memref.store %[[BOTH]], %[[MEMORY]][%[[THREAD]]]
// CHECK:           gpu.barrier
// CHECK:           scf.if
// CHECK:             %[[ONE_ON:.+]] = arith.addi %[[THREAD]], %c1
// CHECK:             %[[LAST:.+]] = memref.load %[[MEMORY]][%[[ONE_ON]]]
// CHECK:             %[[ALL:.+]] = arith.addf %{{.+}}, %[[LAST]]
// CHECK:             memref.store %[[ALL]], %[[MEMORY]][%[[THREAD]]]
// CHECK:           gpu.barrier
// CHECK:           %[[TREE:.+]] = memref.load %[[MEMORY]][%c0]
// The next output of this workgroup overwrites the memory.
// CHECK-NEXT:      gpu.barrier
// CHECK:           %[[TOTAL:.+]] = arith.addf %[[START]], %[[TREE]]
// CHECK:           scf.if
// CHECK-NEXT:        memref.store %[[TOTAL]], %arg2[%[[OUT]]]
func.func @f(%x: tensor<?x96xf32>, %init: tensor<?xf32>) -> tensor<?xf32> {
  %0 = moe.kernel "sum" (%a = %x : tensor<?x96xf32>, %i = %init : tensor<?xf32>) -> (tensor<?xf32>) schedule(#moe.schedule<reduce, workgroup = 4>) {
    %y = linalg.generic {indexing_maps = [#rows, #sums], iterator_types = ["parallel", "reduction"]}
        ins(%a : tensor<?x96xf32>) outs(%i : tensor<?xf32>) {
    ^bb0(%p: f32, %acc: f32):
      %s = arith.addf %acc, %p : f32
      linalg.yield %s : f32
    } -> tensor<?xf32>
    moe.yield %y : tensor<?xf32>
  }
  return %0 : tensor<?xf32>
}

// A body that is no combination of the accumulator and an element has one
// order: that of one invocation, from what the output held.

// CHECK-LABEL: gpu.func @horner
// CHECK-SAME:    workgroup_size = [1, 1, 1]
// CHECK-NOT:     gpu.barrier
// CHECK:         %[[START:.+]] = memref.load %arg1
// CHECK:         %[[RESULT:.+]] = scf.for %{{.+}} to %c96 step %c1 iter_args(%{{.+}} = %[[START]])
// CHECK:         memref.store %[[RESULT]], %arg2
// CHECK:         gpu.return
func.func @g(%x: tensor<?x96xf32>, %init: tensor<?xf32>) -> tensor<?xf32> {
  %0 = moe.kernel "horner" (%a = %x : tensor<?x96xf32>, %i = %init : tensor<?xf32>) -> (tensor<?xf32>) schedule(#moe.schedule<reduce, workgroup = 4>) {
    %y = linalg.generic {indexing_maps = [#rows, #sums], iterator_types = ["parallel", "reduction"]}
        ins(%a : tensor<?x96xf32>) outs(%i : tensor<?xf32>) {
    ^bb0(%p: f32, %acc: f32):
      %m = arith.mulf %acc, %p : f32
      %s = arith.addf %m, %p : f32
      linalg.yield %s : f32
    } -> tensor<?xf32>
    moe.yield %y : tensor<?xf32>
  }
  return %0 : tensor<?xf32>
}
