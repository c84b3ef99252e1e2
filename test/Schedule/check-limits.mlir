// RUN: moe-opt %s -split-input-file -verify-diagnostics --pass-pipeline="builtin.module(moe_rt.program(moe-check-limits{target=minimal}))"

moe_rt.program @five_storage_buffers {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %a = moe_rt.buffer "a" <input> bytes %c64
  %b = moe_rt.buffer "b" <input> bytes %c64
  %c = moe_rt.buffer "c" <input> bytes %c64
  %d = moe_rt.buffer "d" <output> bytes %c64
  %e = moe_rt.buffer "e" <output> bytes %c64
  moe_rt.dispatch @four grid(%c1, %c1, %c1) reads(%a, %b, %c) writes(%d)
  // expected-error @+1 {{expected kernel 'five' to bind at most 4 storage buffers on target 'minimal', but got 5}}
  moe_rt.dispatch @five grid(%c1, %c1, %c1) reads(%a, %b, %c) writes(%d) updates(%e)
}

// -----

moe_rt.program @range_above_the_limit {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %limit = arith.constant 134217728 : index
  %bytes = arith.constant 134217984 : index
  %w = moe_rt.buffer "experts" <input> bytes %bytes
  %y = moe_rt.buffer "y" <output> bytes %limit
  %part = moe_rt.slice %w at %c0 bytes %limit
  moe_rt.dispatch @slice grid(%c1, %c1, %c1) reads(%part) writes(%y)
  // expected-error @+1 {{expected kernel 'whole' to bind at most 134217728 bytes of 'experts' on target 'minimal', but got 134217984}}
  moe_rt.dispatch @whole grid(%c1, %c1, %c1) reads(%w) writes(%y)
}

// -----

moe_rt.program @dynamic_ranges_are_left_to_the_runtime {
  %c1 = arith.constant 1 : index
  %t = moe_rt.dim 0, 0 : "t"
  %bytes = affine.apply affine_map<(d0) -> (d0 * 4194304)>(%t)
  %x = moe_rt.buffer "x" <input> bytes %bytes
  moe_rt.dispatch @any grid(%c1, %c1, %c1) reads(%x)
}

// -----

moe_rt.program @push_constants_beyond_128_bytes {
  %c1 = arith.constant 1 : index
  // expected-error @+1 {{expected kernel 'many' to take at most 128 bytes of push constants on target 'minimal', but got 132}}
  moe_rt.dispatch @many grid(%c1, %c1, %c1) push(%c1, %c1, %c1, %c1, %c1, %c1, %c1, %c1, %c1, %c1, %c1, %c1, %c1, %c1, %c1, %c1, %c1, %c1, %c1, %c1, %c1, %c1, %c1, %c1, %c1, %c1, %c1, %c1, %c1, %c1, %c1, %c1, %c1)
}
