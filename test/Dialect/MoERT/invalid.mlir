// RUN: moe-opt %s -split-input-file -verify-diagnostics

// buffer_c1
moe_rt.program @data_of_an_input {
  %bytes = arith.constant 8 : index
  // expected-error @+1 {{'moe_rt.buffer' op expected a buffer with data to be of kind constant, but got input}}
  %b = moe_rt.buffer "x" <input> bytes %bytes data dense<2.0> : tensor<2xf32>
}

// -----

// buffer_c2
moe_rt.program @offset_of_an_output {
  %bytes = arith.constant 8 : index
  // expected-error @+1 {{'moe_rt.buffer' op expected a buffer with an offset to be of kind transient, but got output}}
  %b = moe_rt.buffer "y" <output> bytes %bytes at %bytes
}

// -----

// buffer_c2
moe_rt.program @offset_of_a_constant {
  %bytes = arith.constant 8 : index
  // expected-error @+1 {{'moe_rt.buffer' op expected a buffer with an offset to be of kind transient, but got constant}}
  %b = moe_rt.buffer "w" <constant> bytes %bytes at %bytes data dense<2.0> : tensor<2xf32>
}

// -----

moe_rt.program @kind_unknown {
  %bytes = arith.constant 8 : index
  // expected-error @+2 {{to be one of: input, output, transient, constant, status}}
  // expected-error @+1 {{failed to parse MoERT_BufferKindAttr parameter 'value'}}
  %b = moe_rt.buffer "w" <weights> bytes %bytes
}

// -----

func.func @program_in_a_function() {
  // expected-error @+1 {{'moe_rt.program' op symbol's parent must have the SymbolTable trait}}
  moe_rt.program @p {
  }
  return
}

// -----

// alias_c1
moe_rt.program @alias_of_two_buffers {
  %c4 = arith.constant 4 : index
  %c16 = arith.constant 16 : index
  %w = moe_rt.buffer "w" <input> bytes %c16
  %y = moe_rt.buffer "y" <output> bytes %c16
  moe_rt.tensor %w <input> 0 : f32[%c4]
  moe_rt.tensor %y <output> 0 : f32[%c4]
  // expected-error @+1 {{'moe_rt.alias' op expected input 0 and output 0 to be declared before, on one buffer, but got two buffers}}
  moe_rt.alias 0, 0
}

// -----

// alias_c1
moe_rt.program @alias_before_its_output {
  %c4 = arith.constant 4 : index
  %c16 = arith.constant 16 : index
  %w = moe_rt.buffer "w" <input> bytes %c16
  moe_rt.tensor %w <input> 0 : f32[%c4]
  // expected-error @+1 {{'moe_rt.alias' op expected input 0 and output 0 to be declared before, on one buffer, but got no such declaration}}
  moe_rt.alias 0, 0
  moe_rt.tensor %w <output> 0 : f32[%c4]
}

// -----

// alias_c1
moe_rt.program @alias_of_no_input {
  %c4 = arith.constant 4 : index
  %c16 = arith.constant 16 : index
  %w = moe_rt.buffer "w" <input> bytes %c16
  moe_rt.tensor %w <output> 1 : f32[%c4]
  // expected-error @+1 {{'moe_rt.alias' op expected input 1 and output 1 to be declared before, on one buffer, but got no such declaration}}
  moe_rt.alias 1, 1
}
