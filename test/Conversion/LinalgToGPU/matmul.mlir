// RUN: moe-opt %s --convert-moe-to-linalg --convert-linalg-to-gpu --canonicalize --cse | FileCheck %s

// One workgroup a tile, of as many invocations as lanes. Lane l owns columns
// 4l … 4l + 3; elements of the left tile come from the other lanes.

#tiled = #moe.schedule<matmul, workgroup = 4, lanes = 4, rows = 4, columns = 16, vector = 4>

// CHECK-LABEL: moe_rt.program @f
// CHECK-DAG:     %[[T:.+]] = moe_rt.dim 0, 0
// CHECK-DAG:     %[[TILES:.+]] = moe_rt.dim 2, 0
// 32 columns are 2 tiles; more tiles than the guaranteed grid are looped over.
// CHECK:         %[[GRID:.+]] = affine.min {{.*}}%[[TILES]]
// 2 flops for each of 8 products of 32 columns of a row.
// CHECK:         %[[FLOPS:.+]] = affine.apply #[[FLOPS_MAP:.+]]()[%[[T]]]
// CHECK:         moe_rt.dispatch @up grid(%c2, %[[GRID]], %c1) push(%[[TILES]])
// CHECK-SAME:      flops %[[FLOPS]]

// CHECK-LABEL: gpu.func @up
// CHECK-SAME:    (%[[X:.+]]: memref<?xvector<4xf32>, {{.*}}<(0, 0)>}, %[[W:.+]]: memref<?xvector<4xf32>, {{.*}}<(0, 1)>}, %[[TABLE:.+]]: memref<?xi32, {{.*}}<(0, 2)>}, %[[OUT:.+]]: memref<?xvector<4xf32>, {{.*}}<(0, 3)>})
// CHECK-SAME:    moe_rt.lanes = 4
// CHECK-SAME:    workgroup_size = [4, 1, 1]
// CHECK-DAG:     %[[LANE:.+]] = gpu.lane_id
// CHECK-DAG:     %[[TILES:.+]] = moe_rt.push_constant 0
// CHECK:         scf.for %[[TILE:.+]] = %{{.+}} to %[[TILES]]
// The table's entry, once a tile.
// CHECK-COUNT-3:   memref.load %[[TABLE]]
// CHECK:           scf.if
// CHECK:             scf.for %{{.+}} = %c0 to %c8 step %c4 iter_args(%[[ROW0:[a-z0-9]+]] =
// CHECK:               %[[LEFT:.+]] = memref.load %[[X]]
// CHECK-COUNT-4:       memref.load %[[W]]
// CHECK:               %[[OWN:.+]] = vector.extract %[[LEFT]][0]
// CHECK:               %[[FIRST:.+]] = spirv.GroupNonUniformShuffle <Subgroup> %[[OWN]], %c0_i32
// CHECK:               %[[REPEATED:.+]] = vector.broadcast %[[FIRST]] : f32 to vector<4xf32>
// CHECK:               %[[TERM:.+]] = arith.mulf %[[REPEATED]], %{{.+}} fastmath<contract> : vector<4xf32>
// CHECK:               arith.addf %[[TERM]], %[[ROW0]] fastmath<contract> : vector<4xf32>
// CHECK:               spirv.GroupNonUniformShuffle <Subgroup> %[[OWN]], %c1_i32
// CHECK:               spirv.GroupNonUniformShuffle <Subgroup> %[[OWN]], %c3_i32
// CHECK-NOT:           gpu.barrier
// One guarded store a row.
// CHECK-COUNT-4:     memref.store %{{.+}}, %[[OUT]]
// Rows of no expert are zeros, whose operands are never read.
// CHECK:           } else {
// CHECK-NOT:         memref.load
// CHECK-COUNT-4:     memref.store %cst{{.*}}, %[[OUT]]
// CHECK-NOT:     memref.alloc
// CHECK:         gpu.return
func.func @f(%x: tensor<?x8xf32>, %w: tensor<2x8x32xf32>, %table: tensor<?x3xi32>, %offsets: tensor<3xi32>) -> tensor<?x32xf32> {
  %0 = moe.kernel "up" (%a = %x : tensor<?x8xf32>, %m = %w : tensor<2x8x32xf32>, %o = %offsets : tensor<3xi32>, %t = %table : tensor<?x3xi32>) -> (tensor<?x32xf32>) schedule(#tiled) {
    %y = moe.grouped_matmul %a, %m, %o : tensor<?x8xf32>, tensor<2x8x32xf32>, tensor<3xi32> -> tensor<?x32xf32>
    moe.yield %y : tensor<?x32xf32>
  }
  return %0 : tensor<?x32xf32>
}
