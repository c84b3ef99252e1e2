// RUN: moe-translate --moe-to-bundle --target=nvidia %s -o %t.moeb
// RUN: moe-translate --bundle-to-text %t.moeb | FileCheck %s --match-full-lines

// CHECK: target 'nvidia': Vulkan 1.3, subgroup 32, workgroup 1024x1024x64 (1024), shared memory 49152, push constants 256, storage buffers 1048576 of 4294967295 bytes

// CHECK-LABEL: program @everything
moe_rt.program @everything {
  // Equal dimensions are one symbol; an op that nothing uses is none.
  // CHECK-NEXT: symbol t = dim 0 of input 0
  // CHECK-NEXT: symbol u = dim 1 of input 1
  %t = moe_rt.dim 0, 0 : "t"
  %same = moe_rt.dim 0, 0 : "t again"
  %u = moe_rt.dim 1, 1 : "u"
  %unused = moe_rt.dim 1, 0 : "unused"
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %xBytes = affine.apply affine_map<(d0) -> (d0 * 256)>(%t)
  %yBytes = affine.apply affine_map<(d0)[s0] -> ((d0 + s0) * 4)>(%same)[%u]
  %arena = affine.max affine_map<()[s0] -> (s0 * 4, 512)>()[%t]
  %blocks = affine.min affine_map<(d0) -> (d0 ceildiv 64, 65535)>(%t)

  // CHECK-NEXT: input 0: f32[t, 64] in 'x'
  // CHECK-NEXT: input 1: i32[2, u] in 'i'
  // CHECK-NEXT: output 0: f16[t + u] in 'y'
  // CHECK-NEXT: assert u <= 8: dim 1 of input 1 (8)
  // CHECK-NEXT: buffer 'x': input, t * 256 bytes
  // CHECK-NEXT: buffer 'i': input, 64 bytes
  // CHECK-NEXT: buffer 'y': output, (t + u) * 4 bytes
  // CHECK-NEXT: buffer 's': status, 16 bytes
  // CHECK-NEXT: buffer 'w': constant, 8 bytes, with data
  // CHECK-NEXT: buffer 'a': transient, t * 4 bytes at 0
  // CHECK-NEXT: arena: max(t * 4, 512) bytes
  %x = moe_rt.buffer "x" <input> bytes %xBytes
  %i = moe_rt.buffer "i" <input> bytes %c64
  %y = moe_rt.buffer "y" <output> bytes %yBytes
  %status = moe_rt.buffer "s" <status> bytes %c16
  %w = moe_rt.buffer "w" <constant> bytes %c8 data dense<2.0> : tensor<2xf32>
  %aBytes = affine.apply affine_map<(d0) -> (d0 * 4)>(%t)
  %a = moe_rt.buffer "a" <transient> bytes %aBytes at %c0
  moe_rt.arena %arena
  %sum = arith.addi %t, %u : index
  moe_rt.tensor %y <output> 0 : f16[%sum]
  moe_rt.tensor %i <input> 1 : i32[%c2, %u]
  moe_rt.tensor %x <input> 0 : f32[%t, %c64]
  moe_rt.assert %u <at_most> %c8, "dim 1 of input 1 (8)"

  // CHECK-NEXT: fault site 0: kernel @k, 2 slots a token: expected an expert in [0, 8), but got {value}
  // CHECK-NEXT: fault site 1: kernel @k: expected offsets that rise
  moe_rt.fault_site "k", 2, "expected an expert in [0, 8), but got {value}"
  moe_rt.fault_site "k", 0, "expected offsets that rise"

  // CHECK-NEXT: 0: fill 's' with 0
  // CHECK-NEXT: 1: dispatch @k grid(min(t ceildiv 64, 65535), 1, 1) push(t, t * u) reads('x') writes('a') updates('s') flops(t * 256) bytes(t * 4) 'first'
  // CHECK-NEXT: 2: barrier
  moe_rt.fill %status with 0
  %product = arith.muli %t, %u : index
  moe_rt.dispatch @k grid(%blocks, %c1, %c1) push(%t, %product)
    reads(%x) writes(%a) updates(%status) flops %xBytes bytes %aBytes label "first"
  moe_rt.barrier

  // A slice of a slice is one range of the buffer.
  // CHECK-NEXT: 3: dispatch @k grid('i' at 8 + 16) push(t - 1, 2) reads('x'[16 + 64, 8 bytes]) writes('a') updates('s')
  %outer = moe_rt.slice %x at %c64 bytes %c64
  %inner = moe_rt.slice %outer at %c16 bytes %c8
  %grid = moe_rt.slice %i at %c16 bytes %c16
  %less = arith.subi %t, %c1 : index
  moe_rt.dispatch_indirect @k grid(%grid at %c8) push(%less, %c2)
    reads(%inner) writes(%a) updates(%status)
  moe_rt.barrier

  // CHECK-NEXT: 4: barrier
  // CHECK-NEXT: 5: copy 'x'[64, 64 bytes] to 'y'[0, 64 bytes]
  %part = moe_rt.slice %y at %c0 bytes %c64
  moe_rt.copy %outer to %part
}

// State: an output in the memory of an input.
// CHECK-LABEL: program @state
moe_rt.program @state {
  // CHECK-NEXT: input 0: f32[2] in 'g'
  // CHECK-NEXT: input 1: f32[2] in 'w'
  // CHECK-NEXT: output 0: f32[2] in 'w'
  // CHECK-NEXT: alias: output 0 updates input 1
  // CHECK-NEXT: buffer 'g': input, 8 bytes
  // CHECK-NEXT: buffer 'w': input, 8 bytes
  // CHECK-NEXT: arena: 0 bytes
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  %g = moe_rt.buffer "g" <input> bytes %c8
  %w = moe_rt.buffer "w" <input> bytes %c8
  moe_rt.tensor %g <input> 0 : f32[%c2]
  moe_rt.tensor %w <input> 1 : f32[%c2]
  moe_rt.tensor %w <output> 0 : f32[%c2]
  moe_rt.alias 1, 0
  moe_rt.arena %c0
}

// CHECK-LABEL: kernel @k: workgroup 64x2x1, 3 bindings, 2 push constants, shared memory 272, subgroup lanes 8
spirv.module Logical GLSL450 requires #spirv.vce<v1.3, [Shader], [SPV_KHR_storage_buffer_storage_class]>
    attributes {moe_rt.push_constants = 2 : i32, moe_rt.lanes = 8 : i32} {
  spirv.GlobalVariable @scalars bind(0, 0) : !spirv.ptr<!spirv.struct<(!spirv.rtarray<f32, stride=4> [0])>, StorageBuffer>
  spirv.GlobalVariable @vectors bind(0, 0) : !spirv.ptr<!spirv.struct<(!spirv.rtarray<vector<4xf32>, stride=16> [0])>, StorageBuffer>
  spirv.GlobalVariable @a bind(0, 1) : !spirv.ptr<!spirv.struct<(!spirv.rtarray<f32, stride=4> [0])>, StorageBuffer>
  spirv.GlobalVariable @status bind(0, 2) : !spirv.ptr<!spirv.struct<(!spirv.rtarray<i32, stride=4> [0])>, StorageBuffer>
  spirv.GlobalVariable @tile : !spirv.ptr<!spirv.array<16 x vector<4xf32>>, Workgroup>
  spirv.GlobalVariable @few : !spirv.ptr<!spirv.struct<(!spirv.array<4 x i32>)>, Workgroup>
  spirv.func @k() "None" {
    spirv.Return
  }
  spirv.EntryPoint "GLCompute" @k
  spirv.ExecutionMode @k "LocalSize", 64, 2, 1
}
