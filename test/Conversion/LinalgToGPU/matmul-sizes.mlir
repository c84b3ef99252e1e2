// RUN: moe-opt %s --convert-moe-to-linalg --convert-linalg-to-gpu --canonicalize --cse | FileCheck %s

// Sizes that are no multiple of a tile or a vector.

#tiled = #moe.schedule<matmul, workgroup = 4, lanes = 4, rows = 4, columns = 16, vector = 4>

// 10 features are two steps of 4 and two of 1. 5 columns are stored one by one,
// each if it exists.

// CHECK-LABEL: gpu.func @odd
// CHECK:         %[[SUMS:.+]]:4 = scf.for %{{.+}} = %c0 to %c8 step %c4
// CHECK:         %[[K8:.+]]:4 = scf.for %{{.+}} = %c8 to %c10 step %c1 iter_args(%{{.+}} = %[[SUMS]]#0
// CHECK:         arith.cmpi slt, %{{.+}}, %c5
// CHECK-NEXT:    scf.if
// CHECK:           %[[ELEMENT:.+]] = vector.extract %[[K8]]#0[0]
// CHECK:           memref.store %[[ELEMENT]], %{{.+}} : memref<?xf32
// CHECK-NOT:     memref<?xvector
// CHECK:         gpu.return
func.func @f(%x: tensor<?x10xf32>, %w: tensor<10x5xf32>, %c: tensor<?x5xf32>) -> tensor<?x5xf32> {
  %0 = moe.kernel "odd" (%a = %x : tensor<?x10xf32>, %m = %w : tensor<10x5xf32>, %i = %c : tensor<?x5xf32>) -> (tensor<?x5xf32>) schedule(#tiled) {
    %y = linalg.matmul ins(%a, %m : tensor<?x10xf32>, tensor<10x5xf32>) outs(%i : tensor<?x5xf32>) -> tensor<?x5xf32>
    moe.yield %y : tensor<?x5xf32>
  }
  return %0 : tensor<?x5xf32>
}

// No features: the product is what the output held.

// CHECK-LABEL: gpu.func @nothing_to_sum
// CHECK-NOT:     spirv.GroupNonUniformShuffle
// CHECK:         %[[START:.+]] = memref.load %[[C:.+]][%{{.+}}] : memref<?xvector<4xf32>
// CHECK:         memref.store %[[START]], %{{.+}} : memref<?xvector<4xf32>
func.func @g(%x: tensor<?x0xf32>, %w: tensor<0x16xf32>, %c: tensor<?x16xf32>) -> tensor<?x16xf32> {
  %0 = moe.kernel "nothing_to_sum" (%a = %x : tensor<?x0xf32>, %m = %w : tensor<0x16xf32>, %i = %c : tensor<?x16xf32>) -> (tensor<?x16xf32>) schedule(#tiled) {
    %y = linalg.matmul ins(%a, %m : tensor<?x0xf32>, tensor<0x16xf32>) outs(%i : tensor<?x16xf32>) -> tensor<?x16xf32>
    moe.yield %y : tensor<?x16xf32>
  }
  return %0 : tensor<?x16xf32>
}

// One lane exchanges nothing.

// CHECK-LABEL: gpu.func @one_lane
// CHECK-SAME:    moe_rt.lanes = 1
// CHECK-NOT:     gpu.lane_id
// CHECK-NOT:     spirv.GroupNonUniformShuffle
// CHECK:         gpu.return
func.func @h(%x: tensor<?x8xf32>, %w: tensor<8x8xf32>, %c: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %0 = moe.kernel "one_lane" (%a = %x : tensor<?x8xf32>, %m = %w : tensor<8x8xf32>, %i = %c : tensor<?x8xf32>) -> (tensor<?x8xf32>) schedule(#moe.schedule<matmul, rows = 4, columns = 8, vector = 4>) {
    %y = linalg.matmul ins(%a, %m : tensor<?x8xf32>, tensor<8x8xf32>) outs(%i : tensor<?x8xf32>) -> tensor<?x8xf32>
    moe.yield %y : tensor<?x8xf32>
  }
  return %0 : tensor<?x8xf32>
}
