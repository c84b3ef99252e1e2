// RUN: moe-opt %s | moe-opt | FileCheck %s

// CHECK-LABEL: moe_rt.program @declarations {
moe_rt.program @declarations {
  // CHECK: %[[T:.*]] = moe_rt.dim 0, 0 : "t"
  %t = moe_rt.dim 0, 0 : "t"
  // CHECK: %[[ONE:.*]] = moe_rt.dim 1, 0 : "t1"
  %t1 = moe_rt.dim 1, 0 : "t1"
  // CHECK: %[[BYTES:.*]] = affine.apply
  %bytes = affine.apply affine_map<(d0) -> (d0 * 256)>(%t)
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  // CHECK: %[[X:.*]] = moe_rt.buffer "x" <input> bytes %[[BYTES]]
  %x = moe_rt.buffer "x" <input> bytes %bytes
  // CHECK: %[[Y:.*]] = moe_rt.buffer "y" <output> bytes %[[BYTES]]
  %y = moe_rt.buffer "y" <output> bytes %bytes
  // CHECK: moe_rt.buffer "unplaced" <transient> bytes %[[BYTES]]
  %u = moe_rt.buffer "unplaced" <transient> bytes %bytes
  // CHECK: moe_rt.buffer "placed" <transient> bytes %{{.*}} at %{{.*}}
  %p = moe_rt.buffer "placed" <transient> bytes %bytes at %c0
  // CHECK: moe_rt.buffer "two" <constant> bytes %{{.*}} data dense<2.000000e+00> : tensor<2xf32>
  %k = moe_rt.buffer "two" <constant> bytes %c8 data dense<2.0> : tensor<2xf32>
  // CHECK: moe_rt.buffer "status" <status> bytes
  %s = moe_rt.buffer "status" <status> bytes %c8
  // CHECK: moe_rt.arena %[[BYTES]]
  moe_rt.arena %bytes
  // CHECK: moe_rt.tensor %[[X]] <input> 0 : f32[%[[T]], %{{.*}}]
  moe_rt.tensor %x <input> 0 : f32[%t, %c8]
  // CHECK: moe_rt.tensor %[[Y]] <output> 0 : bf16[]
  moe_rt.tensor %y <output> 0 : bf16[]
  // CHECK: moe_rt.assert %[[ONE]] <equal> %[[T]], "dim 0 of input 1 (dim 0 of input 0)"
  moe_rt.assert %t1 <equal> %t, "dim 0 of input 1 (dim 0 of input 0)"
  // CHECK: moe_rt.assert %[[T]] <at_most> %{{.*}}, "dim 0 of input 0 (8)"
  moe_rt.assert %t <at_most> %c8, "dim 0 of input 0 (8)"
  // CHECK: moe_rt.fault_site "plan_0", 2, "expected {value} at {slot}"
  moe_rt.fault_site "plan_0", 2, "expected {value} at {slot}"
}

// CHECK-LABEL: moe_rt.program @commands {
moe_rt.program @commands {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %x = moe_rt.buffer "x" <input> bytes %c64
  %y = moe_rt.buffer "y" <output> bytes %c64
  %g = moe_rt.buffer "grid" <transient> bytes %c64
  %s = moe_rt.buffer "status" <status> bytes %c64
  // CHECK: %[[PART:.*]] = moe_rt.slice %[[X:.*]] at %{{.*}} bytes %{{.*}}
  %part = moe_rt.slice %x at %c0 bytes %c1
  // CHECK: moe_rt.fill %[[S:.*]] with 255
  moe_rt.fill %s with 255
  // CHECK: moe_rt.copy %[[X]] to %[[Y:.*]]
  moe_rt.copy %x to %y
  // CHECK: moe_rt.barrier
  moe_rt.barrier
  // CHECK: moe_rt.dispatch @bare grid(%[[C1:.*]], %[[C1]], %[[C1]])
  moe_rt.dispatch @bare grid(%c1, %c1, %c1)
  // CHECK: moe_rt.dispatch @full grid(%[[C1]], %[[C1]], %[[C1]])
  // CHECK-SAME: push(%[[C1]], %[[C64:.*]]) reads(%[[X]], %[[PART]]) writes(%[[Y]]) updates(%[[S]])
  // CHECK-SAME: flops %[[C64]] bytes %[[C1]] label "up projection" {note}
  moe_rt.dispatch @full grid(%c1, %c1, %c1) push(%c1, %c64) reads(%x, %part) writes(%y)
    updates(%s) flops %c64 bytes %c1 label "up projection" {note}
  // CHECK: moe_rt.dispatch_indirect @bare grid(%[[G:.*]] at %[[C0:.*]])
  moe_rt.dispatch_indirect @bare grid(%g at %c0)
  // CHECK: moe_rt.dispatch_indirect @full grid(%[[G]] at %[[C0]])
  // CHECK-SAME: push(%[[C1]]) reads(%[[X]]) writes(%[[Y]]) updates(%[[S]])
  // CHECK-SAME: flops %[[C1]] bytes %[[C64]] label "down"
  moe_rt.dispatch_indirect @full grid(%g at %c0) push(%c1) reads(%x) writes(%y) updates(%s)
    flops %c1 bytes %c64 label "down"
}

// CHECK-LABEL: moe_rt.program @empty attributes {note} {
// CHECK-NEXT: }
moe_rt.program @empty attributes {note} {
}

// CHECK-LABEL: moe_rt.program @state {
moe_rt.program @state {
  %c4 = arith.constant 4 : index
  %c16 = arith.constant 16 : index
  %x = moe_rt.buffer "x" <input> bytes %c16
  %w = moe_rt.buffer "w" <input> bytes %c16
  moe_rt.tensor %x <input> 0 : f32[%c4]
  moe_rt.tensor %w <input> 1 : f32[%c4]
  moe_rt.tensor %w <output> 0 : f32[%c4]
  // CHECK: moe_rt.alias 1, 0 {note}
  moe_rt.alias 1, 0 {note}
}
