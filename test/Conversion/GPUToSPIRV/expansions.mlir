// RUN: moe-opt %s --convert-gpu-to-spirv-kernels | FileCheck %s

// Ops that SPIR-V has no instruction for.

module attributes {spirv.target_env = #spirv.target_env<#spirv.vce<v1.5, [Shader], [SPV_KHR_storage_buffer_storage_class]>, #spirv.resource_limits<>>} {
gpu.module @kernels {
  // CHECK-LABEL: spirv.func @trunc
  // CHECK:         %[[NEGATIVE:.+]] = spirv.FOrdLessThan %[[X:.+]], %{{.+}} : vector<4xf32>
  // CHECK:         %[[UP:.+]] = spirv.GL.Ceil %[[X]]
  // CHECK:         %[[DOWN:.+]] = spirv.GL.Floor %[[X]]
  // CHECK:         spirv.Select %[[NEGATIVE]], %[[UP]], %[[DOWN]]
  gpu.func @trunc(%x: memref<?xvector<4xf32>, #spirv.storage_class<StorageBuffer>> {spirv.interface_var_abi = #spirv.interface_var_abi<(0, 0)>}) kernel attributes {moe_rt.push_constants = 0 : i32, spirv.entry_point_abi = #spirv.entry_point_abi<workgroup_size = [8, 1, 1]>} {
    %c0 = arith.constant 0 : index
    %a = memref.load %x[%c0] : memref<?xvector<4xf32>, #spirv.storage_class<StorageBuffer>>
    %b = math.trunc %a : vector<4xf32>
    memref.store %b, %x[%c0] : memref<?xvector<4xf32>, #spirv.storage_class<StorageBuffer>>
    gpu.return
  }

  // CHECK-LABEL: spirv.func @rounding_divisions
  // CHECK-DAG:     spirv.UDiv
  // CHECK-COUNT-2: spirv.SDiv
  gpu.func @rounding_divisions(%x: memref<?xi32, #spirv.storage_class<StorageBuffer>> {spirv.interface_var_abi = #spirv.interface_var_abi<(0, 0)>}) kernel attributes {moe_rt.push_constants = 0 : i32, spirv.entry_point_abi = #spirv.entry_point_abi<workgroup_size = [8, 1, 1]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %a = memref.load %x[%c0] : memref<?xi32, #spirv.storage_class<StorageBuffer>>
    %b = memref.load %x[%c1] : memref<?xi32, #spirv.storage_class<StorageBuffer>>
    %0 = arith.ceildivui %a, %b : i32
    %1 = arith.ceildivsi %0, %b : i32
    %2 = arith.floordivsi %1, %b : i32
    memref.store %2, %x[%c0] : memref<?xi32, #spirv.storage_class<StorageBuffer>>
    gpu.return
  }
}
}
