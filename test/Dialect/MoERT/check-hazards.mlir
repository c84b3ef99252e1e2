// RUN: moe-opt %s -split-input-file -verify-diagnostics \
// RUN:   --pass-pipeline='builtin.module(moe_rt.program(moe-rt-check-hazards))'

moe_rt.program @read_after_write {
  %bytes = arith.constant 64 : index
  %x = moe_rt.buffer "x" <input> bytes %bytes
  %y = moe_rt.buffer "y" <output> bytes %bytes
  // expected-note @+1 {{the earlier access, to 'x'}}
  moe_rt.fill %x with 0
  // expected-error @+1 {{expected a barrier between this access to 'x' and an earlier one, but got none}}
  moe_rt.copy %x to %y
}

// -----

moe_rt.program @write_after_read_of_a_grid {
  %zero = arith.constant 0 : index
  %bytes = arith.constant 64 : index
  %grid = moe_rt.buffer "grid" <input> bytes %bytes
  %y = moe_rt.buffer "y" <output> bytes %bytes
  // expected-note @+1 {{the earlier access, to 'grid'}}
  moe_rt.dispatch_indirect @k grid(%grid at %zero) writes(%y)
  // expected-error @+1 {{expected a barrier between this access to 'grid' and an earlier one, but got none}}
  moe_rt.fill %grid with 0
}

// -----

// The barrier orders the first pair only.
moe_rt.program @barrier_too_early {
  %bytes = arith.constant 64 : index
  %x = moe_rt.buffer "x" <input> bytes %bytes
  %y = moe_rt.buffer "y" <output> bytes %bytes
  %z = moe_rt.buffer "z" <output> bytes %bytes
  moe_rt.fill %x with 0
  moe_rt.barrier
  // expected-note @+1 {{the earlier access, to 'y'}}
  moe_rt.copy %x to %y
  // expected-error @+1 {{expected a barrier between this access to 'y' and an earlier one, but got none}}
  moe_rt.copy %y to %z
}

// -----

moe_rt.program @slices_that_meet {
  %zero = arith.constant 0 : index
  %offset = arith.constant 31 : index
  %half = arith.constant 32 : index
  %bytes = arith.constant 64 : index
  %y = moe_rt.buffer "y" <output> bytes %bytes
  %lower = moe_rt.slice %y at %zero bytes %half
  %upper = moe_rt.slice %y at %offset bytes %half
  // expected-note @+1 {{the earlier access, to 'y'}}
  moe_rt.fill %lower with 0
  // expected-error @+1 {{expected a barrier between this access to 'y' and an earlier one, but got none}}
  moe_rt.fill %upper with 0
}

// -----

moe_rt.program @slices_that_are_apart {
  %t = moe_rt.dim 0, 0 : "t"
  %zero = arith.constant 0 : index
  %bytes = affine.apply affine_map<(d0) -> (d0 * 2)>(%t)
  %y = moe_rt.buffer "y" <output> bytes %bytes
  %lower = moe_rt.slice %y at %zero bytes %t
  %upper = moe_rt.slice %y at %t bytes %t
  moe_rt.fill %lower with 0
  moe_rt.fill %upper with 0
}

// -----

moe_rt.program @transients_of_one_slot {
  %t = moe_rt.dim 0, 0 : "t"
  %zero = arith.constant 0 : index
  %a = moe_rt.buffer "a" <transient> bytes %t at %zero
  %b = moe_rt.buffer "b" <transient> bytes %t at %zero
  // expected-note @+1 {{the earlier access, to 'a', which may share its memory}}
  moe_rt.fill %a with 0
  // expected-error @+1 {{expected a barrier between this access to 'b' and an earlier one, but got none}}
  moe_rt.fill %b with 0
}

// -----

// An offset that is only large enough for some sizes is not large enough.
moe_rt.program @slot_too_small {
  %t = moe_rt.dim 0, 0 : "t"
  %zero = arith.constant 0 : index
  %bytes = affine.apply affine_map<(d0) -> (d0 * 4 + 8)>(%t)
  %offset = affine.apply affine_map<(d0) -> (d0 ceildiv 64 * 256)>(%t)
  %a = moe_rt.buffer "a" <transient> bytes %bytes at %zero
  %b = moe_rt.buffer "b" <transient> bytes %bytes at %offset
  // expected-note @+1 {{the earlier access, to 'a', which may share its memory}}
  moe_rt.fill %a with 0
  // expected-error @+1 {{expected a barrier between this access to 'b' and an earlier one, but got none}}
  moe_rt.fill %b with 0
}

// -----

moe_rt.program @slots_of_a_plan {
  %t = moe_rt.dim 0, 0 : "t"
  %u = moe_rt.dim 1, 0 : "u"
  %zero = arith.constant 0 : index
  %bytes = affine.apply affine_map<(d0) -> (d0 * 4 + 8)>(%t)
  %other = affine.min affine_map<(d0) -> (d0 floordiv 3, 65535)>(%u)
  %largest = affine.max affine_map<(d0, d1) -> (d0, d1, 16)>(%other, %bytes)
  %second = affine.apply affine_map<(d0) -> (d0 ceildiv 256 * 256)>(%largest)
  %third = affine.apply affine_map<(d0, d1) -> (d0 + d1 ceildiv 256 * 256)>(%second, %largest)
  %a = moe_rt.buffer "a" <transient> bytes %bytes at %zero
  %b = moe_rt.buffer "b" <transient> bytes %other at %second
  %c = moe_rt.buffer "c" <transient> bytes %other at %third
  moe_rt.fill %a with 0
  moe_rt.fill %b with 0
  moe_rt.fill %c with 0
}
