// RUN: not moe-opt %s -split-input-file --moe-spirv-pipeline 2>&1 | FileCheck %s --implicit-check-not="failed to legalize"

// CHECK: 'moe_rt.push_constant' op expected its function to say by 'moe_rt.push_constants' how many there are, but got none
gpu.module @kernels {
  gpu.func @unsaid(%m: memref<?xi32, #spirv.storage_class<StorageBuffer>> {spirv.interface_var_abi = #spirv.interface_var_abi<(0, 0)>}) kernel attributes {spirv.entry_point_abi = #spirv.entry_point_abi<workgroup_size = [1, 1, 1]>} {
    %0 = moe_rt.push_constant 0
    %1 = arith.index_cast %0 : index to i32
    memref.store %1, %m[%0] : memref<?xi32, #spirv.storage_class<StorageBuffer>>
    gpu.return
  }
}

// -----

// CHECK: 'moe_rt.push_constant' op expected a position below 2, as its function says, but got 2
gpu.module @kernels {
  gpu.func @beyond(%m: memref<?xi32, #spirv.storage_class<StorageBuffer>> {spirv.interface_var_abi = #spirv.interface_var_abi<(0, 0)>}) kernel attributes {moe_rt.push_constants = 2 : i32, spirv.entry_point_abi = #spirv.entry_point_abi<workgroup_size = [1, 1, 1]>} {
    %0 = moe_rt.push_constant 2
    %1 = arith.index_cast %0 : index to i32
    memref.store %1, %m[%0] : memref<?xi32, #spirv.storage_class<StorageBuffer>>
    gpu.return
  }
}

// -----

// The numbers that maps keep for themselves are bindings like others.
// CHECK-NOT: error
gpu.module @kernels {
  gpu.func @last_binding(%m: memref<?xi32, #spirv.storage_class<StorageBuffer>> {spirv.interface_var_abi = #spirv.interface_var_abi<(4294967295, 4294967295)>}) kernel attributes {moe_rt.push_constants = 1 : i32, spirv.entry_point_abi = #spirv.entry_point_abi<workgroup_size = [1, 1, 1]>} {
    %0 = moe_rt.push_constant 0
    %1 = arith.index_cast %0 : index to i32
    memref.store %1, %m[%0] : memref<?xi32, #spirv.storage_class<StorageBuffer>>
    gpu.return
  }
}
