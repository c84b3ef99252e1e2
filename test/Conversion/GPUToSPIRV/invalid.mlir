// RUN: moe-opt %s -split-input-file -verify-diagnostics --convert-gpu-to-spirv-kernels

// Without the 16-bit capability upstream would store f16 as f32: an error here.

module attributes {spirv.target_env = #spirv.target_env<#spirv.vce<v1.5, [Shader], [SPV_KHR_storage_buffer_storage_class]>, #spirv.resource_limits<>>} {
gpu.module @kernels {
  // expected-error @+1 {{expected arguments that the target can store, but got 'memref<?xf16, #spirv.storage_class<StorageBuffer>>'}}
  gpu.func @half(%x: memref<?xf16, #spirv.storage_class<StorageBuffer>> {spirv.interface_var_abi = #spirv.interface_var_abi<(0, 0)>}) kernel attributes {moe_rt.push_constants = 0 : i32, spirv.entry_point_abi = #spirv.entry_point_abi<workgroup_size = [8, 1, 1]>} {
    %c0 = arith.constant 0 : index
    %a = memref.load %x[%c0] : memref<?xf16, #spirv.storage_class<StorageBuffer>>
    memref.store %a, %x[%c0] : memref<?xf16, #spirv.storage_class<StorageBuffer>>
    gpu.return
  }
}
}

// -----

module attributes {spirv.target_env = #spirv.target_env<#spirv.vce<v1.0, [Shader], [SPV_KHR_storage_buffer_storage_class]>, #spirv.resource_limits<>>} {
gpu.module @kernels {
  // expected-error @+1 {{expected a target of SPIR-V 1.3 or newer, but got v1.0}}
  gpu.func @old_target(%x: memref<?xf32, #spirv.storage_class<StorageBuffer>> {spirv.interface_var_abi = #spirv.interface_var_abi<(0, 0)>}) kernel attributes {moe_rt.push_constants = 0 : i32, spirv.entry_point_abi = #spirv.entry_point_abi<workgroup_size = [8, 1, 1]>} {
    gpu.return
  }
}
}

// -----

// Whatever an earlier pass has folded: what does not fit 32 bits is not cut.

module attributes {spirv.target_env = #spirv.target_env<#spirv.vce<v1.5, [Shader], [SPV_KHR_storage_buffer_storage_class]>, #spirv.resource_limits<>>} {
gpu.module @kernels {
  gpu.func @wide_index(%x: memref<?xi32, #spirv.storage_class<StorageBuffer>> {spirv.interface_var_abi = #spirv.interface_var_abi<(0, 0)>}) kernel attributes {moe_rt.push_constants = 0 : i32, spirv.entry_point_abi = #spirv.entry_point_abi<workgroup_size = [8, 1, 1]>} {
    %c0 = arith.constant 0 : index
    // expected-error @+1 {{expected an index constant of a kernel to fit 32 bits, but got 2147483648}}
    %wide = arith.constant 2147483648 : index
    %value = arith.index_cast %wide : index to i32
    memref.store %value, %x[%c0] : memref<?xi32, #spirv.storage_class<StorageBuffer>>
    gpu.return
  }
}
}

// -----

// What only the expansion before gives a form.

module attributes {spirv.target_env = #spirv.target_env<#spirv.vce<v1.5, [Shader], [SPV_KHR_storage_buffer_storage_class]>, #spirv.resource_limits<>>} {
gpu.module @kernels {
  gpu.func @not_expanded(%x: memref<?xf32, #spirv.storage_class<StorageBuffer>> {spirv.interface_var_abi = #spirv.interface_var_abi<(0, 0)>}) kernel attributes {moe_rt.push_constants = 0 : i32, spirv.entry_point_abi = #spirv.entry_point_abi<workgroup_size = [8, 1, 1]>} {
    %c0 = arith.constant 0 : index
    %a = memref.load %x[%c0] : memref<?xf32, #spirv.storage_class<StorageBuffer>>
    // expected-error @+1 {{'math.exp2' op has no form in SPIR-V: expected --moe-expand-math to have run before}}
    %y = math.exp2 %a : f32
    memref.store %y, %x[%c0] : memref<?xf32, #spirv.storage_class<StorageBuffer>>
    gpu.return
  }
}
}

// -----

module attributes {spirv.target_env = #spirv.target_env<#spirv.vce<v1.5, [Shader], [SPV_KHR_storage_buffer_storage_class]>, #spirv.resource_limits<>>} {
gpu.module @kernels {
  gpu.func @double(%x: memref<?xf32, #spirv.storage_class<StorageBuffer>> {spirv.interface_var_abi = #spirv.interface_var_abi<(0, 0)>}) kernel attributes {moe_rt.push_constants = 0 : i32, spirv.entry_point_abi = #spirv.entry_point_abi<workgroup_size = [8, 1, 1]>} {
    %c0 = arith.constant 0 : index
    %a = memref.load %x[%c0] : memref<?xf32, #spirv.storage_class<StorageBuffer>>
    // expected-error @+1 {{'arith.extf' op expected types that the target computes with, but got 'f64'}}
    %d = arith.extf %a : f32 to f64
    %s = math.sqrt %d : f64
    %y = arith.truncf %s : f64 to f32
    memref.store %y, %x[%c0] : memref<?xf32, #spirv.storage_class<StorageBuffer>>
    gpu.return
  }
}
}

// -----

// The expansion is of f32; on f16 an op without an instruction stays one.

module attributes {spirv.target_env = #spirv.target_env<#spirv.vce<v1.5, [Shader, Float16], [SPV_KHR_storage_buffer_storage_class]>, #spirv.resource_limits<>>} {
gpu.module @kernels {
  gpu.func @half_erf(%x: memref<?xf32, #spirv.storage_class<StorageBuffer>> {spirv.interface_var_abi = #spirv.interface_var_abi<(0, 0)>}) kernel attributes {moe_rt.push_constants = 0 : i32, spirv.entry_point_abi = #spirv.entry_point_abi<workgroup_size = [8, 1, 1]>} {
    %c0 = arith.constant 0 : index
    %a = memref.load %x[%c0] : memref<?xf32, #spirv.storage_class<StorageBuffer>>
    %h = arith.truncf %a : f32 to f16
    // expected-error @+1 {{'math.erf' op expected f32 or i32, which --moe-expand-math expands, but got 'f16'}}
    %e = math.erf %h : f16
    %y = arith.extf %e : f16 to f32
    memref.store %y, %x[%c0] : memref<?xf32, #spirv.storage_class<StorageBuffer>>
    gpu.return
  }
}
}
