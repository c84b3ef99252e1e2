// RUN: moe-opt %s -split-input-file -verify-diagnostics

// program_c1
moe_rt.program @one_of_two_buffers {
  %bytes = arith.constant 64 : index
  %choice = arith.constant true
  %a = moe_rt.buffer "a" <transient> bytes %bytes
  %b = moe_rt.buffer "b" <transient> bytes %bytes
  %c = arith.select %choice, %a, %b : !moe_rt.buffer
  // expected-error @+1 {{'moe_rt.fill' op expected operand 0 to be a buffer or a slice of one, but got the result of 'arith.select'}}
  moe_rt.fill %c with 0
}
