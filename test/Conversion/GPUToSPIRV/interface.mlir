// RUN: moe-opt %s --convert-gpu-to-spirv-kernels | FileCheck %s

// One module a kernel. Two views of one binding are declared to alias; push
// constants are one array of as many words as the kernel has.

module attributes {spirv.target_env = #spirv.target_env<#spirv.vce<v1.5, [Shader], [SPV_KHR_storage_buffer_storage_class]>, #spirv.resource_limits<>>} {
gpu.module @kernels {
  gpu.func @views(%x: memref<?xf32, #spirv.storage_class<StorageBuffer>> {spirv.interface_var_abi = #spirv.interface_var_abi<(0, 0)>}, %v: memref<?xvector<4xf32>, #spirv.storage_class<StorageBuffer>> {spirv.interface_var_abi = #spirv.interface_var_abi<(0, 0)>}) kernel attributes {moe_rt.push_constants = 3 : i32, spirv.entry_point_abi = #spirv.entry_point_abi<workgroup_size = [8, 1, 1]>} {
    %n = moe_rt.push_constant 2
    %a = memref.load %v[%n] : memref<?xvector<4xf32>, #spirv.storage_class<StorageBuffer>>
    %b = vector.extract %a[0] : f32 from vector<4xf32>
    memref.store %b, %x[%n] : memref<?xf32, #spirv.storage_class<StorageBuffer>>
    gpu.return
  }
  gpu.func @alone(%x: memref<?xf32, #spirv.storage_class<StorageBuffer>> {spirv.interface_var_abi = #spirv.interface_var_abi<(0, 0)>}) kernel attributes {moe_rt.push_constants = 0 : i32, spirv.entry_point_abi = #spirv.entry_point_abi<workgroup_size = [8, 1, 1]>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    memref.store %zero, %x[%c0] : memref<?xf32, #spirv.storage_class<StorageBuffer>>
    gpu.return
  }
}
}

// CHECK:       spirv.module @views
// CHECK:         spirv.GlobalVariable {{.+}} : !spirv.ptr<!spirv.struct<(!spirv.array<3 x i32, stride=4> [0])>, PushConstant>
// CHECK:         spirv.GlobalVariable @views_arg_0 bind(0, 0) {aliased} : !spirv.ptr<!spirv.struct<(!spirv.rtarray<f32, stride=4> [0])>, StorageBuffer>
// CHECK:         spirv.GlobalVariable @views_arg_1 bind(0, 0) {aliased} : !spirv.ptr<!spirv.struct<(!spirv.rtarray<vector<4xf32>, stride=16> [0])>, StorageBuffer>
// CHECK:         spirv.ExecutionMode @views "LocalSize", 8, 1, 1

// CHECK:       spirv.module @alone
// CHECK:         spirv.GlobalVariable @alone_arg_0 bind(0, 0) : !spirv.ptr
