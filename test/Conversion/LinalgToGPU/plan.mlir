// RUN: moe-opt %s --split-input-file --convert-linalg-to-gpu --canonicalize --cse | FileCheck %s

// At most 64 chunks of at least 64 slots; the scratch holds the histogram, its
// sums and the first faults; every step binds four buffers at most.
// CHECK-DAG: #[[$CHUNKS:.*]] = affine_map<()[s0] -> (64, s0 ceildiv 32)>
// CHECK-DAG: #[[$GROUPS:.*]] = affine_map<()[s0] -> (8, (s0 ceildiv 32) ceildiv 8)>
// CHECK-LABEL: moe_rt.program @every_result
// CHECK: %[[STATUS:.*]] = moe_rt.buffer "status" <status>
// CHECK: %[[INDICES:.*]] = moe_rt.buffer "input 0" <input>
// CHECK: %[[OFFSETS:.*]] = moe_rt.buffer "result 0" <output>
// CHECK: %[[SLOT_TO_ROW:.*]] = moe_rt.buffer "result 1" <output>
// CHECK: %[[ROW_TO_SLOT:.*]] = moe_rt.buffer "result 2" <output>
// CHECK: %[[ROW_EXPERT:.*]] = moe_rt.buffer "result 3" <output>
// CHECK: %[[SCRATCH:.*]] = moe_rt.buffer "plan scratch" <transient>
// CHECK-DAG: %[[P:.*]] = affine.min #[[$CHUNKS]]
// CHECK-DAG: %[[GRID:.*]] = affine.min #[[$GROUPS]]
// CHECK: moe_rt.dispatch @plan_count grid(%[[GRID]], {{.*}}) push(%[[P]], {{.*}}) reads(%[[INDICES]]) writes(%[[SCRATCH]])
// CHECK: moe_rt.dispatch @plan_blocks {{.*}} updates(%[[SCRATCH]]) label "plan: scan blocks"
// CHECK: moe_rt.fault_site "sort", 2, "expected an expert in [0, 4), but got {value} at token {token}, slot {choice}"
// CHECK: moe_rt.dispatch @plan_scan {{.*}} reads(%[[INDICES]]) writes(%[[OFFSETS]]) updates(%[[SCRATCH]], %[[STATUS]]) label "plan: scan"
// CHECK: moe_rt.dispatch @plan_starts {{.*}} updates(%[[SCRATCH]])
// CHECK: moe_rt.dispatch @plan_scatter grid(%[[GRID]], {{.*}}) {{.*}} reads(%[[INDICES]], %[[SCRATCH]]) writes(%[[SLOT_TO_ROW]], %[[ROW_TO_SLOT]])
// CHECK: moe_rt.dispatch @plan_runs {{.*}} reads(%[[SCRATCH]]) writes(%[[ROW_TO_SLOT]], %[[ROW_EXPERT]]) {{.*}} label "plan: runs"

// A private row has an element for each expert and one for bad indices.
// CHECK-LABEL: gpu.func @plan_count
// CHECK: memref.alloca() : memref<5xi32, #spirv.storage_class<Function>>
// CHECK: arith.cmpi ult, %{{.*}}, %c4_i32
func.func @every_result(%indices: tensor<?x2xi32>)
    -> (tensor<5xi32>, tensor<?x2xi32>, tensor<?xi32>, tensor<?xi32>) {
  %r:4 = moe.kernel "sort" (%i = %indices : tensor<?x2xi32>)
      -> (tensor<5xi32>, tensor<?x2xi32>, tensor<?xi32>, tensor<?xi32>)
      schedule(#moe.schedule<plan, workgroup = 8, chunks = 64>) {
    %p:4 = moe.plan %i {experts = 4 : i64}
      : tensor<?x2xi32> -> tensor<5xi32>, tensor<?x2xi32>, tensor<?xi32>, tensor<?xi32>
    moe.yield %p#0, %p#1, %p#2, %p#3 : tensor<5xi32>, tensor<?x2xi32>, tensor<?xi32>, tensor<?xi32>
  }
  return %r#0, %r#1, %r#2, %r#3 : tensor<5xi32>, tensor<?x2xi32>, tensor<?xi32>, tensor<?xi32>
}

// -----

// A mask reports nothing; steps whose results nobody wants are left out.
// CHECK-LABEL: moe_rt.program @offsets_of_a_mask
// CHECK-NOT: status
// CHECK-NOT: fault_site
// CHECK: @plan_count
// CHECK: @plan_scan
// CHECK-NOT: @plan_scatter
// CHECK-NOT: @plan_runs
func.func @offsets_of_a_mask(%indices: tensor<?x2xi32>) -> tensor<5xi32> {
  %r = moe.kernel "sort" (%i = %indices : tensor<?x2xi32>) -> (tensor<5xi32>)
      schedule(#moe.schedule<plan, workgroup = 8, chunks = 64>) {
    %p:4 = moe.plan %i {experts = 4 : i64, out_of_range = #moe.out_of_range<drop>}
      : tensor<?x2xi32> -> tensor<5xi32>, tensor<?x2xi32>, tensor<?xi32>, tensor<?xi32>
    moe.yield %p#0 : tensor<5xi32>
  }
  return %r : tensor<5xi32>
}

// -----

// One chunk needs no sums over chunks; a known number of slots gives it without
// being asked.
// CHECK-LABEL: moe_rt.program @one_chunk
// CHECK: @plan_count
// CHECK-NEXT: @plan_scan
// CHECK-NEXT: @plan_scatter
func.func @one_chunk(%indices: tensor<16x2xi32>) -> (tensor<5xi32>, tensor<16x2xi32>) {
  %r:2 = moe.kernel "sort" (%i = %indices : tensor<16x2xi32>) -> (tensor<5xi32>, tensor<16x2xi32>)
      schedule(#moe.schedule<plan, workgroup = 8, chunks = 64>) {
    %p:4 = moe.plan %i {experts = 4 : i64, out_of_range = #moe.out_of_range<drop>}
      : tensor<16x2xi32> -> tensor<5xi32>, tensor<16x2xi32>, tensor<32xi32>, tensor<32xi32>
    moe.yield %p#0, %p#1 : tensor<5xi32>, tensor<16x2xi32>
  }
  return %r#0, %r#1 : tensor<5xi32>, tensor<16x2xi32>
}
