// RUN: moe-opt %s --split-input-file --convert-linalg-to-gpu --canonicalize --cse | FileCheck %s

#id = affine_map<(i) -> (i)>
#by1 = #moe.schedule<elementwise, workgroup = 64>

// After a fault the kernels that update state have grids of 0, 0, 0.

// CHECK-LABEL: moe_rt.program @step
// CHECK:         %[[STATUS:.+]] = moe_rt.buffer "status" <status>
// CHECK:         moe_rt.dispatch @check_offsets {{.*}} updates(%[[STATUS]])
// CHECK:         %[[GRIDS:.+]] = moe_rt.buffer "grids of updates" <transient> bytes %c24
// CHECK:         %[[GOOD:.+]] = moe_rt.buffer "grids of updates without a fault" <constant> bytes %c24
// CHECK-SAME:      data dense<[3, 1, 1, 1, 1, 1]> : tensor<6xi32>
// CHECK:         moe_rt.dispatch @guard_updates grid(%c1, %c1, %c1) reads(%[[STATUS]], %[[GOOD]]) writes(%[[GRIDS]]) label "guard updates"
// CHECK:         moe_rt.dispatch_indirect @first grid(%[[GRIDS]] at %c0) updates(%{{.+}}) bytes %c1040 label "first"
// CHECK:         moe_rt.dispatch_indirect @second grid(%[[GRIDS]] at %c12) updates(%{{.+}}) bytes %c32 label "second"
// CHECK-NOT:     moe_rt.dispatch

// CHECK-LABEL: gpu.func @guard_updates
// CHECK-SAME:    (%[[FOUND:.+]]: memref<?xi32, {{.*}}<(0, 0)>}, %[[WANTED:.+]]: memref<?xi32, {{.*}}<(0, 1)>}, %[[OUT:.+]]: memref<?xi32, {{.*}}<(0, 2)>})
// CHECK:         %[[INSIDE:.+]] = arith.cmpi slt, %[[I:.+]], %c6
// CHECK:         scf.if %[[INSIDE]] {
// CHECK:           %[[CODE:.+]] = memref.load %[[FOUND]][%c0]
// CHECK:           %[[NONE:.+]] = arith.cmpi eq, %[[CODE]], %c0_i32
// CHECK:           %[[WORD:.+]] = memref.load %[[WANTED]][%[[I]]]
// CHECK:           %[[GRID:.+]] = arith.select %[[NONE]], %[[WORD]], %c0_i32
// CHECK:           memref.store %[[GRID]], %[[OUT]][%[[I]]]
func.func @step(%offsets: tensor<9xi32>, %x: tensor<?x4xf32>, %v: tensor<130xf32> {moe.aliases_result = 1 : i64},
                %w: tensor<4xf32> {moe.aliases_result = 2 : i64}) -> (tensor<9xi32>, tensor<130xf32>, tensor<4xf32>) {
  %o = moe.kernel "check_offsets" (%a = %offsets : tensor<9xi32>, %b = %x : tensor<?x4xf32>) -> (tensor<9xi32>)
      schedule(#moe.schedule<check_offsets>) {
    %c = moe.check_offsets %a, %b : tensor<9xi32>, tensor<?x4xf32>
    moe.yield %c : tensor<9xi32>
  }
  %y = moe.kernel "first" (%a = %v : tensor<130xf32>) -> (tensor<130xf32>) updates [0] schedule(#by1) {
    %r = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%a : tensor<130xf32>) {
    ^bb0(%p: f32):
      %s = arith.negf %p : f32
      linalg.yield %s : f32
    } -> tensor<130xf32>
    moe.yield %r : tensor<130xf32>
  }
  %z = moe.kernel "second" (%a = %w : tensor<4xf32>) -> (tensor<4xf32>) updates [0] schedule(#by1) {
    %r = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%a : tensor<4xf32>) {
    ^bb0(%p: f32):
      %s = arith.negf %p : f32
      linalg.yield %s : f32
    } -> tensor<4xf32>
    moe.yield %r : tensor<4xf32>
  }
  return %o, %y, %z : tensor<9xi32>, tensor<130xf32>, tensor<4xf32>
}

// -----

#id = affine_map<(i) -> (i)>
#by1 = #moe.schedule<elementwise, workgroup = 64>

// A kernel whose results take no memory of an input is not guarded, whatever
// its grid depends on.

// CHECK-LABEL: moe_rt.program @no_update
// CHECK:         moe_rt.dispatch @check_offsets
// CHECK-NOT:     guard
// CHECK:         moe_rt.dispatch @free grid
// CHECK-NOT:     moe_rt.dispatch
// CHECK-LABEL: gpu.func
func.func @no_update(%offsets: tensor<9xi32>, %x: tensor<?x4xf32>, %v: tensor<?xf32>) -> (tensor<9xi32>, tensor<?xf32>) {
  %o = moe.kernel "check_offsets" (%a = %offsets : tensor<9xi32>, %b = %x : tensor<?x4xf32>) -> (tensor<9xi32>)
      schedule(#moe.schedule<check_offsets>) {
    %c = moe.check_offsets %a, %b : tensor<9xi32>, tensor<?x4xf32>
    moe.yield %c : tensor<9xi32>
  }
  %y = moe.kernel "free" (%a = %v : tensor<?xf32>) -> (tensor<?xf32>) updates [-1] schedule(#by1) {
    %r = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%a : tensor<?xf32>) {
    ^bb0(%p: f32):
      %s = arith.negf %p : f32
      linalg.yield %s : f32
    } -> tensor<?xf32>
    moe.yield %r : tensor<?xf32>
  }
  return %o, %y : tensor<9xi32>, tensor<?xf32>
}
