// RUN: moe-opt %s -verify-diagnostics --pass-pipeline='builtin.module(moe_rt.program(moe-rt-plan-memory))'

moe_rt.program @arena_already_there {
  %bytes = arith.constant 256 : index
  // expected-error @+1 {{expected a program without an arena, but got one: its memory is already planned}}
  moe_rt.arena %bytes
}
