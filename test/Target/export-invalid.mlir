// RUN: moe-translate --moe-to-bundle %s -split-input-file -verify-diagnostics -o /dev/null

moe_rt.program @memory_not_planned {
  %bytes = arith.constant 64 : index
  // expected-error @+1 {{expected an offset in the arena, but got none: moe-rt-plan-memory has not run}}
  %t = moe_rt.buffer "t" <transient> bytes %bytes
}

// -----

// expected-error @+1 {{expected the size of the arena, but got none: moe-rt-plan-memory has not run}}
moe_rt.program @no_arena {
}

// -----

moe_rt.program @kernel_missing {
  %one = arith.constant 1 : index
  moe_rt.arena %one
  // expected-error @+1 {{expected a spirv.module with kernel 'k', but got none}}
  moe_rt.dispatch @k grid(%one, %one, %one)
}

// -----

// expected-error @+1 {{expected input 0 to be declared before 1, but got none}}
moe_rt.program @input_missing {
  %bytes = arith.constant 64 : index
  moe_rt.arena %bytes
  %x = moe_rt.buffer "x" <input> bytes %bytes
  moe_rt.tensor %x <input> 1 : f32[%bytes]
}

// -----

moe_rt.program @input_twice {
  %bytes = arith.constant 64 : index
  moe_rt.arena %bytes
  %x = moe_rt.buffer "x" <input> bytes %bytes
  moe_rt.tensor %x <input> 0 : f32[%bytes]
  // expected-error @+1 {{expected one tensor for each position, but got a second one for input 0}}
  moe_rt.tensor %x <input> 0 : f32[%bytes]
}

// -----

moe_rt.program @element_type_unknown {
  %bytes = arith.constant 64 : index
  %x = moe_rt.buffer "x" <input> bytes %bytes
  // expected-error @+1 {{expected an element type that a bundle can name, but got 'f64'}}
  moe_rt.tensor %x <input> 0 : f64[%bytes]
}

// -----

moe_rt.program @size_from_memory {
  %bytes = arith.constant 64 : index
  %other = arith.constant 8 : index
  // expected-error @+1 {{expected size arithmetic of moe_rt, arith or affine, but got this}}
  %size = arith.xori %bytes, %other : index
  %x = moe_rt.buffer "x" <input> bytes %size
}

// -----

// expected-error @+1 {{expected a moe_rt.program to write, but got none: run --moe-compile-pipeline first, on a module with a public function}}
module {
}

// -----

// expected-error @+1 {{expected one entry point for each kernel, but got 0}}
spirv.module Logical GLSL450 requires #spirv.vce<v1.3, [Shader], []> {
}

// -----

moe_rt.program @dispatch_differs_from_kernel {
  %one = arith.constant 1 : index
  moe_rt.arena %one
  // expected-error @+1 {{expected 1 push constants for kernel 'k', but got 2}}
  moe_rt.dispatch @k grid(%one, %one, %one) push(%one, %one)
}
spirv.module Logical GLSL450 requires #spirv.vce<v1.3, [Shader], []>
    attributes {moe_rt.push_constants = 1 : i32} {
  spirv.func @k() "None" {
    spirv.Return
  }
  spirv.EntryPoint "GLCompute" @k
  spirv.ExecutionMode @k "LocalSize", 64, 1, 1
}

// -----

// expected-error @+1 {{expected bindings to be numbered from 0 without a gap, but got none with number 0}}
spirv.module Logical GLSL450 requires #spirv.vce<v1.3, [Shader], [SPV_KHR_storage_buffer_storage_class]> {
  spirv.GlobalVariable @a bind(0, 1) : !spirv.ptr<!spirv.struct<(!spirv.rtarray<f32, stride=4> [0])>, StorageBuffer>
  spirv.func @k() "None" {
    spirv.Return
  }
  spirv.EntryPoint "GLCompute" @k
  spirv.ExecutionMode @k "LocalSize", 64, 1, 1
}
