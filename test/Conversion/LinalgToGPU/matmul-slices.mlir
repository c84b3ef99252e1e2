// RUN: moe-opt %s --convert-moe-to-linalg --convert-linalg-to-gpu --canonicalize --cse | FileCheck %s

// 5 experts, 2 bound at a time: one kernel, dispatched for each slice of the
// matrices with the range of experts it holds. 8 x 16 x 4 bytes are 512 each.

// CHECK-LABEL: moe_rt.program @f
// CHECK-DAG:     %[[W:.+]] = moe_rt.buffer "input 1" <input> bytes %c2560
// CHECK-DAG:     %[[TILES:.+]] = moe_rt.dim 2, 0
// CHECK:         %[[FIRST:.+]] = moe_rt.slice %[[W]] at %c0 bytes %c1024
// CHECK:         moe_rt.dispatch @up grid({{.*}}) push(%c0, %c2, %[[TILES]]) reads(%{{.+}}, %[[FIRST]], %{{.+}}) writes(%[[Y:.+]]) flops
// CHECK:         %[[SECOND:.+]] = moe_rt.slice %[[W]] at %c1024 bytes %c1024
// The work is reported once.
// CHECK:         moe_rt.dispatch @up grid({{.*}}) push(%c2, %c4, %[[TILES]]) reads(%{{.+}}, %[[SECOND]], %{{.+}}) writes(%[[Y]]) label
// CHECK:         %[[LAST:.+]] = moe_rt.slice %[[W]] at %c2048 bytes %c512
// CHECK:         moe_rt.dispatch @up grid({{.*}}) push(%c4, %c5, %[[TILES]]) reads(%{{.+}}, %[[LAST]], %{{.+}}) writes(%[[Y]]) label
// CHECK-NOT:     moe_rt.dispatch

// Tiles of other experts are left to their slice; the tail, expert -1, belongs
// to the first one. Experts are counted from the slice's first.

// CHECK-LABEL: gpu.func @up
// CHECK-DAG:     %[[BEGIN:.+]] = moe_rt.push_constant 0
// CHECK-DAG:     %[[END:.+]] = moe_rt.push_constant 1
// CHECK:         %[[EXPERT:.+]] = arith.maxsi %{{.+}}, %c0
// CHECK-DAG:     %[[AFTER:.+]] = arith.cmpi sge, %[[EXPERT]], %[[BEGIN]]
// CHECK-DAG:     %[[BEFORE:.+]] = arith.cmpi slt, %[[EXPERT]], %[[END]]
// CHECK:         %[[HERE:.+]] = arith.andi %[[AFTER]], %[[BEFORE]]
// CHECK:         scf.if %[[HERE]]
// CHECK:           arith.subi %{{.+}}, %[[BEGIN]]
func.func @f(%x: tensor<?x8xf32>, %w: tensor<5x8x16xf32>, %table: tensor<?x3xi32>, %offsets: tensor<6xi32>) -> tensor<?x16xf32> {
  %0 = moe.kernel "up" (%a = %x : tensor<?x8xf32>, %m = %w : tensor<5x8x16xf32>, %o = %offsets : tensor<6xi32>, %t = %table : tensor<?x3xi32>) -> (tensor<?x16xf32>) schedule(#moe.schedule<matmul, workgroup = 4, lanes = 4, rows = 4, columns = 16, vector = 4, slice = 2>) {
    %y = moe.grouped_matmul %a, %m, %o : tensor<?x8xf32>, tensor<5x8x16xf32>, tensor<6xi32> -> tensor<?x16xf32>
    moe.yield %y : tensor<?x16xf32>
  }
  return %0 : tensor<?x16xf32>
}
