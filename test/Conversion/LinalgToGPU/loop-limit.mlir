// RUN: moe-opt %s --convert-linalg-to-gpu --canonicalize --cse | FileCheck %s
// RUN: moe-opt %s --convert-linalg-to-gpu=max-loop-iterations=0 --canonicalize --cse | FileCheck %s --check-prefix=FREE

#rows = affine_map<(d0) -> (d0)>
#sum = affine_map<(d0) -> ()>

// The host refuses what is too long all the same.

// CHECK:     moe_rt.program @f
// CHECK:       %[[T:.+]] = moe_rt.dim 0, 0
// CHECK:       moe_rt.assert %[[T]] <at_most> %c33548736{{[_0-9]*}}, "dim 0 of input 0 (where the target leaves the loops of kernel 'tree')"
// FREE:      moe_rt.program @f
// FREE-NOT:    moe_rt.assert

// A device that leaves its loops takes eight elements in an iteration, in the
// same order as the loop after it, which takes the last few.

// CHECK-LABEL: gpu.func @tree
// CHECK-SAME:    attributes
// CHECK-NOT:     moe_rt.loop_iterations
// CHECK-DAG:     %[[N:.+]] = moe_rt.push_constant 0
// CHECK-DAG:     %[[THREAD:.+]] = gpu.thread_id x
// CHECK:         %[[MANY:.+]] = scf.for %[[I:.+]] = %[[THREAD]] to %[[MIDDLE:.+]] step %c512 iter_args(%[[SUM:.+]] = %{{.+}})
// CHECK-NEXT:      %[[X:.+]] = memref.load %arg0[%[[I]]]
// CHECK-NEXT:      %[[S:.+]] = arith.addf %[[SUM]], %[[X]]
// CHECK-NEXT:      %[[NEXT:.+]] = arith.addi %[[I]], %c64
// CHECK-NEXT:      %[[Y:.+]] = memref.load %arg0[%[[NEXT]]]
// CHECK-NEXT:      arith.addf %[[S]], %[[Y]]
// CHECK:         scf.for %{{.+}} = %[[MIDDLE]] to %[[N]] step %c64 iter_args(%{{.+}} = %[[MANY]])

// Where no device is that we know, the loop is as it is written, and the kernel
// tells how many iterations it may make.

// FREE-LABEL: gpu.func @tree
// FREE-SAME:    moe_rt.loop_iterations = 16777219 : i64
// FREE-COUNT-1: step %c64
// FREE-NOT:     step %c512

func.func @f(%x: tensor<?xf32>, %init: tensor<f32>) -> tensor<f32> {
  %0 = moe.kernel "tree" (%a = %x : tensor<?xf32>, %i = %init : tensor<f32>) -> (tensor<f32>) schedule(#moe.schedule<reduce, workgroup = 64>) {
    %y = linalg.generic {indexing_maps = [#rows, #sum], iterator_types = ["reduction"]}
        ins(%a : tensor<?xf32>) outs(%i : tensor<f32>) {
    ^bb0(%p: f32, %acc: f32):
      %s = arith.addf %acc, %p : f32
      linalg.yield %s : f32
    } -> tensor<f32>
    moe.yield %y : tensor<f32>
  }
  return %0 : tensor<f32>
}
