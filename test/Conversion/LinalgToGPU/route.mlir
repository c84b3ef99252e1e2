// RUN: moe-opt %s --split-input-file --convert-linalg-to-gpu --canonicalize --cse | FileCheck %s

// Four lanes hold 32 experts: two loads of four each. Two selections, each with
// two exchanges of (value, id); no barrier.
// CHECK-LABEL: moe_rt.program @softmax
// CHECK: moe_rt.dispatch @route {{.*}} push({{.*}}) reads({{.*}}) writes({{.*}}, {{.*}}) {{.*}} label "route"
// CHECK-LABEL: gpu.func @route
// CHECK-SAME: moe_rt.lanes = 4 : i32
// CHECK-SAME: workgroup_size = [4, 1, 1]
// CHECK-NOT: gpu.barrier
// CHECK: scf.for
// CHECK-COUNT-2: memref.load {{.*}} : memref<?xvector<4xf32>
// CHECK-COUNT-8: math.exp
// CHECK: scf.for
// CHECK-COUNT-4: spirv.GroupNonUniformShuffleXor
// CHECK: scf.yield
// CHECK: math.exp
// CHECK: memref.store {{.*}} : memref<?xf32
// CHECK: memref.store {{.*}} : memref<?xi32
func.func @softmax(%logits: tensor<?x32xf32>) -> (tensor<?x2xf32>, tensor<?x2xi32>) {
  %r:2 = moe.kernel "route" (%l = %logits : tensor<?x32xf32>) -> (tensor<?x2xf32>, tensor<?x2xi32>)
      schedule(#moe.schedule<route, workgroup = 4, lanes = 4>) {
    %x:2 = moe.route %l {top_k = 2 : i64} : tensor<?x32xf32> -> tensor<?x2xf32>, tensor<?x2xi32>
    moe.yield %x#0, %x#1 : tensor<?x2xf32>, tensor<?x2xi32>
  }
  return %r#0, %r#1 : tensor<?x2xf32>, tensor<?x2xi32>
}

// -----

// The selection compares logits: without weights there is nothing to compute.
// CHECK-LABEL: gpu.func @route
// CHECK-NOT: math.exp
// CHECK: gpu.return
func.func @indices_alone(%logits: tensor<?x32xf32>) -> tensor<?x2xi32> {
  %r = moe.kernel "route" (%l = %logits : tensor<?x32xf32>) -> (tensor<?x2xi32>)
      schedule(#moe.schedule<route, workgroup = 4, lanes = 4>) {
    %x:2 = moe.route %l {top_k = 2 : i64} : tensor<?x32xf32> -> tensor<?x2xf32>, tensor<?x2xi32>
    moe.yield %x#1 : tensor<?x2xi32>
  }
  return %r : tensor<?x2xi32>
}

// -----

// One lane: no subgroup operation. Its two slots follow one another, and their
// scores wait in the result for the sum.
// CHECK-LABEL: moe_rt.program @one_lane
// CHECK: moe_rt.dispatch @route {{.*}} writes(%[[INDICES:[0-9]+]]) updates(%[[WEIGHTS:[0-9]+]])
// CHECK-LABEL: gpu.func @route
// CHECK-NOT: moe_rt.lanes
// CHECK-NOT: spirv.GroupNonUniform
// CHECK: gpu.return
func.func @one_lane(%logits: tensor<?x8xf32>) -> (tensor<?x2xf32>, tensor<?x2xi32>) {
  %r:2 = moe.kernel "route" (%l = %logits : tensor<?x8xf32>) -> (tensor<?x2xf32>, tensor<?x2xi32>)
      schedule(#moe.schedule<route, workgroup = 1, lanes = 1>) {
    %x:2 = moe.route %l {top_k = 2 : i64, renormalize} : tensor<?x8xf32> -> tensor<?x2xf32>, tensor<?x2xi32>
    moe.yield %x#0, %x#1 : tensor<?x2xf32>, tensor<?x2xi32>
  }
  return %r#0, %r#1 : tensor<?x2xf32>, tensor<?x2xi32>
}

// -----

// Two groups on four lanes: clusters of two lanes. One exchange of both of a
// group's best two, then one group is selected, then two experts.
// CHECK-LABEL: gpu.func @route
// CHECK: scf.for
// CHECK: spirv.GroupNonUniformShuffleXor <Subgroup> %{{.*}}, %c1_i32 : i32
// CHECK: spirv.GroupNonUniformShuffleXor <Subgroup> %{{.*}}, %c1_i32 : i32
// CHECK-NOT: spirv.GroupNonUniformShuffleXor
// CHECK: arith.addf
// CHECK-COUNT-4: spirv.GroupNonUniformShuffleXor
// CHECK: scf.for
// CHECK-COUNT-4: spirv.GroupNonUniformShuffleXor
// CHECK: scf.yield
func.func @groups(%logits: tensor<?x8xf32>, %bias: tensor<8xf32>) -> tensor<?x2xi32> {
  %r = moe.kernel "route" (%l = %logits : tensor<?x8xf32>, %b = %bias : tensor<8xf32>) -> (tensor<?x2xi32>)
      schedule(#moe.schedule<route, workgroup = 4, lanes = 4>) {
    %x:2 = moe.route %l bias %b
      {top_k = 2 : i64, scoring = #moe.scoring<sigmoid>, groups = 2 : i64, selected_groups = 1 : i64,
       group_score = #moe.group_score<top2_sum>}
      : tensor<?x8xf32>, tensor<8xf32> -> tensor<?x2xf32>, tensor<?x2xi32>
    moe.yield %x#1 : tensor<?x2xi32>
  }
  return %r : tensor<?x2xi32>
}
