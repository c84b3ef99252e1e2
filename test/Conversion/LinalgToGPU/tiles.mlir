// RUN: moe-opt %s --split-input-file --convert-linalg-to-gpu --canonicalize --cse | FileCheck %s

// CHECK-DAG: #[[$ENTRIES:.*]] = affine_map<()[s0] -> (s0 ceildiv 16 + 4)>
// CHECK-LABEL: moe_rt.program @table
// CHECK: %[[OFFSETS:.*]] = moe_rt.buffer "input 0" <input>
// CHECK: %[[TABLE:.*]] = moe_rt.buffer "result 0" <output>
// CHECK: %[[N:.*]] = affine.apply #[[$ENTRIES]]
// CHECK: %[[COUNT:.*]] = moe_rt.buffer "result 1" <output>
// CHECK: %[[GRID:.*]] = moe_rt.buffer "result 2" <output>
// CHECK: %[[PREFIX:.*]] = moe_rt.buffer "tiles prefix" <transient> bytes %c24
// CHECK: moe_rt.dispatch @tiles_count grid(%c1, %c1, %c1) {{.*}} reads(%[[OFFSETS]]) writes(%[[COUNT]], %[[GRID]], %[[PREFIX]]) label "tiles: count"
// CHECK: moe_rt.dispatch @tiles_fill {{.*}} push({{.*}}%[[N]]) reads(%[[OFFSETS]], %[[PREFIX]]) writes(%[[TABLE]]) {{.*}} label "tiles"

// The tail is a fifth run; a grid has at most 65535 workgroups.
// CHECK-LABEL: gpu.func @tiles_count
// CHECK: gpu.barrier
// CHECK: arith.minsi %{{.*}}, %c65535_i32
// CHECK-LABEL: gpu.func @tiles_fill
// CHECK: scf.for
// CHECK: scf.if
// CHECK: } else {
// CHECK: scf.yield %c-1_i32, %c0_i32, %c0_i32
func.func @table(%offsets: tensor<5xi32>, %rows: tensor<?x8xf32>)
    -> (tensor<?x3xi32>, tensor<1xi32>, tensor<3xi32>) {
  %c0 = arith.constant 0 : index
  %total = tensor.dim %rows, %c0 : tensor<?x8xf32>
  %r:3 = moe.kernel "tiles" (%o = %offsets : tensor<5xi32>, %t = %total : index)
      -> (tensor<?x3xi32>, tensor<1xi32>, tensor<3xi32>)
      schedule(#moe.schedule<tiles, workgroup = 8, rows = 16>) {
    %x:3 = moe.tiles %o, %t {rows = 16 : i64}
      : tensor<5xi32> -> tensor<?x3xi32>, tensor<1xi32>, tensor<3xi32>
    moe.yield %x#0, %x#1, %x#2 : tensor<?x3xi32>, tensor<1xi32>, tensor<3xi32>
  }
  return %r#0, %r#1, %r#2 : tensor<?x3xi32>, tensor<1xi32>, tensor<3xi32>
}

// -----

// CHECK-LABEL: moe_rt.program @count_alone
// CHECK: moe_rt.dispatch @tiles_count
// CHECK-NOT: @tiles_fill
func.func @count_alone(%offsets: tensor<5xi32>) -> tensor<1xi32> {
  %total = arith.constant 100 : index
  %r = moe.kernel "tiles" (%o = %offsets : tensor<5xi32>, %t = %total : index) -> (tensor<1xi32>)
      schedule(#moe.schedule<tiles, workgroup = 8, rows = 16>) {
    %x:3 = moe.tiles %o, %t {rows = 16 : i64}
      : tensor<5xi32> -> tensor<11x3xi32>, tensor<1xi32>, tensor<3xi32>
    moe.yield %x#1 : tensor<1xi32>
  }
  return %r : tensor<1xi32>
}
