// RUN: moe-opt %s --pass-pipeline='builtin.module(moe_rt.program(moe-rt-insert-barriers))' \
// RUN:   | FileCheck %s

// CHECK-LABEL: @read_after_write
moe_rt.program @read_after_write {
  %bytes = arith.constant 64 : index
  %x = moe_rt.buffer "x" <input> bytes %bytes
  %t = moe_rt.buffer "t" <transient> bytes %bytes
  %y = moe_rt.buffer "y" <output> bytes %bytes
  // CHECK: moe_rt.copy
  // CHECK-NEXT: moe_rt.barrier
  // CHECK-NEXT: moe_rt.copy
  moe_rt.copy %x to %t
  moe_rt.copy %t to %y
}

// CHECK-LABEL: @write_after_read
moe_rt.program @write_after_read {
  %bytes = arith.constant 64 : index
  %x = moe_rt.buffer "x" <input> bytes %bytes
  %y = moe_rt.buffer "y" <output> bytes %bytes
  // CHECK: moe_rt.copy
  // CHECK-NEXT: moe_rt.barrier
  // CHECK-NEXT: moe_rt.fill
  moe_rt.copy %x to %y
  moe_rt.fill %x with 0
}

// CHECK-LABEL: @write_after_write
moe_rt.program @write_after_write {
  %one = arith.constant 1 : index
  %bytes = arith.constant 64 : index
  %y = moe_rt.buffer "y" <output> bytes %bytes
  // CHECK: moe_rt.fill
  // CHECK-NEXT: moe_rt.barrier
  // CHECK-NEXT: moe_rt.dispatch @k
  moe_rt.fill %y with 0
  moe_rt.dispatch @k grid(%one, %one, %one) updates(%y)
}

// CHECK-LABEL: @reads_do_not_conflict
moe_rt.program @reads_do_not_conflict {
  %one = arith.constant 1 : index
  %bytes = arith.constant 64 : index
  %x = moe_rt.buffer "x" <input> bytes %bytes
  %y = moe_rt.buffer "y" <output> bytes %bytes
  %z = moe_rt.buffer "z" <output> bytes %bytes
  // CHECK-NOT: moe_rt.barrier
  moe_rt.dispatch @k grid(%one, %one, %one) reads(%x) writes(%y)
  moe_rt.dispatch @k grid(%one, %one, %one) reads(%x) writes(%z)
}

// CHECK-LABEL: @one_barrier_serves_all_that_came_before
moe_rt.program @one_barrier_serves_all_that_came_before {
  %bytes = arith.constant 64 : index
  %x = moe_rt.buffer "x" <input> bytes %bytes
  %a = moe_rt.buffer "a" <transient> bytes %bytes
  %b = moe_rt.buffer "b" <transient> bytes %bytes
  %y = moe_rt.buffer "y" <output> bytes %bytes
  %z = moe_rt.buffer "z" <output> bytes %bytes
  // CHECK-COUNT-2: moe_rt.copy
  // CHECK-NEXT: moe_rt.barrier
  // CHECK-NOT: moe_rt.barrier
  moe_rt.copy %x to %a
  moe_rt.copy %x to %b
  moe_rt.copy %a to %y
  moe_rt.copy %b to %z
}

// CHECK-LABEL: @barrier_of_the_program_counts
moe_rt.program @barrier_of_the_program_counts {
  %bytes = arith.constant 64 : index
  %x = moe_rt.buffer "x" <input> bytes %bytes
  %y = moe_rt.buffer "y" <output> bytes %bytes
  // CHECK: moe_rt.barrier
  // CHECK-NOT: moe_rt.barrier
  moe_rt.fill %x with 0
  moe_rt.barrier
  moe_rt.copy %x to %y
}

// CHECK-LABEL: @grid_is_read
moe_rt.program @grid_is_read {
  %zero = arith.constant 0 : index
  %bytes = arith.constant 12 : index
  %grid = moe_rt.buffer "grid" <transient> bytes %bytes
  %y = moe_rt.buffer "y" <output> bytes %bytes
  // CHECK: moe_rt.fill
  // CHECK-NEXT: moe_rt.barrier
  // CHECK-NEXT: moe_rt.dispatch_indirect
  moe_rt.fill %grid with 1
  moe_rt.dispatch_indirect @k grid(%grid at %zero) writes(%y)
}

// CHECK-LABEL: @slices_that_are_apart
moe_rt.program @slices_that_are_apart {
  %zero = arith.constant 0 : index
  %half = arith.constant 32 : index
  %bytes = arith.constant 64 : index
  %y = moe_rt.buffer "y" <output> bytes %bytes
  %lower = moe_rt.slice %y at %zero bytes %half
  %upper = moe_rt.slice %y at %half bytes %half
  // CHECK: moe_rt.fill
  // CHECK-NEXT: moe_rt.fill
  // CHECK-NEXT: moe_rt.barrier
  // CHECK-NEXT: moe_rt.copy
  moe_rt.fill %lower with 0
  moe_rt.fill %upper with 1
  moe_rt.copy %lower to %upper
}
