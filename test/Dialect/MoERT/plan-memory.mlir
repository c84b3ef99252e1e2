// RUN: moe-opt %s --split-input-file --mlir-print-local-scope \
// RUN:   --pass-pipeline='builtin.module(moe_rt.program(moe-rt-insert-barriers,moe-rt-plan-memory,moe-rt-check-hazards))' \
// RUN:   | FileCheck %s

// A chain needs two slots: what is read and what is written.
// CHECK-LABEL: @chain_of_one_size
moe_rt.program @chain_of_one_size {
  // CHECK-DAG: %[[T:.*]] = moe_rt.dim 0, 0 : "t"
  // CHECK-DAG: %[[SIZE:.*]] = affine.apply affine_map<(d0) -> (d0 * 100)>(%[[T]])
  // CHECK-DAG: %[[FIRST:.*]] = arith.constant 0 : index
  // CHECK-DAG: %[[SECOND:.*]] = affine.apply affine_map<()[s0] -> (((s0 * 25) ceildiv 64) * 256)>()[%[[T]]]
  // CHECK-DAG: %[[END:.*]] = affine.apply affine_map<()[s0] -> (((s0 * 25) ceildiv 64) * 512)>()[%[[T]]]
  %t = moe_rt.dim 0, 0 : "t"
  %bytes = affine.apply affine_map<(d0) -> (d0 * 100)>(%t)
  // CHECK: moe_rt.buffer "x" <input> bytes %[[SIZE]]
  %x = moe_rt.buffer "x" <input> bytes %bytes
  // CHECK-NEXT: moe_rt.buffer "a" <transient> bytes %[[SIZE]] at %[[FIRST]]
  %a = moe_rt.buffer "a" <transient> bytes %bytes
  moe_rt.copy %x to %a
  // CHECK-NEXT: moe_rt.buffer "b" <transient> bytes %[[SIZE]] at %[[SECOND]]
  %b = moe_rt.buffer "b" <transient> bytes %bytes
  moe_rt.copy %a to %b
  // CHECK-NEXT: moe_rt.buffer "c" <transient> bytes %[[SIZE]] at %[[FIRST]]
  %same = moe_rt.dim 0, 0 : "t"
  %again = affine.apply affine_map<(d0) -> (d0 * 100)>(%same)
  %c = moe_rt.buffer "c" <transient> bytes %again
  moe_rt.copy %b to %c
  // CHECK-NEXT: moe_rt.buffer "y" <output>
  // CHECK-NEXT: moe_rt.arena %[[END]]
  // CHECK-NEXT: moe_rt.copy
  %y = moe_rt.buffer "y" <output> bytes %bytes
  moe_rt.copy %c to %y
}

// -----

// CHECK-LABEL: @slot_fits_its_largest_buffer
moe_rt.program @slot_fits_its_largest_buffer {
  // CHECK-DAG: %[[LARGEST:.*]] = affine.max affine_map<()[s0] -> (s0 * 8, 640)>()
  // CHECK-DAG: %[[END:.*]] = affine.apply affine_map<()[s0] -> ((s0 ceildiv 256) * 256)>()[%[[LARGEST]]]
  %t = moe_rt.dim 0, 0 : "t"
  %dynamic = affine.apply affine_map<(d0) -> (d0 * 8)>(%t)
  %static = arith.constant 640 : index
  // CHECK: moe_rt.buffer "a" <transient> {{.*}} at %[[BEGIN:.*]]
  // CHECK: moe_rt.buffer "b" <transient> {{.*}} at %[[BEGIN]]
  // CHECK: moe_rt.arena %[[END]]
  %a = moe_rt.buffer "a" <transient> bytes %dynamic
  moe_rt.fill %a with 0
  moe_rt.barrier
  %b = moe_rt.buffer "b" <transient> bytes %static
  moe_rt.fill %b with 0
}

// -----

// Of two free slots, the one of the same size is taken.
// CHECK-LABEL: @equal_sizes_share
moe_rt.program @equal_sizes_share {
  %one = arith.constant 1 : index
  %small = arith.constant 256 : index
  %large = arith.constant 4096 : index
  // CHECK-DAG: %[[BEGIN:.*]] = arith.constant 0 : index
  // CHECK-DAG: %[[MIDDLE:.*]] = arith.constant 256 : index
  // CHECK-DAG: %[[END:.*]] = arith.constant 4352 : index
  // CHECK: "a" <transient> {{.*}} at %[[BEGIN]]
  // CHECK: "b" <transient> {{.*}} at %[[MIDDLE]]
  // CHECK: "c" <transient> {{.*}} at %[[MIDDLE]]
  // CHECK: moe_rt.arena %[[END]]
  %a = moe_rt.buffer "a" <transient> bytes %small
  %b = moe_rt.buffer "b" <transient> bytes %large
  moe_rt.dispatch @k grid(%one, %one, %one) writes(%a, %b)
  moe_rt.barrier
  %c = moe_rt.buffer "c" <transient> bytes %large
  moe_rt.fill %c with 0
}

// -----

// Sharing would make the second command wait for the first.
// CHECK-LABEL: @no_barrier_no_sharing
moe_rt.program @no_barrier_no_sharing {
  %bytes = arith.constant 256 : index
  // CHECK: %[[END:.*]] = arith.constant 512 : index
  // CHECK: moe_rt.arena %[[END]]
  // CHECK-NOT: moe_rt.barrier
  %a = moe_rt.buffer "a" <transient> bytes %bytes
  %b = moe_rt.buffer "b" <transient> bytes %bytes
  moe_rt.fill %a with 0
  moe_rt.fill %b with 0
}

// -----

// A slice keeps its buffer alive.
// CHECK-LABEL: @slice_is_a_use
moe_rt.program @slice_is_a_use {
  %zero = arith.constant 0 : index
  %bytes = arith.constant 256 : index
  // CHECK: "a" <transient> {{.*}} at %[[BEGIN:.*]]
  // CHECK: "b" <transient> {{.*}} at %[[MIDDLE:.*]]
  // CHECK: moe_rt.arena %c512
  %a = moe_rt.buffer "a" <transient> bytes %bytes
  %b = moe_rt.buffer "b" <transient> bytes %bytes
  %part = moe_rt.slice %a at %zero bytes %bytes
  moe_rt.fill %a with 0
  moe_rt.fill %b with 0
  moe_rt.copy %part to %b
}

// -----

// CHECK-LABEL: @unused_transient_disappears
moe_rt.program @unused_transient_disappears {
  %bytes = arith.constant 256 : index
  // CHECK: %[[NOTHING:.*]] = arith.constant 0 : index
  // CHECK-NOT: moe_rt.buffer
  // CHECK: moe_rt.arena %[[NOTHING]]
  %a = moe_rt.buffer "a" <transient> bytes %bytes
}
