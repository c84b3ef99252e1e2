// RUN: moe-translate --moe-to-bundle --target=minimal %s -o %t.moeb
// RUN: moe-translate --bundle-to-text %t.moeb | FileCheck %s
// RUN: not moe-translate --validate-bundle %t.moeb 2> %t.error | FileCheck %s --check-prefix=VALIDATE
// RUN: FileCheck %s --check-prefix=ERROR --input-file=%t.error

// CHECK: bundle version 1 by moe {{[0-9.]+}} (LLVM {{[0-9.]+}})
// CHECK-NEXT: target 'minimal': Vulkan 1.1

// CHECK-LABEL: program @empty
// CHECK-NEXT: arena: 0 bytes
moe_rt.program @empty {
  %zero = arith.constant 0 : index
  moe_rt.arena %zero
}

// CHECK-LABEL: kernel @good: workgroup 8x1x1, 0 bindings, 0 push constants, shared memory 0
// CHECK-NEXT: {{^  valid$}}
// CHECK-NEXT: OpCapability Shader
// CHECK: OpEntryPoint GLCompute %good "good"
// CHECK: OpFunctionEnd
// VALIDATE: {{^}}good: valid
spirv.module Logical GLSL450 requires #spirv.vce<v1.3, [Shader], []> {
  spirv.func @good() "None" {
    spirv.Return
  }
  spirv.EntryPoint "GLCompute" @good
  spirv.ExecutionMode @good "LocalSize", 8, 1, 1
}

// Vulkan wants a set and a binding of each storage buffer.
// CHECK-LABEL: kernel @bad
// CHECK-NEXT: invalid: {{.+}}
// CHECK: OpEntryPoint GLCompute %bad "bad"
// VALIDATE: {{^}}bad: invalid: {{.+}}
spirv.module Logical GLSL450 requires #spirv.vce<v1.3, [Shader], [SPV_KHR_storage_buffer_storage_class]> {
  spirv.GlobalVariable @a : !spirv.ptr<!spirv.struct<(!spirv.rtarray<f32, stride=4> [0])>, StorageBuffer>
  spirv.func @bad() "None" {
    %base = spirv.mlir.addressof @a : !spirv.ptr<!spirv.struct<(!spirv.rtarray<f32, stride=4> [0])>, StorageBuffer>
    %zero = spirv.Constant 0 : i32
    %value = spirv.Constant 0.0 : f32
    %element = spirv.AccessChain %base[%zero, %zero] : !spirv.ptr<!spirv.struct<(!spirv.rtarray<f32, stride=4> [0])>, StorageBuffer>, i32, i32 -> !spirv.ptr<f32, StorageBuffer>
    spirv.Store "StorageBuffer" %element, %value : f32
    spirv.Return
  }
  spirv.EntryPoint "GLCompute" @bad, @a
  spirv.ExecutionMode @bad "LocalSize", 8, 1, 1
}

// A capability that the installed tools may not know is no fault.
// VALIDATE: {{^}}new: {{valid|not validated: .+}}
// ERROR: error: expected 3 valid kernels, but got 1 invalid ones
spirv.module Logical GLSL450 requires #spirv.vce<v1.3, [Shader, BFloat16TypeKHR], [SPV_KHR_bfloat16]> {
  spirv.func @new() "None" {
    spirv.Return
  }
  spirv.EntryPoint "GLCompute" @new
  spirv.ExecutionMode @new "LocalSize", 8, 1, 1
}
