// RUN: moe-opt %s --convert-linalg-to-gpu --canonicalize --cse --mlir-print-local-scope | FileCheck %s

// The host program of a function: buffers of arguments, results, constants and
// what lies between, and one dispatch for each kernel, in order.

#id = affine_map<(d0) -> (d0)>
#by1 = #moe.schedule<elementwise, workgroup = 64>

// CHECK-LABEL: moe_rt.program @chain
// CHECK-DAG:     %[[T:.+]] = moe_rt.dim 0, 0
// CHECK-DAG:     %[[BYTES:.+]] = affine.apply affine_map<()[s0] -> (s0 * 4)>()[%[[T]]]
// CHECK:         %[[X:.+]] = moe_rt.buffer "input 0" <input> bytes %[[BYTES]]
// CHECK:         moe_rt.tensor %[[X]] <input> 0 : f32[%[[T]]]
// An argument that no kernel reads has a buffer too, and a name of its own.
// CHECK:         %[[SCALES:.+]] = moe_rt.buffer "scales" <input> bytes %c16
// CHECK:         moe_rt.tensor %[[SCALES]] <input> 1 : i32[%c2, %c2]
// CHECK:         %[[Y:.+]] = moe_rt.buffer "result 0" <output> bytes %[[BYTES]]
// CHECK:         moe_rt.tensor %[[Y]] <output> 0 : f32[%[[T]]]
// CHECK:         %[[MIDDLE:.+]] = moe_rt.buffer "double.0" <transient> bytes %[[BYTES]]
// CHECK:         %[[GRID:.+]] = affine.min affine_map<()[s0] -> (s0 ceildiv 64, 65535)>()[%[[T]]]
// CHECK:         moe_rt.dispatch @double grid(%[[GRID]], %c1, %c1) push(%[[T]]) reads(%[[X]]) writes(%[[MIDDLE]]) bytes %{{.+}} label "double"
// CHECK:         moe_rt.dispatch @double_1 grid(%[[GRID]], %c1, %c1) push(%[[T]]) reads(%[[MIDDLE]]) writes(%[[Y]])
// CHECK-NOT:     moe_rt.barrier
func.func @chain(%x: tensor<?xf32>, %unused: tensor<2x2xi32> {moe.name = "scales"}) -> tensor<?xf32> {
  %0 = moe.kernel "double" (%a = %x : tensor<?xf32>) -> (tensor<?xf32>) schedule(#by1) {
    %y = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%a : tensor<?xf32>) {
    ^bb0(%p: f32):
      %s = arith.addf %p, %p : f32
      linalg.yield %s : f32
    } -> tensor<?xf32>
    moe.yield %y : tensor<?xf32>
  }
  %1 = moe.kernel "double" (%a = %0 : tensor<?xf32>) -> (tensor<?xf32>) schedule(#by1) {
    %y = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%a : tensor<?xf32>) {
    ^bb0(%p: f32):
      %s = arith.addf %p, %p : f32
      linalg.yield %s : f32
    } -> tensor<?xf32>
    moe.yield %y : tensor<?xf32>
  }
  return %1 : tensor<?xf32>
}

// A constant has its data; a buffer that is read twice is bound once.

// CHECK-LABEL: moe_rt.program @constants
// CHECK:         %[[Y:.+]] = moe_rt.buffer "result 0" <output>
// CHECK:         %[[TABLE:.+]] = moe_rt.buffer "{{.+}}" <constant> bytes %c8 data dense<[1, 2]> : tensor<2xi32>
// CHECK:         moe_rt.dispatch @square grid({{.+}}) reads(%[[TABLE]]) writes(%[[Y]])
func.func @constants() -> tensor<2xi32> {
  %table = arith.constant dense<[1, 2]> : tensor<2xi32>
  %0 = moe.kernel "square" (%a = %table : tensor<2xi32>, %b = %table : tensor<2xi32>) -> (tensor<2xi32>) schedule(#by1) {
    %e = tensor.empty() : tensor<2xi32>
    %y = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]} ins(%a, %b : tensor<2xi32>, tensor<2xi32>) outs(%e : tensor<2xi32>) {
    ^bb0(%p: i32, %q: i32, %out: i32):
      %s = arith.muli %p, %q : i32
      linalg.yield %s : i32
    } -> tensor<2xi32>
    moe.yield %y : tensor<2xi32>
  }
  return %0 : tensor<2xi32>
}

// Kernels, functions and the module of kernels share one space of names.

// CHECK-LABEL: moe_rt.program @copy
// CHECK:         moe_rt.dispatch @copy_1 grid
func.func @copy(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = moe.kernel "copy" (%a = %x : tensor<4xf32>) -> (tensor<4xf32>) schedule(#by1) {
    moe.yield %a : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// A function of nothing, and one that stays because nobody can call it.
// CHECK-LABEL: moe_rt.program @kernels
// CHECK-NEXT:  }
func.func @kernels() {
  return
}

// CHECK:       func.func private @elsewhere
func.func private @elsewhere(tensor<4xf32>)

// CHECK:       gpu.module @kernels_0
