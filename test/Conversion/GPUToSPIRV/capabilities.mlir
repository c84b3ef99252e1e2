// RUN: moe-opt %s -split-input-file --convert-gpu-to-spirv-kernels | FileCheck %s

// A module asks for what its code needs and no more, in a version that the
// target has and whose entry points the conversion can write.

module attributes {spirv.target_env = #spirv.target_env<#spirv.vce<v1.6, [Shader, Float16, Int64, GroupNonUniform, GroupNonUniformShuffle], [SPV_KHR_storage_buffer_storage_class]>, #spirv.resource_limits<>>} {
gpu.module @kernels {
  // CHECK:      spirv.module @plain
  // CHECK-SAME:   requires #spirv.vce<v1.5, [Shader, Matrix], [SPV_KHR_storage_buffer_storage_class]>
  gpu.func @plain(%x: memref<?xf32, #spirv.storage_class<StorageBuffer>> {spirv.interface_var_abi = #spirv.interface_var_abi<(0, 0)>}) kernel attributes {moe_rt.push_constants = 0 : i32, spirv.entry_point_abi = #spirv.entry_point_abi<workgroup_size = [8, 1, 1]>} {
    %c0 = arith.constant 0 : index
    %a = memref.load %x[%c0] : memref<?xf32, #spirv.storage_class<StorageBuffer>>
    memref.store %a, %x[%c0] : memref<?xf32, #spirv.storage_class<StorageBuffer>>
    gpu.return
  }

  // The built-in that numbers the lanes, without any exchange between them.
  // CHECK:      spirv.module @lane
  // CHECK-SAME:   [{{.*}}GroupNonUniform{{[],]}}
  // CHECK-SAME:   moe_rt.lanes = 8
  // CHECK:        spirv.GlobalVariable @{{.+}} built_in("SubgroupLocalInvocationId")
  gpu.func @lane(%x: memref<?xi32, #spirv.storage_class<StorageBuffer>> {spirv.interface_var_abi = #spirv.interface_var_abi<(0, 0)>}) kernel attributes {moe_rt.lanes = 8 : i32, moe_rt.push_constants = 0 : i32, spirv.entry_point_abi = #spirv.entry_point_abi<workgroup_size = [8, 1, 1]>} {
    %lane = gpu.lane_id
    %i = arith.index_cast %lane : index to i32
    memref.store %i, %x[%lane] : memref<?xi32, #spirv.storage_class<StorageBuffer>>
    gpu.return
  }
}
}

// -----

// Decorations against overflow need 1.4.

module attributes {spirv.target_env = #spirv.target_env<#spirv.vce<v1.3, [Shader], [SPV_KHR_storage_buffer_storage_class]>, #spirv.resource_limits<>>} {
gpu.module @kernels {
  // CHECK:      spirv.module @wrap
  // CHECK-SAME:   requires #spirv.vce<v1.3
  // CHECK:        spirv.IAdd
  // CHECK-NOT:    no_signed_wrap
  // CHECK:        spirv.Return
  gpu.func @wrap(%x: memref<?xi32, #spirv.storage_class<StorageBuffer>> {spirv.interface_var_abi = #spirv.interface_var_abi<(0, 0)>}) kernel attributes {moe_rt.push_constants = 0 : i32, spirv.entry_point_abi = #spirv.entry_point_abi<workgroup_size = [8, 1, 1]>} {
    %c0 = arith.constant 0 : index
    %a = memref.load %x[%c0] : memref<?xi32, #spirv.storage_class<StorageBuffer>>
    %b = arith.addi %a, %a overflow<nsw> : i32
    memref.store %b, %x[%c0] : memref<?xi32, #spirv.storage_class<StorageBuffer>>
    gpu.return
  }
}
}
